import random
import time
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from ponds import CRATE, pond, touch
from test_messages import mutated

from koski.core.errors import InputError
from koski.view import game as games
from koski.view import messages as m
from koski.view.game import Game
from koski.view.server import Server
from koski.view.viewer import Viewer

pytestmark = pytest.mark.xdist_group("test_game")  # they share one game


@pytest.fixture(scope="module")
def game():
    game = Game(pond)
    game.news = []
    game.listener = lambda viewer, notice: notice and game.news.append(notice)
    game.start()
    wait(lambda: game.snapshot is not None and game.snapshot.t > 0)
    yield game
    game.stop()
    assert not game._thread.is_alive()


def wait(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def done(game, *orders):
    """Say something, and wait until it has been done and shown."""
    for order in orders:
        assert game.say("me", order)
    game.ask(lambda g: None).result(60)
    tick = game.tick
    wait(lambda: game.snapshot.tick > tick or game.paused)


def test_time_passes_at_a_steady_rate_and_slower_on_request(game):
    done(game, m.Speed(0.5))
    t, start = game.snapshot.t, time.monotonic()
    time.sleep(1.0)
    share = (game.snapshot.t - t) / (time.monotonic() - start)
    assert 0.1 < share < 0.7  # a busy machine is slower, never faster
    done(game, m.Speed(1.0))


def test_pause_stops_time_and_step_lets_one_tick_pass(game):
    done(game, m.Clock("pause"))
    t = game.snapshot.t
    time.sleep(0.2)
    assert game.snapshot.t == t
    game.say("me", m.Clock("step"))
    wait(lambda: game.snapshot.t > t)
    time.sleep(0.2)
    assert game.snapshot.t == pytest.approx(t + 1 / 30, abs=1e-4)
    game.say("me", touch("raise"))
    wait(lambda: game.snapshot.sheets["ground"].high > 1)  # hands work while time stands still
    game.say("me", touch("raise", "up"))
    done(game, m.Undo(), m.Clock("play"))


def test_a_snapshot_never_changes(game):
    snap = game.snapshot
    depth, poses = snap.sheets["depth"].q.copy(), snap.poses.copy()
    done(game, touch("pour"), touch("pour", "move"))
    time.sleep(0.3)
    done(game, touch("pour", "up"))
    assert (snap.sheets["depth"].q == depth).all() and (snap.poses == poses).all()
    assert game.snapshot.stats.came > 0


def test_overlays_are_made_only_on_request(game):
    assert "raw" not in game.snapshot.sheets
    game.overlays = frozenset({"raw", "blocked", "pressure"})
    wait(lambda: {"raw", "blocked", "pressure"} <= set(game.snapshot.sheets))
    game.overlays = frozenset()
    wait(lambda: "raw" not in game.snapshot.sheets)


def test_a_reset_begins_a_new_epoch_with_the_water_of_the_start(game):
    epoch = game.snapshot.epoch
    done(game, touch("dig"), touch("dig", "up"), m.Spring(10, 10, 5, 1), m.Clock("reset"))
    wait(lambda: game.snapshot.epoch == epoch + 1)
    assert game.snapshot.springs.springs == [] and game.snapshot.stats.undo == 0
    assert game.snapshot.stats.came == 0


def test_what_cannot_be_done_is_told_to_who_asked_and_changes_nothing(game):
    world = game.box.world
    for order, why in [
        (m.Open("nowhere", None), "there is no scene"),
        (m.Solver("magic"), "there is no solver"),
        (m.Coupling("glue"), "there is no coupling"),
        (m.Unbody(99), "no such body"),
        (m.Knob("x.y", 1), "has no number"),
    ]:
        game.news.clear()
        done(game, order)
        assert why in game.news[-1].text and game.news[-1].level == "error"
    assert game.box.world is world


def test_water_that_is_not_a_number_begins_anew(game):
    epoch = game.snapshot.epoch

    def spoil(g):
        state = g.box.world.state
        g.box.world.state = replace(state, water=replace(state.water, d=state.water.d * jnp.nan))

    game.news.clear()
    game.ask(spoil).result(10)
    wait(lambda: game.snapshot.epoch == epoch + 1)
    assert any("begins anew" in notice.text for notice in game.news)
    wait(lambda: game.snapshot.t > 0)
    assert np.isfinite(game.snapshot.sheets["depth"].high)


def test_a_body_of_a_new_shape_waits_for_its_program_while_the_water_runs(game):
    game.news.clear()
    tick = game.tick
    game.say("me", m.Drop("crate", 10, 10, 1, 0))
    wait(lambda: game.tick > tick + 3)
    wait(lambda: len(game.snapshot.bodies.bodies) == 1)
    assert game.snapshot.poses.shape == (1, 7)
    box = game.snapshot.bodies.bodies[0]
    assert (box.material, box.parts[0].shape, box.moves) == ("crate", "box", "free")
    done(game, m.Clean())
    assert game.snapshot.bodies.bodies == [] and game.snapshot.poses.shape == (0, 7)


def test_the_queue_is_bounded():
    game = Game(pond)  # not started: nobody takes anything out
    said = [game.say("me", m.Undo()) for _ in range(games.WAITING + 50)]
    assert sum(said) == games.WAITING
    with pytest.raises(InputError, match="busy"):
        game.ask(lambda g: None).result(1)


def test_ten_thousand_mutated_messages_change_nothing_unless_they_are_right():
    game = Game(lambda: pond(CRATE))
    game.box = type("Box", (), {})()  # whatever touched it would fail
    server, viewer, rng = Server(game, {}), Viewer("me"), random.Random(2)
    server.viewers["me"] = viewer
    server.hand.use("me")
    kept = refused = 0
    for _ in range(10_000):
        text = mutated(rng)
        waits = game._waiting.qsize()
        try:
            server.hear(viewer, m.read(text))
            kept += 1
        except InputError:
            refused += 1
            assert game._waiting.qsize() == waits
        while game._waiting.qsize():
            game._waiting.get()
    assert kept + refused == 10_000 and refused > 7_000
