"""Implicit flow down columns: the two ways to solve it agree with each other and with NumPy."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from numpy.testing import assert_allclose

from koski.core.grid import Grid
from koski.core.turn import turn, turned
from koski.solvers import chains


def links(n: int, wraps: bool, seed: int = 0):
    rng = np.random.default_rng(seed)
    k = rng.uniform(0, 30, (n, 5)) * (rng.random((n, 5)) < 0.8)
    f = rng.normal(size=(n, 5))
    if not wraps:
        k[-1], f[-1] = 0, 0  # the far face of the last row is a wall
    return k.astype(np.float32), f.astype(np.float32)


def exact(k, f, wraps: bool):
    n, many = k.shape
    F = np.empty((n, many))
    for c in range(many):
        A = np.eye(n)
        for j in range(n):
            A[j, j] += 2 * k[j, c]
            for i in (j - 1, j + 1):
                if wraps or 0 <= i < n:
                    A[j, i % n] -= k[j, c]
        F[:, c] = np.linalg.solve(A, f[:, c])
    return F


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("n", [2, 3, 17, 64])
def test_settled_flows_solve_the_system(n, wraps):
    k, f = links(n, wraps)
    F = chains.settle(jnp.asarray(k), jnp.asarray(f), Grid(n, 5, 1.0, wrap_y=wraps))
    assert_allclose(F, exact(k, f, wraps), atol=5e-6)  # float32, conditioned like 4 k


@pytest.mark.parametrize("n", [2, 3, 17, 64])
def test_cyclic_reduction_agrees_with_elimination(n):
    k, f = (jnp.asarray(a) for a in links(n, False, seed=1))
    assert_allclose(chains.reduce(k, f)[0], chains.eliminate(k, f)[0], atol=5e-6)


def test_all_at_once_is_one_by_one(monkeypatch):
    rng = np.random.default_rng(2)
    a, b, c = (jnp.asarray(rng.normal(0.1, 0.5, size=(50, 4)), jnp.float32) for _ in range(3))
    slow = [chains.give(a, c), chains.mix(a, b), chains.mix(a, b, back=True)]
    monkeypatch.setattr(lax, "platform_dependent", lambda *a, cpu, default: default(*a))
    fast = [chains.give(a, c), chains.mix(a, b), chains.mix(a, b, back=True)]
    for one, other in zip(slow, fast):
        assert_allclose(one, other, atol=1e-5)
        assert len(np.unique(one)) > 90


def test_no_cell_passes_on_more_than_it_has_and_is_given():
    rng = np.random.default_rng(3)
    grid = Grid(40, 6, 1.0)
    wish = jnp.asarray(rng.normal(size=(40, 6)), jnp.float32).at[-1].set(0)
    d = jnp.asarray(np.maximum(rng.normal(0, 0.5, size=(40, 6)), 0), jnp.float32)
    F = chains.pass_on(wish, d, jnp.roll(d, -1, axis=0), grid)
    after = d - F + jnp.roll(F, 1, axis=0)
    assert float(after.min()) > -1e-6
    assert_allclose(jnp.sign(F) * jnp.sign(wish) >= 0, True)
    assert float(jnp.abs(F - wish).max()) > 0.1


@pytest.mark.parametrize("shape", [(1, 7), (32, 64), (33, 50), (5, 1)])
def test_turning_exchanges_x_and_y(shape):
    f = jnp.asarray(np.random.default_rng(0).random(shape), jnp.float32)
    assert_allclose(turn(f), f.T)
    tree = turned({"map": f, "number": jnp.float32(3)})
    assert tree["map"].shape == shape[::-1] and float(tree["number"]) == 3
