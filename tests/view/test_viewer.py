from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from test_frames import bumpy

from koski.view import messages as m
from koski.view.frames import Press, decode
from koski.view.snapshot import Snapshot
from koski.view.viewer import Viewer

SHAPE = 70, 130


@pytest.fixture
def snaps():
    """Makes snapshots of maps, each a tick after the one before."""
    press, tick = Press(), 0
    world = m.WorldInfo(1, "", SHAPE[1], SHAPE[0], 1.0, "pipe", "mixed", "", [], [], 0.0)
    lists = m.Bodies(1, 1, []), m.Springs([])
    stats = m.Stats(*([0] * 19))

    def snap(epoch=1, **maps):
        nonlocal tick
        tick += 1
        sheets, _ = press.sheets(maps, dict.fromkeys(maps, 0.01), tick)
        return Snapshot(tick, epoch, 0.0, sheets, np.zeros((0, 7)), world, *lists, stats)

    return snap


def sent(viewer, snap):
    """The frame that is sent, after what is said before it."""
    list(viewer.texts(snap, 1, True, True))
    return viewer.frame(snap)


def tiles(viewer, snap):
    data = sent(viewer, snap)
    if data is None:
        return None
    viewer.ack(snap.tick)
    return {name: set(found) for name, found in decode(data, SHAPE)[1].items()}


def test_only_what_is_in_view_is_sent_and_the_rest_when_it_comes_into_view(snaps):
    viewer, f = Viewer("a"), bumpy()
    viewer.look = m.Look(0, 0, 60, 60, "")
    assert tiles(viewer, snaps(depth=f)) == {"depth": {0}}
    viewer.look = m.Look(0, 0, 70, 60, "")
    assert tiles(viewer, snaps(depth=f)) == {"depth": {1}}
    assert tiles(viewer, snaps(depth=f)) == {}
    viewer.look = m.Look(-9, -9, 999, 999, "")
    assert tiles(viewer, snaps(depth=f.at[0, 0].add(1.0))) == {"depth": {0, 2, 3, 4, 5}}


def test_what_comes_into_view_while_time_stands_still_is_sent_once(snaps):
    viewer = Viewer("a")
    viewer.look = m.Look(0, 0, 60, 60, "")
    snap = snaps(depth=bumpy())
    assert tiles(viewer, snap) == {"depth": {0}} and tiles(viewer, snap) is None
    viewer.look = m.Look(0, 0, 70, 60, "")
    assert tiles(viewer, snap) == {"depth": {1}} and tiles(viewer, snap) is None
    viewer.look = m.Look(0, 0, 61, 60, "")
    assert tiles(viewer, snap) is None


def test_an_overlay_goes_to_who_asked_for_it(snaps):
    one, other, f = Viewer("a"), Viewer("b"), jnp.ones(SHAPE)
    one.look = m.Look(0, 0, 999, 999, "raw")
    snap = snaps(depth=f, raw=f, blocked=f)
    assert set(tiles(one, snap)) == {"depth", "raw"} and set(tiles(other, snap)) == {"depth"}


def test_a_new_epoch_is_sent_whole(snaps):
    viewer, f = Viewer("a"), bumpy()
    tiles(viewer, snaps(depth=f))
    assert tiles(viewer, snaps(epoch=2, depth=f)) == {"depth": {0, 1, 2, 3, 4, 5}}


def test_the_same_snapshot_is_sent_once_and_none_to_who_has_two_to_draw(snaps):
    viewer, f = Viewer("a"), bumpy()
    snap = snaps(depth=f)
    assert sent(viewer, snap) and sent(viewer, snap) is None
    assert sent(viewer, snaps(depth=f)) and sent(viewer, snaps(depth=f)) is None
    assert list(viewer.texts(snap, 1, True, True)) == []
    viewer.ack(1)
    assert sent(viewer, snaps(depth=f))


def test_no_frame_goes_out_before_what_is_known_of_its_world(snaps):
    viewer, f = Viewer("a"), bumpy()
    for _ in range(2):
        sent(viewer, snaps(depth=f))
    new = replace(snaps(depth=f), bodies=m.Bodies(1, 3, []))
    viewer.tell(m.Notice("info", "a crate was dropped"))
    notice, *others = viewer.texts(new, 1, True, True)
    assert isinstance(notice, m.Notice) and not others  # for it has two to draw
    viewer.ack(2)  # which it has drawn by the time that the notice is sent
    assert viewer.frame(new) is None
    assert new.bodies in list(viewer.texts(new, 1, True, True)) and viewer.frame(new)


def test_notices_do_not_pile_up():
    viewer = Viewer("a")
    for k in range(1000):
        viewer.tell(m.Notice("info", str(k)))
    assert [n.text for n in viewer.texts(None, 1, True, True)] == [str(k) for k in range(992, 1000)]
