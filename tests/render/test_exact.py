"""What decides between one thing and another is the same wherever it is computed."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rounding import found

HERE = Path(__file__).parent
CLOSE = 1e-6  # share by which a float32 may differ: some are rounded up here, and down there


@pytest.mark.skipif(sys.platform == "darwin", reason="not every processor there has an AVX")
def test_what_rays_meet_does_not_depend_on_how_float32_is_rounded(tmp_path):
    """A processor with AVX alone cannot multiply and add in one go, and rounds in between."""
    fused = found()
    search = os.pathsep.join([str(HERE), str(HERE.parent)])
    subprocess.run(
        [sys.executable, HERE / "rounding.py", tmp_path / "unfused.npz"],
        env=os.environ | {"XLA_FLAGS": "--xla_cpu_max_isa=AVX", "PYTHONPATH": search},
        check=True,
    )
    with np.load(tmp_path / "unfused.npz") as file:
        apart = {name: furthest(f, file[name]) for name, f in fused.items()}
    assert apart.pop("in float32") > 100 * CLOSE
    assert max(apart.values()) < CLOSE, apart


def furthest(one, other) -> float:
    """By what share numbers differ at most, by how much if they are small."""
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    gap = np.where(same, 0, one) - np.where(same, 0, other)
    return float(np.abs(gap / np.maximum(1, np.where(same, 1, np.abs(one)))).max())
