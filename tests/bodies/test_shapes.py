"""What shapes know of themselves, against closed forms and against counting points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from solids import CORNERS, FACES, RAFT, SHAPES, cloud, mesh_box

import koski
from koski import pack
from koski.bodies import turns
from koski.bodies.mesh import Convex, Mesh
from koski.bodies.shapes import Box, Capsule, Compound, Cylinder, Part, Sphere

each_shape = pytest.mark.parametrize("shape", [*SHAPES.values(), RAFT], ids=[*SHAPES, "raft"])


@each_shape
def test_volume_centroid_and_inertia_are_those_of_the_points_inside(shape):
    p = cloud(shape, 100)
    volume = len(p) * (2 * shape.reach / 100) ** 3
    assert volume == pytest.approx(shape.volume, rel=0.03)  # points near the surface
    assert_allclose(p.mean(0), shape.centroid, atol=0.02 * shape.reach)
    q = p - p.mean(0)
    inertia = shape.volume * ((q**2).sum(1).mean() * np.eye(3) - q.T @ q / len(q))
    assert_allclose(inertia, shape.inertia, atol=0.03 * np.abs(shape.inertia).max())


@each_shape
def test_reach_is_that_of_the_farthest_point(shape):
    far = np.linalg.norm(cloud(shape), axis=1).max()
    assert 0.9 * shape.reach < far <= shape.reach * (1 + 1e-6)  # points lie inside


def test_volumes_are_the_closed_forms():
    assert Box((2, 3, 4)).volume == 24
    assert Sphere(2).volume == pytest.approx(4 / 3 * np.pi * 8)
    assert Cylinder(2, 3).volume == pytest.approx(12 * np.pi)
    assert Capsule(2, 3).volume == pytest.approx(12 * np.pi + 4 / 3 * np.pi * 8)
    assert_allclose(Box((2, 3, 4)).inertia, np.diag([50, 40, 26]))
    assert_allclose(Sphere(2).inertia, 0.4 * Sphere(2).volume * 4 * np.eye(3))
    assert_allclose(Capsule(1, 1e-5).inertia, Sphere(1).inertia, rtol=1e-4)  # as good as a ball


def test_a_box_of_triangles_or_of_points_is_a_box():
    size, at = (2.0, 1.0, 0.5), np.array([3.0, -4.0, 100.0])
    for shape in (mesh_box(size, at), Convex(CORNERS * size + at)):
        assert shape.volume == pytest.approx(1.0, rel=1e-6)
        assert_allclose(shape.centroid, at, atol=1e-5)  # float32 corners
        assert_allclose(shape.inertia, Box(size).inertia, atol=1e-5)


def test_a_mesh_turned_inside_out_is_turned_back():
    shape = Mesh(CORNERS, FACES[:, ::-1])
    assert shape.volume == pytest.approx(1.0)
    assert_allclose(shape.faces, FACES)


def test_a_hull_drops_what_lies_inside_or_on_its_sides():
    rng = np.random.default_rng(0)
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 5)] * 3), -1).reshape(-1, 3)
    tilted = grid @ turns.matrix(rng.normal(size=4)).T
    for points in (grid, tilted, np.vstack([CORNERS * 2, rng.uniform(-1, 1, (100, 3))])):
        assert Convex(points).volume == pytest.approx(8.0, rel=1e-5)


def test_parts_of_a_compound_are_where_they_were_put():
    turn = tuple(turns.from_axis(np.array([0.0, 0.0, 1.0]), np.pi / 2))
    inner = Compound((Part(Sphere(1.0), at=(2.0, 0.0, 0.0)), Box((1, 1, 1))))
    outer = Compound((Part(inner, at=(0.0, 0.0, 5.0), rotation=turn),))
    (ball, at, _), (box, middle, rotation) = outer.parts()
    assert isinstance(ball, Sphere) and isinstance(box, Box)
    assert_allclose(at, (0.0, 2.0, 5.0), atol=1e-12)
    assert_allclose(middle, (0.0, 0.0, 5.0))
    assert_allclose(rotation, turn)


def test_rotations_compose_and_come_back():
    rng = np.random.default_rng(1)
    p, q = rng.normal(size=(2, 7, 4))
    v = rng.normal(size=(7, 3))
    both = turns.multiply(p, q) / np.linalg.norm(p, axis=1)[:, None]
    assert_allclose(turns.rotate(both, v), turns.rotate(p, turns.rotate(q, v)), atol=1e-12)
    assert_allclose(turns.matrix(q) @ turns.matrix(q).swapaxes(1, 2), [np.eye(3)] * 7, atol=1e-12)
    quarter = turns.from_axis(np.array([0.0, 0.0, 2.0]), np.pi / 2)
    assert_allclose(turns.rotate(quarter, (1.0, 0.0, 0.0)), (0.0, 1.0, 0.0), atol=1e-12)


@each_shape
def test_a_shape_comes_back_from_a_file(shape, tmp_path):
    pack.save(tmp_path / "shape.npz", shape)
    back = pack.load(tmp_path / "shape.npz")
    assert type(back) is type(shape)
    assert back.volume == shape.volume
    assert_allclose(back.inertia, shape.inertia)


def test_a_mesh_comes_from_a_file(tmp_path):
    pytest.importorskip("trimesh")
    lines = ["v {} {} {}".format(*(2 * c)) for c in CORNERS]
    lines += ["f {} {} {}".format(*(f + 1)) for f in FACES]
    (tmp_path / "box.obj").write_text("\n".join(lines))
    assert Mesh.load(tmp_path / "box.obj").volume == pytest.approx(8.0)
    (tmp_path / "open.obj").write_text("\n".join(lines[:-1]))
    with pytest.raises(koski.InputError, match="watertight"):
        Mesh.load(tmp_path / "open.obj")
    with pytest.raises(koski.InputError, match="no file"):
        Mesh.load(tmp_path / "nowhere.obj")
    (tmp_path / "bad.obj").write_text("nothing of use")
    with pytest.raises(koski.InputError, match="bad"):
        Mesh.load(tmp_path / "bad.obj")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Box((1, 0, 1)), "size"),
        (lambda: Box((1, 1)), "3 numbers"),
        (lambda: Box(2.0), "3 numbers"),
        (lambda: Sphere(np.nan), "radius"),
        (lambda: Capsule(1, -1), "length"),
        (lambda: Cylinder(np.inf, 1), "radius"),
        (lambda: Convex([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "plane"),
        (lambda: Convex([(0, 0, 0), (1, 0, 0)]), "four rows"),
        (lambda: Mesh(CORNERS, FACES + 1), "0 to 7"),
        (lambda: Mesh(CORNERS, FACES[:-1]), "watertight"),
        (lambda: Mesh(CORNERS * [1, 1, np.nan], FACES), "finite"),
        (lambda: Mesh(CORNERS * [1, 1, 0], FACES), "volume"),
        (lambda: Compound(()), "at least one"),
        (lambda: Compound((Part("box"),)), "shape"),
        (lambda: Part(Sphere(1), rotation=(0, 0, 0, 0)), "rotation"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(make, words):
    with pytest.raises(koski.InputError, match=words):
        make()
