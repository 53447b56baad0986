"""Films as files: what is put in comes out again, whole or as far as it got."""

import json

import av
import numpy as np
import pytest
from PIL import Image

import koski
from koski.render import film as films
from koski.render import formats
from koski.render.film import Film
from koski.render.picture import Picture, sized

SIZE = 64, 48


@pytest.fixture(autouse=True)
def short_parts(monkeypatch):
    monkeypatch.setattr(films, "PART", 4)


def shot(k, size=SIZE):
    """A bright square that moves over a soft ground."""
    y, x = np.mgrid[: size[1], : size[0]]
    image = np.stack([3 * x, 4 * y, 0 * x + 90], -1).astype(np.uint8)
    image[8:24, k : k + 16] = (250, 200, 30)
    return image


def decoded(path):
    with av.open(str(path)) as file:
        return np.array([
            f.reformat(format="rgb24", src_colorspace="ITU709").to_ndarray()
            for f in file.decode(video=0)
        ])  # fmt: skip


def save(folder):
    folder.mkdir()
    (folder / "state").write_text("all of it")


def fill(film, frames):
    for k in range(film.done, frames):
        film.add(shot(k))
        film.keep(save)


def make(path, frames=10, fps=30, **kinds):
    with Film(path, SIZE, fps) as film:
        film.begin({"what": "squares"})
        fill(film, frames)
    return film


def test_an_mp4_has_all_frames_at_their_times_in_their_colours(tmp_path):
    path = tmp_path / "new" / "x.mp4"
    make(path, 10, fps=25)
    with av.open(str(path)) as file:
        (video,) = file.streams
        assert (video.codec_context.name, video.pix_fmt) == ("h264", "yuv420p")
        assert video.average_rate == 25 and video.frames == 10
        assert [float(f.time) for f in file.decode(video)] == pytest.approx(np.arange(10) / 25)
    seen = decoded(path)
    for k, image in enumerate(seen):
        assert np.abs(image.astype(int) - shot(k)).mean() < 4  # colour is halved each way
        assert np.abs(image[10:20, k + 4 : k + 12].astype(int) - (250, 200, 30)).max() < 12
    assert sorted(p.name for p in path.parent.iterdir()) == ["x.mp4"]


def test_a_gif_has_all_frames_and_its_time(tmp_path):
    make(tmp_path / "x.gif", 10, fps=30)
    with Image.open(tmp_path / "x.gif") as gif:
        assert gif.n_frames == 10 and gif.size == SIZE and gif.info["loop"] == 0
        lasts = []
        for k in range(10):
            gif.seek(k)
            lasts.append(gif.info["duration"])
            assert np.abs(np.asarray(gif.convert("RGB")).astype(int) - shot(k)).mean() < 12
    assert sum(lasts) == 330  # hundredths of a second
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.gif"]


@pytest.mark.parametrize("name", ["frames", "shot%03d.png"])
def test_png_files_are_the_frames_themselves(tmp_path, name):
    make(tmp_path / name, 6)
    pattern = tmp_path / name / "%04d.png" if name == "frames" else tmp_path / name
    for k in range(6):
        with Image.open(str(pattern) % k) as image:
            np.testing.assert_array_equal(np.asarray(image), shot(k))
    assert len([*tmp_path.rglob("*.png")]) == 6 and not [*tmp_path.rglob("*.parts")]


@pytest.mark.parametrize("name", ["x.mp4", "x.gif", "frames"])
def test_an_interrupt_leaves_a_playable_film_that_can_be_resumed(tmp_path, name):
    whole, broken = tmp_path / "whole" / name, tmp_path / "broken" / name
    make(whole)
    film = Film(broken, SIZE, 30)
    with pytest.raises(KeyboardInterrupt), film:
        film.begin({"what": "squares"})
        fill(film, 7)
        raise KeyboardInterrupt
    if name == "x.mp4":
        assert len(decoded(broken)) == 7
    film = Film(broken, SIZE, 30)
    saved = film.resume({"what": "squares"})
    assert film.done == 4 and (saved / "state").read_text() == "all of it"
    with film:
        fill(film, 10)
    read = {p.name: p.read_bytes() for p in whole.parent.rglob("*.*")}
    assert {p.name: p.read_bytes() for p in broken.parent.rglob("*.*")} == read
    assert not [*tmp_path.rglob("*.parts")]


