"""Every example runs for a moment, and leaves its picture."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SLOW = ("ford",)  # as boat, another MuJoCo model in water


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, id=p.stem, marks=[pytest.mark.long] if p.stem in SLOW else [])
        for p in EXAMPLES
    ],
)
def test_an_example_runs(path, tmp_path):
    command = [sys.executable, str(path), "--seconds", "0.1"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / f"{path.stem}.png").stat().st_size > 10_000
