import pytest

from koski.solvers import NAMED
from koski.view.knobs import KNOBS, knobs, leaves, live, turn


@pytest.mark.parametrize("name", NAMED)
def test_every_number_of_every_solver_can_be_turned(name):
    solver = live(NAMED[name])
    assert all((kind, leaf) in KNOBS for _, kind, leaf, _ in leaves(solver))
    for knob in knobs(solver):
        assert knob.low <= knob.value <= knob.high and knob.tip.endswith(".")
        new = turn(solver, knob.path, knob.high)
        assert {k.path: k.value for k in knobs(new)}[knob.path] == knob.high


def test_a_number_inside_a_solver_inside_is_reached():
    new = turn(live(NAMED["two-layer"]), "base.friction", 0.5)
    assert new.base.friction == 0.5 and new.alpha == NAMED["two-layer"].alpha


def test_no_knob_is_of_a_solver_that_is_gone():
    used = {(kind, leaf) for s in NAMED.values() for _, kind, leaf, _ in leaves(live(s))}
    assert set(KNOBS) == used | {("Pipe", leaf) for leaf in ("friction", "lively")}
