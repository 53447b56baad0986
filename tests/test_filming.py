"""koski film and koski picture, as a user meets them."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

import koski
from koski import cli, filming, scenes
from koski.render import film as films
from koski.render import renderer
from koski.render.camera import Camera
from koski.render.picture import Picture

FEW = ("--cells", 16, "--size", "64x48", "--fps", 10)


class Sketch:
    """Draws quickly, and remembers: what it draws depends on all that it has seen."""

    dies: int | None = None  # at this frame
    stops: int | None = None

    def __init__(self):
        self.seen, self.drawn = np.zeros(2), 0

    def begin(self, frame):
        assert float(frame.t) == 0

    def see(self, frame, bodies, terrain):
        self.seen = self.seen * 0.9 + [float(frame.depth.std()), float(frame.t)]
        for body in bodies:
            self.seen += body.position[2], body.spin[0]

    def draw(self, camera, width, height, quality, before=None):
        self.drawn += 1
        if self.drawn == Sketch.dies:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.drawn == Sketch.stops:
            raise KeyboardInterrupt
        y, x = np.mgrid[:height, :width]
        a, b = self.seen
        r, g = 40 * a + 2 * x + camera.eye[0], 9 * b + 3 * y
        return np.stack([r, g, camera.eye[2] + 0 * x], -1).astype(int).astype(np.uint8)

    def keep(self):
        return {"seen": self.seen.tolist()}

    def recall(self, kept):
        self.seen = np.array(kept["seen"])


@pytest.fixture(autouse=True)
def sketching(monkeypatch):
    monkeypatch.setattr(filming, "new_renderer", lambda order, world: Sketch())
    monkeypatch.setattr(films, "PART", 4)
    monkeypatch.setattr(Sketch, "stops", None)


def koski_(monkeypatch, capsys, *arguments):
    """Exit code and what was said, of a command run in this process."""
    monkeypatch.setattr(sys, "argv", ["koski", *map(str, arguments)])
    try:
        cli.main()
        code = 0
    except SystemExit as e:
        code = e.code or 0
    return code, capsys.readouterr().err


@pytest.fixture
def run(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: koski_(monkeypatch, capsys, *arguments)


def decoded(path):
    with av.open(str(path)) as file:
        return np.array([f.to_ndarray(format="rgb24") for f in file.decode(video=0)])


def test_a_film_has_its_frames_and_a_contact_sheet(run, tmp_path):
    out, sheet = tmp_path / "new" / "x.mp4", tmp_path / "sheet.png"
    code, said = run("film", "dam-break", "-o", out, "--seconds", 0.9, *FEW, "--sheet", sheet)
    assert code == 0, said
    assert decoded(out).shape == (9, 48, 64, 3)
    assert np.ptp(decoded(out), axis=0).max() > 0
    assert Image.open(sheet).size == (6 + 4 * 70, 6 + 3 * 54)
    assert "9 frames" in said and "wrote" in said
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["new", "sheet.png", "x.mp4"]


def test_films_are_also_gifs_and_png_files(run, tmp_path):
    code, said = run("film", "dam-break", "-o", tmp_path / "x.gif", "--seconds", 0.5, *FEW)
    assert code == 0, said
    assert Image.open(tmp_path / "x.gif").n_frames == 5
    code, said = run("film", "dam-break", "-o", tmp_path / "f%02d.png", "--seconds", 0.3, *FEW)
    assert code == 0, said
    assert sorted(p.name for p in tmp_path.glob("*.png")) == ["f00.png", "f01.png", "f02.png"]


def test_ctrl_c_leaves_a_playable_film_that_resumes_to_the_same_frames(run, tmp_path, monkeypatch):
    whole, broken = tmp_path / "whole.mp4", tmp_path / "broken.mp4"
    body = ("film", "lake-drop-box", "--camera", "follow:0", "--seconds", 1.1, *FEW)
    body = (*body, "--coupling", "floaters")
    assert run(*body, "-o", whole)[0] == 0
    monkeypatch.setattr(Sketch, "stops", 7)
    code, said = run(*body, "-o", broken)
    assert code == 130 and "6 of 11 frames" in said and "--resume" in said
    np.testing.assert_array_equal(decoded(broken)[:4], decoded(whole)[:4])
    assert len(decoded(broken)) == 6
    monkeypatch.setattr(Sketch, "stops", None)
    code, said = run(*body, "-o", broken, "--resume", "--speed", 2)
    assert code == 2 and "begun with speed 1.0, not 2.0" in said
    code, said = run(*body, "-o", broken, "--resume")
    assert code == 0, said
    np.testing.assert_array_equal(decoded(broken), decoded(whole))
    assert not Path(f"{broken}.parts").exists()


def test_a_film_that_was_killed_resumes_to_the_same_frames(run, tmp_path):
    whole, broken = tmp_path / "whole.mp4", tmp_path / "broken.mp4"
    dam = ("film", "dam-break", "--camera", "orbit:turn=90", "--seconds", 1.1, *FEW)
    assert run(*dam, "-o", whole)[0] == 0
    code = f"""
import sys
sys.path[:0] = [{str(Path(__file__).parent)!r}]
import test_filming as t
t.filming.new_renderer, t.films.PART, t.Sketch.dies = lambda order, world: t.Sketch(), 4, 11
sys.argv = ["koski", *{[*map(str, dam)]!r}, "-o", {str(broken)!r}]
t.cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not broken.exists() and Path(f"{broken}.parts").is_dir()
    code, said = run(*dam, "-o", broken, "--resume")
    assert code == 0, said
    np.testing.assert_array_equal(decoded(broken), decoded(whole))
    assert run(*dam, "-o", broken, "--resume")[0] == 2  # there is nothing left to resume


