import sys
from pathlib import Path

import jax
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # so that tests share `everything`


@pytest.fixture(scope="session", autouse=True)
def keep_programs(request):
    """What one module, process or run of the tests has compiled, others need not."""
    jax.config.update("jax_compilation_cache_dir", str(request.config.cache.mkdir("xla")))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


@pytest.fixture(scope="module", autouse=True)
def forget_programs():
    """Each compiled program holds maps of memory, of which a process may have only so many."""
    yield
    jax.clear_caches()
