import socket

import numpy as np
import pytest
from ponds import pond

from koski import playing
from koski.core.errors import InputError
from koski.view import server
from koski.world import World


def test_a_port_in_use_is_told_and_without_one_the_next_is_taken(monkeypatch):
    with playing.bound("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} .* choose another with --port"):
            playing.bound("127.0.0.1", port)
        monkeypatch.setattr(playing, "PORT", port)
        with playing.bound("127.0.0.1", None) as second:
            assert second.getsockname()[1] != port


@pytest.mark.parametrize(("host", "port"), [("no such host.", 1), ("127.0.0.1", 99999)])
def test_an_address_that_is_none_is_told(host, port):
    with pytest.raises(InputError):
        playing.bound(host, port)


def test_only_other_addresses_than_this_machines_own_need_a_token():
    assert all(map(playing.is_loopback, ("127.0.0.1", "localhost", "::1", "127.0.1.1")))
    assert not any(map(playing.is_loopback, ("0.0.0.0", "192.168.1.5", "example.org")))
    assert playing.address("192.168.1.5", 80, "abc") == "http://192.168.1.5:80/?token=abc"
    assert playing.address("::1", 80, None) == "http://[::1]:80/"
    assert socket.gethostname() in playing.address("0.0.0.0", 80, "abc")


def test_without_a_screen_no_browser_is_tried(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(playing.sys, "platform", "linux")
    monkeypatch.setattr(playing.webbrowser, "open", lambda link: pytest.fail("it was opened"))
    assert not playing.open_browser("http://127.0.0.1")


def test_a_page_that_is_not_built_says_how_to(tmp_path):
    with pytest.raises(InputError, match="not built: run"):
        server.page(tmp_path)


def test_scenes_heightmaps_and_saved_worlds_can_be_played(tmp_path):
    assert playing.checked("lake-drop", None, None, 32)().scene.name == "lake-drop"
    np.save(tmp_path / "hill.npy", np.eye(8))
    assert playing.checked(str(tmp_path / "hill.npy"), None, None, None)().scene.rain > 0
    World(pond().scene).save(tmp_path / "pond.koski")
    origin = playing.checked(str(tmp_path / "pond.koski"), None, None, None)()
    assert origin.name == "pond" and origin.saved
    for wrong in (("rivr", None, None, None), ("river", "magic", None, None)):
        with pytest.raises(InputError, match=r"did you mean|there are"):
            playing.checked(*wrong)
    with pytest.raises(InputError, match="cells"):
        playing.checked("river", None, None, 3)