def test_a_picture_is_of_its_time(run, tmp_path):
    tiny = ("--cells", 16, "--size", "65x47")
    for at in (0, 1):
        code, said = run("picture", "dam-break", "-o", tmp_path / f"{at}.png", "--at", at, *tiny)
        assert code == 0, said
    first, second = (np.asarray(Image.open(tmp_path / f"{at}.png")) for at in (0, 1))
    assert first.shape == (47, 65, 3) and (first != second).any()


def test_a_scene_may_have_a_view_of_its_own(tmp_path):
    scene = scenes.load("dam-break", 16)
    assert scene.view is None or isinstance(scene.view, str)
    world = koski.World(replace(scene, view="eye:1,2,300,50,50,0"))
    order = filming.Order("dam-break", size="64x48")
    np.testing.assert_allclose(filming.aimed(order, world, 5)(0.0).eye, [1, 2, 300])
    world.save(tmp_path / "w.koski")
    assert koski.World.load(tmp_path / "w.koski").view == world.view


def mistakes(tmp_path):
    (tmp_path / "file").write_text("")
    out = tmp_path / "x.mp4"
    return {
        "unknown scene": ["dam-brake", "-o", out],
        "unknown solver": ["dam-break", "-o", out, "--solver", "pip"],
        "no time": ["dam-break", "-o", out, "--seconds", 0],
        "less than a frame": ["dam-break", "-o", out, "--seconds", 0.01],
        "not a time": ["dam-break", "-o", out, "--seconds", "nan"],
        "negative start": ["dam-break", "-o", out, "--start", -1],
        "no fps": ["dam-break", "-o", out, "--fps", 0],
        "no speed": ["dam-break", "-o", out, "--speed", 0],
        "odd size": ["dam-break", "-o", out, "--size", "63x48"],
        "huge size": ["dam-break", "-o", out, "--size", "10000x48"],
        "tiny size": ["dam-break", "-o", out, "--size", "8x8"],
        "words for a size": ["dam-break", "-o", out, "--size", "large"],
        "unknown quality": ["dam-break", "-o", out, "--quality", "bset"],
        "unknown water": ["dam-break", "-o", out, "--water", "wine"],
        "one angle": ["dam-break", "-o", out, "--sun", "30"],
        "sun under ground": ["dam-break", "-o", out, "--sun", "-90,0"],
        "unknown kind": ["dam-break", "-o", tmp_path / "x.avi"],
        "one PNG": ["dam-break", "-o", tmp_path / "x.png"],
        "under a file": ["dam-break", "-o", tmp_path / "file" / "x.mp4"],
        "sheet kind": ["dam-break", "-o", out, "--sheet", tmp_path / "x.xyz"],
        "fast GIF": ["dam-break", "-o", tmp_path / "x.gif", "--fps", 60],
        "nothing to resume": ["dam-break", "-o", out, "--resume"],
        "unknown camera": ["dam-break", "-o", out, "--camera", "drone"],
        "no body": ["dam-break", "-o", out, "--camera", "follow:0"],
        "under the ground": ["dam-break", "-o", out, "--camera", "eye:50,50,-9,60,60,0"],
        "no flight": ["dam-break", "-o", out, "--camera", f"fly:{tmp_path / 'no.json'}"],
    }


def test_a_mistake_gets_one_sentence_and_code_two_and_writes_nothing(run, tmp_path, monkeypatch):
    monkeypatch.setattr(filming, "new_renderer", None)  # nothing may come so far
    for name, arguments in mistakes(tmp_path).items():
        before = sorted(tmp_path.rglob("*"))
        cells = () if name == "unknown scene" else ("--cells", 16)
        code, said = run("film", *arguments, *cells)
        assert code == 2, (name, said)
        assert len(said.strip().splitlines()) == 1 and said.startswith("koski: "), (name, said)
        assert sorted(tmp_path.rglob("*")) == before, name


def test_a_body_is_made_of_what_it_was_said_to_be(tmp_path):
    world = koski.World(koski.Terrain.create(np.zeros((8, 8))), depth=1.0)
    box = world.drop(koski.Box((1, 1, 1)), (4, 4, 2), material="crate")
    plain = world.drop(koski.Sphere(0.5), (2, 4, 2))
    assert (box.material, plain.material) == ("crate", None)
    with pytest.raises(koski.InputError, match="did you mean 'metal'"):
        world.drop(koski.Box((1, 1, 1)), (4, 4, 4), material="metall")
    world.save(tmp_path / "w.koski")
    again = koski.World.load(tmp_path / "w.koski")
    assert [body.material for body in again.bodies] == ["crate", None]


def test_a_world_shows_itself(monkeypatch):
    monkeypatch.setattr(renderer, "Renderer", lambda terrain, look: Sketch())
    world = koski.World(koski.Terrain.create(np.zeros((16, 16))), depth=1.0)
    image = world.picture(size=(48, 32), quality="draft")
    assert isinstance(image, Picture) and image.shape == (32, 48, 3) and image.dtype == np.uint8
    assert image._repr_png_().startswith(b"\x89PNG")
    above = Camera.create((8, 8, 20), (8, 8, 0))
    assert (world.picture(above, (48, 32), "draft") != image).any()
    for wrong in ({"camera": "drone"}, {"size": (2, 2)}, {"quality": "bset"}, {"water": "wine"}):
        with pytest.raises(koski.InputError):
            world.picture(**wrong)
    with pytest.raises(koski.InputError, match="look has no 'moon'"):
        world.picture(moon=1)
