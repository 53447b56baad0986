"""The command line, as a user meets it."""

import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import xarray as xr
from PIL import Image

from koski import cli
from koski.core.errors import InputError
from koski.running import Scale, compiling, find_scene


def koski(*arguments, cwd=None, **env):
    return subprocess.run(
        [sys.executable, "-m", "koski.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"COLUMNS": "200"} | env,
        timeout=300,
    )


def test_scenes_are_listed_with_what_to_see():
    done = koski("scenes")
    assert done.returncode == 0
    assert "whirlpool" in done.stdout and "dam breaks" in done.stdout


def test_a_run_prints_one_json_object_last_and_writes_what_it_was_asked_to(tmp_path):
    out, picture = tmp_path / "x.zarr", tmp_path / "new" / "x.png"
    done = koski(
        *("run", "sewage", "--size", 48, "--seconds", 6, "--fps", 4, "--json"),
        *("--out", out, "--picture", picture),
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    asked = "scene solver cells steps seconds wall_s rtkc volume min_depth max_speed finite"
    assert sorted(report) == sorted(asked.split(" "))
    assert set(report["volume"]) == {"start", "in", "out", "end", "drift"}
    assert report["scene"] == "sewage" and report["solver"] == "shallow"
    assert report["cells"] == 48 * 48 and report["finite"] and report["min_depth"] >= 0
    v = report["volume"]
    assert v["end"] == pytest.approx(v["start"] + v["in"] - v["out"], rel=1e-6)
    assert picture.stat().st_size > 10_000
    data = xr.open_zarr(out)
    assert dict(data.sizes) == {"time": 24, "y": 48, "x": 48}
    assert data.depth.attrs["units"] == "m" and data.u.attrs["units"] == "m s-1"
    assert data.depth.attrs["standard_name"] == "flood_water_thickness"
    assert data.attrs["scene"] == "sewage" and data.attrs["solver"] == "shallow"
    assert json.loads(data.attrs["parameters"])["manning"] == 0.03
    assert data.attrs["Conventions"].startswith("CF-")
    cell = data.attrs["cell"]
    np.testing.assert_allclose(data.x, (np.arange(48) + 0.5) * cell)
    np.testing.assert_allclose(data.time, np.arange(1, 25) / 4, rtol=1e-5)
    np.testing.assert_allclose(data.surface, data.depth + data.ground, atol=1e-4)
    assert float(data.dye_sewage.max()) > 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new", "x.zarr"]
    again = koski("run", "sewage", "--size", 48, "--seconds", 1, "--out", out)  # replaced, whole
    assert again.returncode == 0 and xr.open_zarr(out).sizes["time"] == 10


def test_a_heightmap_is_rained_on(tmp_path):
    y, x = np.mgrid[:40, :50]
    np.save(tmp_path / "hill.npy", 5 * np.sin(x / 9) * np.cos(y / 7))
    done = koski("run", tmp_path / "hill.npy", "--seconds", 30, "--solver", "pipe", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["cells"] == 2000 and report["volume"]["in"] > 0 and report["solver"] == "pipe"


def bad(tmp_path):
    (tmp_path / "text.png").write_text("not a picture")
    (tmp_path / "words.txt").write_text("hello")
    (tmp_path / "short.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    np.save(tmp_path / "nan.npy", np.full((4, 4), np.nan))
    np.save(tmp_path / "one.npy", np.zeros((1, 1)))
    np.save(tmp_path / "pickle.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(tmp_path / "empty.npz", "w"):
        pass
    (tmp_path / "file").write_text("")
    return {
        "unknown scene": ["dam-brake"],
        "unknown solver": ["river", "--solver", "pip"],
        "tiny": ["river", "--size", 1],
        "huge": ["river", "--size", 10_000_000],
        "negative time": ["river", "--seconds", -1],
        "no time": ["river", "--seconds", "nan"],
        "all time": ["river", "--seconds", 1e300],
        "bad fps": ["river", "--fps", 0],
        "missing file": [tmp_path / "missing.png"],
        "no name": ["x" * 300],
        "no name of a file": ["x" * 300 + ".png"],
        "text": [tmp_path / "text.png"],
        "words": [tmp_path / "words.txt"],
        "truncated": [tmp_path / "short.png"],
        "nan": [tmp_path / "nan.npy"],
        "one cell": [tmp_path / "one.npy"],
        "pickle": [tmp_path / "pickle.npy"],
        "empty archive": [tmp_path / "empty.npz"],
        "folder": [tmp_path],
        "picture kind": ["river", "--picture", tmp_path / "x.xyz"],
        "picture under a file": ["river", "--picture", tmp_path / "file" / "x.png"],
        "store under a file": ["river", "--out", tmp_path / "file" / "x.zarr"],
        "store over a file": ["river", "--out", tmp_path / "words.txt"],
        "store in a folder of no name": ["river", "--out", tmp_path / ("x" * 300) / "x.zarr"],
        "store of no name": ["river", "--out", tmp_path / ("x" * 300)],
        "picture of no name": ["river", "--picture", tmp_path / ("x" * 300 + ".png")],
        "size of a heightmap": [tmp_path / "nan.npy", "--size", 64],
    }


def test_a_mistake_gets_one_sentence_and_code_two_and_writes_nothing(tmp_path, monkeypatch, capsys):
    for name, arguments in bad(tmp_path).items():
        before = sorted(p.name for p in tmp_path.rglob("*"))
        monkeypatch.setattr(sys, "argv", ["koski", "run", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capsys.readouterr()
        assert stop.value.code == 2, (name, out, err)
        assert len(err.strip().splitlines()) == 1, (name, err)
        assert out == "", name
        assert sorted(p.name for p in tmp_path.rglob("*")) == before, name


def test_a_mistake_on_the_command_line_leaves_no_traceback():
    done = koski("run", "dam-brake")
    assert done.returncode == 2 and done.stdout == ""
    assert "dam-break" in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_a_bench_prints_its_json_last():
    done = koski("bench", "--size", 16, "--solver", "pipe", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout.splitlines()[-1])
    assert data["rows"][0]["name"] == "pipe" and data["rows"][0]["size"] == 16
    assert koski("bench", "--solver", "nope").returncode == 2


def test_the_threads_to_compute_on_can_be_chosen():
    done = koski("--threads", 1, "bench", "--size", 16, "--solver", "pipe", "--json")
    assert "1 of its threads" in json.loads(done.stdout.splitlines()[-1])["device"]
    assert koski("--threads", 0, "scenes").returncode == 2


def test_the_second_start_finds_what_the_first_compiled(tmp_path):
    for _ in range(2):
        done = koski("run", "dam-break", "--size", 32, "--seconds", 1, XDG_CACHE_HOME=str(tmp_path))
        assert done.returncode == 0, done.stderr
        kept = set((tmp_path / "koski" / "xla").iterdir())
        assert kept


def test_a_heightmap_is_as_large_as_one_says(tmp_path):
    shades = np.arange(48, dtype=np.uint8).reshape(6, 8) * 5
    Image.fromarray(shades).save(tmp_path / "map.png")
    scene = find_scene(str(tmp_path / "map.png"), None, None, Scale(cell=5.0, height=100.0))
    assert scene.terrain.grid.cell == 5.0
    assert np.ptp(scene.terrain.b) == pytest.approx(100 * 235 / 255, rel=1e-3)
    with pytest.raises(InputError, match="is a scene"):
        find_scene("dam-break", None, None, Scale(cell=5.0))


def test_the_time_that_compiling_took_is_told_apart():
    assert compiling([6.0, 0.1, 0.1, 0.2]) == pytest.approx(5.9)
    assert compiling([6.0]) == compiling([]) == 0
    assert compiling([0.1, 0.2, 0.3]) == 0


def test_the_version_is_told():
    assert koski("--version").stdout.startswith("koski 0.")
