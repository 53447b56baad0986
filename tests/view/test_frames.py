import jax.numpy as jnp
import numpy as np
from numpy.testing import assert_allclose

from koski.view.frames import Press, decode, encode, in_view, owed, tiles_of
from koski.view.messages import FrameHeader

SHAPE = 70, 130  # two rows and three columns of tiles, the last ones narrow
HEAD = FrameHeader(1, 2, 3.0, 0, 4, 0, [])


def bumpy(seed=0):
    return jnp.asarray(np.random.default_rng(seed).normal(5, 2, SHAPE), jnp.float32)


def test_a_frame_comes_back_to_half_a_quantum():
    f = bumpy()
    sheets, _ = Press().sheets({"surface": f}, {"surface": 0.01}, 1)
    poses = np.arange(14.0).reshape(2, 7)
    data = encode(HEAD, sheets, {"surface": range(6)}, poses)
    header, fields, back = decode(data, SHAPE)
    rows = [np.hstack([fields["surface"][3 * j + i] for i in range(3)]) for j in range(2)]
    quantum = float(f.max() - f.min()) / 65535
    assert_allclose(np.vstack(rows), f, atol=0.51 * quantum + 1e-6)  # and float32's rounding
    assert_allclose(back, poses)
    assert (header["epoch"], header["seq"], header["tile"], header["poses"]) == (1, 2, 64, 2)


def test_every_part_begins_at_a_multiple_of_four_bytes():
    odd = jnp.ones((3, 3))
    sheets, _ = Press().sheets({"a": odd, "b": odd}, {"a": 0.1, "b": 0.1}, 1)
    data = encode(HEAD, sheets, {"a": [0], "b": [0]}, np.ones((1, 7)))
    head = int.from_bytes(data[:4], "little")
    assert (4 + head) % 4 == 0
    assert len(data) == 4 + head + 2 * 20 + 28  # 9 values are 18 bytes, and 2 to fill up


def test_only_tiles_that_changed_visibly_are_owed():
    press, f = Press(), bumpy()
    all_tiles = np.ones(tiles_of(SHAPE), bool)
    first = press.sheets({"a": f}, {"a": 0.01}, 1)[0]["a"]
    assert list(owed(first, None, all_tiles)) == list(range(6))
    got = np.full(tiles_of(SHAPE), 1)
    f = f.at[66, 3].add(1.0).at[0, 0].add(0.001)
    second = press.sheets({"a": f}, {"a": 0.01}, 2)[0]["a"]
    assert list(owed(second, got, all_tiles)) == [3]


def test_small_changes_add_up_until_they_show():
    press, f = Press(), bumpy()
    for tick in range(1, 6):
        sheet = press.sheets({"a": f + 0.003 * tick}, {"a": 0.01}, tick)[0]["a"]
    assert sheet.since.min() == 5


def test_what_is_out_of_view_stays_owed():
    view = in_view(SHAPE, 2.0, 0, 0, 100, 100)
    assert view.tolist() == [[True, False, False], [False, False, False]]
    sheet = Press().sheets({"a": bumpy()}, {"a": 0.01}, 1)[0]["a"]
    got = np.where(view, 1, 0)
    assert list(owed(sheet, got, np.ones_like(view))) == [1, 2, 3, 4, 5]


def test_a_flat_map_and_one_with_a_hole_pass():
    flat = Press().sheets({"a": jnp.zeros(SHAPE)}, {"a": 0.01}, 1)[0]
    _, fields, _ = decode(encode(HEAD, flat, {"a": [0]}, []), SHAPE)
    assert_allclose(fields["a"][0], 0, atol=1e-8)
    hole = Press().sheets({"a": bumpy().at[1, 1].set(jnp.nan)}, {"a": 0.01}, 1)[0]["a"]
    assert not np.isfinite(hole.low)
