from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import koski
from koski.bodies.mesh import Convex, Mesh
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Sphere
from koski.bodies.turns import STILL, from_axis
from koski.core.edges import Edges, Periodic
from koski.io import picture
from koski.io.paint_pixels import SUN
from koski.io.paint_raster import uppermost
from koski.io.paint_shadow import Sunlight
from koski.io.paint_solids import View, render
from koski.io.solids import triangles

SIZE = 320  # of a painted map [px], of 32 m
UP, NORTH = np.array([0.0, 0, 1]), np.array([0.0, 1, 0])
TETRAHEDRON = np.array([(0, 0, 1), (1, 0, -0.4), (-0.5, 0.8, -0.4), (-0.5, -0.8, -0.4)])


def body(shape, at, rotation=STILL, color="red"):
    return SimpleNamespace(shape=shape, position=at, rotation=rotation, color=color)


def flat(level=-1.0, shape=(32, 32), **more):
    """A plain at height 0, under water where its level is positive."""
    terrain = koski.Terrain.create(np.zeros(shape), **more)
    d = np.full(shape, max(level, 0.0), np.float32)
    return koski.Frame(d, d, 0 * d, 0 * d, np.float32(0)), terrain


def periodic():
    side = Periodic()
    return flat(edges=Edges(side, side, side, side))


def paint(bodies, world=None, shape=(SIZE, SIZE)):
    return picture.paint(picture.look(*(world or flat()), bodies), shape)


def red(rgb):
    """How much of each pixel a red body covers, dark on its outline."""
    return np.clip(rgb[..., 0] - 2 * rgb[..., 1], 0, None) > 0.1


def middle(mask):
    """The centroid x, y [m] and the area [m²] of a mask over the map."""
    y, x = np.nonzero(mask)
    return (x.mean() + 0.5) / 10, (y.mean() + 0.5) / 10, mask.sum() / 100


@pytest.mark.parametrize(
    ("shape", "area", "centre"),
    [
        (Box((4.0, 2.0, 1.0)), 8.0, (0, 0)),
        (Sphere(2.0), 4 * np.pi, (0, 0)),
        (Cylinder(1.5, 3.0), 2.25 * np.pi, (0, 0)),
        (Capsule(1.5, 3.0), 2.25 * np.pi, (0, 0)),
        (Convex(2 * TETRAHEDRON), 4.8, (0, 0)),
        (Mesh(2 * TETRAHEDRON, [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]), 4.8, (0, 0)),
        (
            Compound((Part(Box((2, 2, 2)), at=(-2, 0, 0)), Part(Sphere(1), at=(2, 0, 0)))),
            4 + np.pi,
            None,
        ),
    ],
    ids=lambda v: type(v).__name__,
)
def test_a_body_is_where_it_is_and_as_large(shape, area, centre):
    x, y, seen = middle(red(paint([body(shape, (20.0, 9.0, 3.0))])))
    assert seen == pytest.approx(area, rel=0.05)  # a pixel more or less along the outline
    if centre is not None:
        assert (x, y) == pytest.approx((20.0, 9.0), abs=0.1)


def test_a_body_is_turned_as_it_is():
    long = Box((8.0, 1.0, 1.0))
    y, x = np.nonzero(red(paint([body(long, (16, 16, 2), from_axis(UP, np.array(0.5)))])))
    assert np.polyfit(x, y, 1)[0] == pytest.approx(np.tan(0.5), abs=0.03)
    upright = red(paint([body(long, (16, 16, 5), from_axis(NORTH, np.array(np.pi / 2)))]))
    assert middle(upright)[2] == pytest.approx(1.0, rel=0.1)


def test_edges_are_smooth_at_any_angle():
    crate = body(Box((4.0, 4.0, 1.0)), (16, 16, 2), from_axis(UP, np.array(0.3)))
    solids = picture.look(*flat(), [crate]).solids
    tri = triangles(solids, 10.0)
    light = Sunlight.on(tri, 0.0, 0.0, (32.0, 32.0), 10.0)
    view = View((SIZE, SIZE), (10.0, 10.0))
    _, cover = render(solids, tri, view, light, lambda x, y, z: (z > 0, x[:, None], 0 * x))
    assert cover.sum() / 100 == pytest.approx(16.0, rel=0.003)  # as exact as its samples are many
    assert len(np.unique(cover)) > 10


