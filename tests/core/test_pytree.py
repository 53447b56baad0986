"""Data that JAX can map over, and must never mistake for other data of the same shape."""

import jax
import numpy as np

import koski


def test_classes_with_equal_fields_are_different_structures():
    structure = jax.tree.structure
    pairs = [
        (koski.Wall(), koski.Drain()),
        (koski.Level(1.0), koski.Inflow(1.0)),
        (koski.Edges(west=koski.Drain()), koski.Edges(east=koski.Drain())),
        (koski.LinearShallowWater(0.1), koski.ShallowWater(0.1)),
        (koski.Pipe(), koski.Pipe(section=koski.upwind_section)),
    ]
    for a, b in pairs:
        assert structure(a) != structure(b)
        assert structure(a) == structure(jax.tree.map(lambda x: x, a))


def test_a_tree_comes_back_as_it_was():
    for x in (koski.Pipe(friction=0.3), koski.Edges(north=koski.Level(2.0)), koski.Inputs()):
        assert jax.tree.unflatten(jax.tree.structure(x), jax.tree.leaves(x)) == x


def test_each_side_has_its_own_program():
    solver, dry = koski.Pipe(), {}
    for side in ("west", "east", "south", "north"):
        edges = koski.Edges(**{side: koski.Drain()})
        terrain = koski.Terrain.create(np.zeros((6, 6)), edges=edges)
        state = koski.advance(solver, solver.start(terrain, 1.0), terrain, seconds=0.1)
        dry[side] = np.asarray(state.water.d) == 0
    assert dry["west"][:, 0].all() and dry["east"][:, -1].all()
    assert dry["south"][0].all() and dry["north"][-1].all()
