"""Every solver against what is known exactly."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import koski
from everything import SOLVERS
from koski.scenes import whirlpool
from koski.validate import exact, measure

FRICTIONLESS = {
    name: measure.exactly(s) for name, s in SOLVERS.items() if getattr(s, "manning", None) is None
}
each = pytest.mark.parametrize("solver", FRICTIONLESS.values(), ids=FRICTIONLESS.keys())
REFERENCE = np.loadtxt(
    Path(__file__).parents[1] / "data" / "radial_dam_break.csv", delimiter=",", skiprows=3
)


@each
@pytest.mark.parametrize("along", ["x", "y"])
def test_small_waves_run_at_the_root_of_g_d_within_a_percent(solver, along):
    """c = √(g d), at 20 cells to a wave's length."""
    assert abs(measure.wave_speed_error(solver, along)) < 0.01


@each
@pytest.mark.parametrize("along", ["x", "y"])
def test_a_seiche_has_merians_period_within_a_percent(solver, along):
    """T = 2 L / √(g d)."""
    assert abs(measure.seiche_period_error(solver, along)) < 0.01


@pytest.mark.parametrize("along", ["x", "y", "diagonal"])
@pytest.mark.parametrize(("right", "bound"), [(0.1, 0.010), (0.0, 0.012)], ids=["wet", "dry"])
def test_the_conserving_form_matches_the_dam_breaks(right, bound, along):
    """Stoker (1 m onto 0.1 m) and Ritter (onto dry ground), 400 cells, relative L1 of depth."""
    assert measure.dam_break_error(koski.ShallowWater(), right, 400, along) < bound


@pytest.mark.parametrize("right", [0.1, 0.0], ids=["wet", "dry"])
def test_the_conserving_form_converges(right):
    errors = [measure.dam_break_error(koski.ShallowWater(), right, n) for n in (200, 400, 800)]
    assert errors[1] < 0.75 * errors[0] and errors[2] < 0.75 * errors[1]


@each
def test_every_solver_makes_a_dam_break_of_some_kind(solver):
    """The table in docs/validation.md has the figures; none is off by a quarter."""
    for right in (0.1, 0.0):
        assert measure.dam_break_error(solver, right, 200) < 0.25


@pytest.mark.parametrize(("outside", "column"), [(1.0, 1), (0.0, 2)], ids=["wet", "dry"])
def test_a_radial_dam_break_is_round_and_where_it_should_be(outside, column):
    """Against a 1-D radial reference with 10,000 cells (tests/data)."""
    radius, axis, diagonal = measure.radial_dam_break(koski.ShallowWater(), outside)
    fronts = [measure.front(radius, depth, outside) for depth in (axis, diagonal)]
    assert fronts[0] == pytest.approx(fronts[1], rel=0.02)
    assert np.abs(axis - diagonal).sum() < 0.02 * axis.sum()
    truth = REFERENCE[:, column]
    for depth in (axis, diagonal):
        error = np.abs(np.interp(REFERENCE[:, 0], radius, depth) - truth).sum() / truth.sum()
        assert error < 0.02


def test_the_exact_dam_break_keeps_its_water_and_meets_its_own_conditions():
    x = np.linspace(-25, 25, 200_001)
    for right in (0.0, 0.1):
        depth = exact.dam_break(x, 3.0, 1.0, right)
        assert depth.mean() == pytest.approx((1 + right) / 2, rel=1e-5)
        assert (np.diff(depth) <= 1e-12).all()


def circulation(solver) -> float:
    """∮ u·dl round the middle of the whirlpool scene's pool [m²/s], after a minute."""
    scene = whirlpool.scene(96)
    world = koski.World(replace(scene, solver=solver))
    world.step(60.0)
    a = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    r, middle = 0.5 * whirlpool.POOL, whirlpool.WIDTH / 2
    u = world.velocity_at(middle + r * np.cos(a), middle + r * np.sin(a))
    return float((u * np.stack([-np.sin(a), np.cos(a)], -1)).sum(-1).mean() * 2 * np.pi * r)


def test_only_the_full_solver_makes_a_whirlpool():
    """Without self-advection no velocity gains curl: Kellomäki 2015, fig. 4.2."""
    full = circulation(koski.ShallowWater(manning=0.012))
    linear = circulation(koski.LinearShallowWater(manning=0.012))
    pipe = circulation(koski.Pipe())
    assert full > 20.0
    assert abs(linear) < 0.15 * full and abs(pipe) < 0.15 * full
