"""The shape of the code: layers point inward, and the core needs jax and numpy alone."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "koski"
ORDER = [  # each may import only from its own line and the lines above
    ("core",),
    ("extras", "files"),
    ("solvers",),
    ("bodies",),
    ("brush", "cache", "ledger", "pack", "landscape"),
    ("scene",),
    ("strokes",),
    ("scenes",),
    ("world",),
    ("mujoco",),
    ("io",),
    ("render",),
    ("view",),
    ("bench", "validate", "running", "filming", "playing"),
    ("cli",),
]
LAYER = {name: i for i, names in enumerate(ORDER) for name in names}
ALLOWED = {
    ("scenes", "io"),  # a scene reads its real terrain through the loader, when it is built
    ("world", "render"),  # a world has its picture made, when it is asked for one
}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("koski"):
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {a.name for a in node.names}
    return found & set(LAYER)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.stem)
def test_no_inner_layer_imports_an_outer_one(path):
    mine = path.relative_to(SOURCE).with_suffix("").parts[0]
    if mine == "__init__":
        return
    for other in imports(path):
        assert LAYER[other] <= LAYER[mine] or (mine, other) in ALLOWED, f"{mine} imports {other}"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: p.stem)
def test_a_file_is_short(path):
    assert len(path.read_text().splitlines()) <= 400


def test_import_koski_pulls_in_jax_and_numpy_and_nothing_else_of_ours():
    code = """
import sys, time
import jax, numpy
before = set(sys.modules)
import koski
new = {m.partition('.')[0] for m in set(sys.modules) - before}
print(sorted(new - set(sys.stdlib_module_names) - {'koski', 'jax', 'jaxlib', 'numpy'}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_importing_is_quick():
    code = "import time; t = time.perf_counter(); import koski; print(time.perf_counter() - t)"
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(3)
    ]
    assert min(times) < 1.5
