import sys
from pathlib import Path

import jax
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # so that tests share `everything`


@pytest.fixture(scope="module", autouse=True)
def forget_programs():
    """Each compiled program holds maps of memory, of which a process may have only so many."""
    yield
    jax.clear_caches()
