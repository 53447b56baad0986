"""What decides between one thing and another has the same bits wherever it is computed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rounding import words

HERE = Path(__file__).parent


@pytest.mark.skipif(sys.platform == "darwin", reason="not every processor there has an AVX")
def test_what_rays_meet_does_not_depend_on_how_float32_is_rounded():
    """A processor with AVX alone cannot multiply and add in one go, and rounds in between."""
    fused = words()
    search = os.pathsep.join([str(HERE), str(HERE.parent)])
    run = subprocess.run(
        [sys.executable, HERE / "rounding.py"],
        env=os.environ | {"XLA_FLAGS": "--xla_cpu_max_isa=AVX", "PYTHONPATH": search},
        capture_output=True,
        text=True,
        check=True,
    )
    unfused = dict(zip(fused, run.stdout.split()))
    assert fused.pop("in float32") != unfused.pop("in float32")
    assert fused == unfused
