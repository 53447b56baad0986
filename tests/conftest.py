import os
import sys
from pathlib import Path

import jax
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # so that tests share `everything`


@pytest.fixture(scope="session", autouse=True)
def share_programs(tmp_path_factory):
    """What one process of the tests has compiled, the others find, and later modules as well."""
    here = tmp_path_factory.getbasetemp()
    shared = here.parent if "PYTEST_XDIST_WORKER" in os.environ else here
    jax.config.update("jax_compilation_cache_dir", str(shared / "programs"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)


@pytest.fixture(scope="module", autouse=True)
def forget_programs():
    """Each compiled program holds maps of memory, of which a process may have only so many."""
    yield
    jax.clear_caches()