def test_without_bodies_the_picture_is_the_plain_one():
    lake = flat(1.0)
    assert_array_equal(picture.draw(*lake, "a", bodies=[]), picture.draw(*lake, "a"))


@pytest.mark.parametrize(
    ("at", "rotation"),
    [
        ((40.0, 16.0, 1.0), STILL),
        ((16.0, -9.0, 1.0), STILL),
        ((1e9, 16.0, 1.0), STILL),
        ((np.nan, 16.0, 1.0), STILL),
        ((16.0, 16.0, np.inf), STILL),
        ((16.0, 16.0, 1.0), (np.nan, 0, 0, 0)),
        ((16.0, 16.0, -9.0), STILL),
    ],
    ids=["east", "south", "far", "nan", "inf", "not turned", "buried"],
)
def test_a_body_that_cannot_be_seen_leaves_the_picture_as_it_is(at, rotation):
    assert_allclose(paint([body(Box((2, 2, 2)), at, rotation)]), paint([]), atol=1e-6)


def test_a_body_across_the_edge_is_cut_there():
    x, y, seen = middle(red(paint([body(Box((2, 2, 2)), (32.0, 0.0, 1.0))])))
    assert seen == pytest.approx(1.0, rel=0.1)
    assert (x, y) == pytest.approx((31.5, 0.5), abs=0.1)


def test_a_body_across_a_joined_edge_appears_on_both_sides():
    mask = red(paint([body(Box((4, 2, 2)), (64 + 31, 16, 1))], periodic()))
    assert mask[:, :15].sum() / 100 == pytest.approx(2.0, rel=0.1)
    assert mask[:, -35:].sum() / 100 == pytest.approx(6.0, rel=0.1)


def test_higher_bodies_hide_lower_ones_in_any_order():
    low, high = body(Box((4, 4, 2)), (16, 16, 1)), body(Box((2, 2, 2)), (16, 16, 4), color="lime")
    for bodies in ([low, high], [high, low]):
        rgb = paint(bodies)
        assert rgb[160, 160, 1] > 2 * rgb[160, 160, 0]
        assert rgb[160, 145, 0] > 2 * rgb[160, 145, 1]


def test_ground_hides_what_is_below_it():
    b = np.zeros((32, 32), np.float32)
    b[:, 16:] = 5.0
    dry = koski.Frame(0 * b, b, 0 * b, 0 * b, np.float32(0))
    mask = red(paint([body(Box((8, 4, 2)), (16, 16, 2))], (dry, koski.Terrain.create(b))))
    assert mask[:, :150].any() and not mask[:, 165:].any()


def test_water_tints_a_body_the_more_the_deeper_it_lies():
    lake = flat(4.0)
    water = paint([], lake)[160, 160]
    seen = [paint([body(Box((4, 4, 1)), (16, 16, z))], lake)[160, 160] for z in (4, 3, 2, 0.5)]
    away = [np.abs(rgb - water).max() for rgb in seen]
    assert away[0] > 1.4 * away[1] > 1.5 * away[2] > 1.5 * away[3] > 0.03
    assert seen[2][2] > seen[0][2] + 0.1  # bluer


def test_a_shadow_falls_away_from_the_sun_as_far_as_the_body_is_high():
    change = paint([]).mean(-1) - paint([body(Box((2, 2, 0.1)), (16, 16, 4))]).mean(-1)
    change[148:172, 148:172] = 0  # the body itself
    x, y, area = middle(change > 0.15)
    assert (x, y) == pytest.approx((16 - 4 * SUN[0] / SUN[2], 16 - 4 * SUN[1] / SUN[2]), abs=0.2)
    assert area == pytest.approx(4.0, rel=0.25)
    assert ((change > 0.05) & (change < 0.25)).sum() > 80  # its edge is soft


def test_faces_toward_the_sun_are_brighter():
    roof = from_axis(np.array([1.0, 1, 0]), np.array(np.pi / 4))  # one side north-west
    rgb = paint([body(Box((6, 6, 6)), (16, 16, 6), roof)]).mean(-1)
    assert rgb[170, 150] > 1.2 * rgb[140, 180]