def test_an_error_leaves_the_old_film_alone(tmp_path):
    path = tmp_path / "x.mp4"
    make(path, 3)
    with pytest.raises(ZeroDivisionError), Film(path, SIZE, 30) as film:
        film.begin({})
        fill(film, 6)
        raise ZeroDivisionError
    assert len(decoded(path)) == 3


def test_what_goes_wrong_in_the_encoder_is_not_lost(tmp_path):
    with pytest.raises(Exception, match=r".*"), Film(tmp_path / "x.mp4", SIZE, 30) as film:
        film.begin({})
        film.add(np.zeros((48, 64)))
    assert not (tmp_path / "x.mp4").exists()


def test_another_film_is_not_resumed(tmp_path):
    path = tmp_path / "x.mp4"
    with pytest.raises(koski.InputError, match="to resume: leave out"):
        Film(path, SIZE, 30).resume({})
    with pytest.raises(KeyboardInterrupt), Film(path, SIZE, 30) as film:
        film.begin({"what": "river", "fps": 30.0})
        raise KeyboardInterrupt
    assert not path.exists()
    with pytest.raises(koski.InputError, match="begun with fps 30"):
        Film(path, SIZE, 24).resume({"what": "river", "fps": 24.0})
    assert Film(path, SIZE, 30).resume({"what": "river", "fps": 30.0}) is None
    (film.folder / films.ASKED).write_text("{")
    with pytest.raises(koski.InputError, match="damaged"):
        Film(path, SIZE, 30).resume({})


@pytest.mark.parametrize(
    "name, size, fps",
    [
        ("x.avi", SIZE, 30),
        ("x.png", SIZE, 30),
        ("%d%d.png", SIZE, 30),
        ("%s.png", SIZE, 30),
        ("file/x.mp4", SIZE, 30),
        ("x.mp4", (65, 48), 30),
        ("x.mp4", (64, 47), 30),
        ("x.gif", SIZE, 60),
        ("folder.mp4", SIZE, 30),
        ("other.mp4", SIZE, 30),
    ],
)
def test_a_film_that_cannot_be_is_refused_at_once(tmp_path, name, size, fps):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "other.mp4.parts").mkdir()
    (tmp_path / "other.mp4.parts" / "thesis.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(koski.InputError) as e:
        Film(tmp_path / name, size, fps)
    assert "\n" not in str(e.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_codec_that_is_missing_gets_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "CODEC", "h266")
    with pytest.raises(koski.InputError, match="no encoder h266"):
        Film(tmp_path / "x.mp4", SIZE, 30)


@pytest.mark.parametrize("name", ["x.mp4", "x.gif"])
def test_a_contact_sheet_shows_the_first_frame_and_the_last(tmp_path, name):
    with Film(tmp_path / name, SIZE, 30) as film:
        film.begin({})
        fill(film, 30)
        film.sheet(tmp_path / "sheet.png")
    sheet = np.asarray(Image.open(tmp_path / "sheet.png")).astype(int)
    assert sheet.shape == (6 + 3 * 54, 6 + 4 * 70, 3)
    assert np.abs(sheet[6:54, 6:70] - shot(0)).mean() < 4
    assert np.abs(sheet[-54:-6, -70:-6] - shot(29)).mean() < 4


def test_a_picture_shows_itself_and_saves_itself(tmp_path):
    image = shot(3).view(Picture)
    assert image._repr_png_().startswith(b"\x89PNG")
    assert image[0]._repr_png_() is None and image.mean() > 0
    image.save(tmp_path / "new" / "x.png")
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "new" / "x.png")), image)
    image.save(tmp_path / "x.jpg")
    for name in ("x.xyz", "new", "new/x.png/y.png"):
        with pytest.raises(koski.InputError):
            image.save(tmp_path / name)


def test_sizes_are_read_and_checked():
    assert sized("1280x720") == sized("1280×720") == sized((1280, 720)) == (1280, 720)
    for wrong in ("", "1280", "x720", "8x8", "9000x720", "1280x-720", (0, 5), (5,), None, "axb"):
        with pytest.raises(koski.InputError):
            sized(wrong)


def test_what_was_asked_is_written_beside_the_parts(tmp_path):
    film = Film(tmp_path / "x.mp4", SIZE, 30)
    film.begin({"what": "river"})
    assert json.loads((tmp_path / "x.mp4.parts" / "film.json").read_text()) == {"what": "river"}
