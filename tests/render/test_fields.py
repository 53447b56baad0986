"""Maps of ground and water, as they are drawn."""

import jax.numpy as jnp
import numpy as np
import pytest

from koski.core.frame import Frame
from koski.core.terrain import Terrain
from koski.render.fields import Land, sea


@pytest.mark.parametrize("steep, speed, shown", [(2.0, 0.1, 0), (2.0, 2.0, 1), (0.02, 0.1, 1)])
def test_what_trickles_down_a_bank_only_wets_it(steep, speed, shown):
    b = steep * np.broadcast_to(np.arange(32.0), (32, 32))
    terrain = Terrain.create(b)
    depth = jnp.full((32, 32), 0.006)
    fast = jnp.full((32, 32), speed)
    frame = Frame(depth, terrain.b + depth, fast, 0 * fast, jnp.float32(0))
    land = Land.of(terrain)
    seen = np.asarray(sea(frame, land).w > land.b)[8:-8, 8:-8]
    assert seen.mean() == shown


@pytest.mark.parametrize("columns", [32, 1100])
def test_a_profile_of_one_row_can_be_seen(columns):
    terrain = Terrain.create(np.linspace(0, 3, columns)[None])
    depth = jnp.maximum(1 - terrain.b, 0)
    still = jnp.zeros_like(depth)
    land = Land.of(terrain)
    w = sea(Frame(depth, terrain.b + depth, still, still, jnp.float32(0)), land).w
    assert bool(jnp.isfinite(w).all()) and float((w > land.b).mean()) == pytest.approx(
        1 / 3, abs=0.05
    )