def test_bodies_are_coloured_by_what_they_are_mostly_made_of():
    shapes = [Box((3, 3, 3)), Sphere(1.5), Convex(2 * TETRAHEDRON)]
    wood, buoy, stone = (
        paint([body(s, (16, 16, 2), color=None)])[155:165, 155:165] for s in shapes
    )
    r, g, b = wood.mean((0, 1))
    assert r > g > b
    assert buoy.mean((0, 1))[0] > 2 * buoy.mean((0, 1))[1]
    assert np.ptp(stone.mean((0, 1))) < 0.1


def test_a_crate_of_one_pixel_is_seen():
    assert np.abs(paint([body(Box((0.1, 0.1, 0.1)), (16.05, 16.05, 0.05))]) - paint([])).max() > 0.2


@pytest.mark.parametrize("shape", [(1, 40), (40, 1)])
def test_from_the_side_a_body_is_where_it_is(shape):
    world = flat(2.0, shape)
    at = (30.0, 0.5, 2.0) if shape[0] == 1 else (0.5, 30.0, 2.0)
    image = picture.draw(*world, bodies=[body(Sphere(1.0), at)]).astype(int)
    y, x = np.nonzero(red(image / 255))
    west, east, south = 78, image.shape[1] - 30, image.shape[0] - 58
    assert (x.min() + x.max()) / 2 == pytest.approx(west + 0.75 * (east - west), abs=2)
    assert np.ptp(x) == pytest.approx(2 / 40 * (east - west), abs=3)
    foot = -0.24  # of the axis of heights: an eighth of the water's below the ground
    scale = (south - y.min()) / (3.0 - foot)
    high, low = (image[round(south - scale * (z - foot)), x.min() + 15] for z in (2.2, 1.8))
    assert high[2] < 40 and high[0] > 150
    assert low[2] > 50 and low[0] < 0.6 * high[0]  # through the water


def test_a_thousand_crates_are_all_drawn():
    rng = np.random.default_rng(0)
    places = rng.uniform((0, 0, 0), (32, 32, 3), (1000, 3))
    turns = rng.normal(size=(1000, 4))
    bodies = [body(Box((0.3, 0.3, 0.3)), p, q) for p, q in zip(places, turns)]
    assert red(paint(bodies)).mean() > 0.05


def test_the_caller_keeps_its_positions():
    at = np.array([40.0, 50.0, 1.0])
    paint([body(Box((1, 1, 1)), at)], periodic())
    assert_array_equal(at, [40, 50, 1])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"color": "no such"}, "no colour"),
        ({"color": 3}, "no colour"),
        ({"shape": "box"}, "shape"),
        ({"position": (1, 2)}, "position"),
        ({"rotation": (1, 0, 0)}, "rotation"),
    ],
)
def test_a_body_that_makes_no_sense_is_refused_in_a_sentence(wrong, words):
    good = {"shape": Box((1, 1, 1)), "position": (16, 16, 1), "rotation": STILL}
    with pytest.raises(koski.InputError, match=words):
        paint([SimpleNamespace(**good | wrong)])


def test_a_body_needs_no_colour_of_its_own(tmp_path):
    plain = SimpleNamespace(shape=Box((2, 2, 2)), position=(16, 16, 1), rotation=STILL)
    picture.save(tmp_path / "a.png", *flat(), "crate", bodies=[plain])
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_surfaces_of_round_shapes_enclose_their_volume():
    for shape in (Sphere(2.0), Cylinder(1.0, 3.0), Capsule(1.0, 3.0), Box((1.0, 2.0, 3.0))):
        look = picture.look(*flat(), [body(shape, (16, 16, 3), (1, 2, 3, 4))])
        a, b, c = triangles(look.solids, 100.0).corners.transpose(1, 0, 2)
        assert (a * np.cross(b, c)).sum() / 6 == pytest.approx(shape.volume, rel=0.01)


def test_the_uppermost_triangle_is_found_in_each_pixel():
    square = [[(0, 0, z), (8, 0, z), (8, 8, z)] for z in (1.0, 3.0, 2.0)]
    slope = [[(0, 0, 0), (8, 8, 8), (0, 8, 0)]]
    top, which = uppermost(np.array(square + slope, float), (8, 10))
    j, i = np.mgrid[:8, :10]
    assert ((which == 1) == ((i >= j) & (i < 8))).all()
    assert (which[:, 8:] == -1).all() and np.isneginf(top[:, 8:]).all()
    assert_allclose(top[which == 3], (i + 0.5)[which == 3], rtol=1e-6)
