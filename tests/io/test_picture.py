import sys
from dataclasses import replace

import numpy as np
import pytest

import koski
from koski import landscape
from koski.io import picture


def still(terrain, level, **more):
    """Water that stands at a level."""
    b = np.asarray(terrain.b)
    d = np.maximum(level - b, 0).astype(np.float32)
    return koski.Frame(d, b + d, 0 * d, 0 * d, np.float32(12.34), **more)


@pytest.fixture(scope="module")
def lake():
    terrain = landscape.basin(32, seed=1)
    return still(terrain, 0.0), terrain


def test_water_is_bluer_than_land(lake):
    rgb = picture.paint(picture.look(*lake), (160, 160))
    wet = np.kron(np.asarray(lake[0].depth) > 0.3, np.ones((5, 5), bool))
    dry = np.kron(np.asarray(lake[1].b) > 1, np.ones((5, 5), bool))
    blue = rgb[..., 2] - rgb[..., 0]
    assert blue[wet].mean() > 0.2
    assert blue[dry].mean() < 0
    assert np.percentile(blue[wet], 5) > np.percentile(blue[dry], 95)


@pytest.mark.parametrize("way", [1, -1])
def test_water_never_bleeds_over_dry_land_more_than_half_a_cell(way):
    b = np.zeros((16, 16), np.float32)
    b[:, 8:] = 1.0
    terrain = koski.Terrain.create(b[:, ::way])
    wet = picture.paint(picture.look(still(terrain, 0.9), terrain), (320, 320))
    bare = picture.paint(picture.look(still(terrain, -1.0), terrain), (320, 320))
    changed = (np.abs(wet - bare).max(-1) > 1e-3).any(0)[::way]
    assert changed[:150].all()
    assert not changed[171:].any()  # the shore is at 160, a cell is 20 wide


@pytest.mark.parametrize("shape", [(24, 24), (24, 40), (10, 200), (200, 10), (1, 60), (60, 1)])
def test_a_picture_has_a_long_side_of_1200_pixels_at_any_aspect(shape):
    terrain = landscape.hills(shape)
    image = picture.draw(still(terrain, 12.0), terrain, "A title, with a $ in it")
    assert image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3
    assert 1150 <= max(image.shape) <= 1250
    assert min(image.shape[:2]) >= 200
    assert image.std() > 10


@pytest.mark.parametrize("level", [-100.0, 100.0], ids=["dry", "all wet"])
@pytest.mark.parametrize("size", [16, (1, 16)])
def test_a_frame_all_dry_or_all_wet_can_be_drawn(level, size):
    terrain = landscape.hills(size)
    image = picture.draw(still(terrain, level), terrain)
    blue = image[..., 2].astype(int) - image[..., 0]
    assert ((blue > 60).mean() > 0.2) == (level > 0)


def test_flat_ground_and_calm_water_show_no_noise():
    terrain = koski.Terrain.create(np.zeros((16, 16)))
    rgb = picture.paint(picture.look(still(terrain, 1.0), terrain), (64, 64))
    assert np.ptp(rgb.reshape(-1, 3), axis=0).max() < 0.01


def test_flow_shows_only_where_water_moves():
    terrain = koski.Terrain.create(np.zeros((32, 32)))
    frame = still(terrain, 1.0)
    u = np.zeros((32, 32), np.float32)
    u[16:] = 1.0
    rgb = picture.paint(picture.look(replace(frame, u=u), terrain), (128, 128))
    assert rgb[:56].std(axis=(0, 1)).max() < 0.005
    assert rgb[72:].std(axis=(0, 1)).max() > 0.02


def test_dye_tints_the_water_where_it_is(lake):
    frame, terrain = lake
    dye = np.zeros((32, 32), np.float32)
    dye[:, 16:] = 3.0
    plain = picture.paint(picture.look(frame, terrain), (64, 64))
    dyed = picture.paint(picture.look(replace(frame, dyes={"ink": dye}), terrain), (64, 64))
    change = np.abs(dyed - plain).max(-1)
    assert change[28:36, 40:44].min() > 0.2
    assert change[:, :24].max() < 0.01
    assert picture.draw(replace(frame, dyes={"ink": dye}), terrain).shape[2] == 3


def test_the_same_frame_gives_the_same_picture(lake):
    assert (picture.draw(*lake, "once") == picture.draw(*lake, "once")).all()


@pytest.mark.parametrize("field", ["depth", "u"])
def test_water_that_is_not_finite_is_refused_in_a_sentence(lake, field):
    bad = np.asarray(getattr(lake[0], field)).copy()
    bad[3, 4] = np.nan
    with pytest.raises(koski.InputError, match="1 values that are not finite"):
        picture.draw(replace(lake[0], **{field: bad}), lake[1])


def test_a_frame_of_another_terrain_is_refused(lake):
    with pytest.raises(koski.InputError, match="terrain"):
        picture.draw(lake[0], landscape.hills(16))


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "pdf", "svg"])
def test_a_picture_is_saved_as_what_its_suffix_says(tmp_path, lake, suffix):
    start = {"png": b"\x89PNG", "jpg": b"\xff\xd8", "webp": b"RIFF", "pdf": b"%PDF", "svg": b"<?xm"}
    path = tmp_path / f"lake.{suffix}"
    picture.save(path, *lake, "Lake")
    assert path.read_bytes().startswith(start[suffix])
    assert list(tmp_path.iterdir()) == [path]


def test_a_save_that_fails_leaves_the_old_picture_and_nothing_else(tmp_path, lake, monkeypatch):

    path = tmp_path / "lake.png"
    path.write_bytes(b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(koski.InputError, match="No space left"):
        picture.save(path, *lake)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["lake", "lake.xyz", "lake.", ""])
def test_a_path_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, lake, name):
    with pytest.raises(koski.InputError):
        picture.check(tmp_path / name)
    with pytest.raises(koski.InputError):
        picture.save(tmp_path / name, *lake)
    assert not list(tmp_path.iterdir())


def test_a_folder_is_no_picture(tmp_path):
    (tmp_path / "album.png").mkdir()
    with pytest.raises(koski.InputError, match="folder"):
        picture.check(tmp_path / "album.png")


def test_checking_a_good_path_writes_nothing(tmp_path):
    picture.check(tmp_path / "lake.PNG")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_message_names_what_to_install(lake, monkeypatch):
    for name in [n for n in sys.modules if n.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(koski.InputError, match=r"pip install 'koski\[picture\]'"):
        picture.draw(*lake)
