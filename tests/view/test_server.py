import asyncio
import json
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest
from ponds import pond
from served import Page, served
from websockets.exceptions import ConnectionClosed, InvalidStatus

from koski.view import viewer as viewers
from koski.view.frames import TILE
from koski.view.game import Game
from koski.view.hand import Hand
from koski.view.server import Server
from koski.view.viewer import Viewer

pytestmark = pytest.mark.xdist_group("test_server")  # they share one game


@pytest.fixture(scope="module")
def place():
    """A pond that is served: its server and port."""
    game = Game(pond)
    game.start()
    with served(game) as (server, port):
        yield server, port
    game.stop()


def fetch(port, path="/", data=None, **headers):
    """Status, headers and body of an answer."""
    names = {k.replace("_", "-"): v for k, v in headers.items()}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, names)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as e:
        return e.code, e.headers, e.read()


def settled(true, seconds=20.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


def test_the_page_comes_with_headers_that_keep_it_to_itself(place):
    status, headers, body = fetch(place[1])
    assert (status, body) == (200, b"<!doctype html>")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers
    assert "immutable" in fetch(place[1], "/assets/a.js")[1]["cache-control"]


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/assets/../../server.py", "/assets/%2e%2e/%2e%2e/server.py", "//etc/passwd"],
)
def test_no_path_reaches_the_disk(place, path):
    assert fetch(place[1], path)[0] == 404


def test_other_hosts_and_sites_are_refused(place):
    _, port = place
    assert fetch(port, Host="evil.example")[0] == 403
    assert fetch(port, Host=f"localhost:{port}")[0] == 200
    assert fetch(port, Origin="http://evil.example")[0] == 403
    assert fetch(port, "/api/world", b"x")[0] == 403  # a post says where it is from
    for origin in ("http://evil.example", f"http://127.0.0.1:{port + 1}", "null", None):
        with pytest.raises(InvalidStatus) as e:
            Page(port, origin=origin)
        assert e.value.response.status_code == 403


def test_a_viewer_is_welcomed_and_sees_the_water_move(place):
    with Page(place[1]) as page:
        welcome = page.until("Welcome")
        assert "river" in {scene["name"] for scene in welcome["scenes"]}
        assert "pipe" in welcome["solvers"] and "mixed" in welcome["couplings"]
        header, fields, _ = page.until("frame", lambda f: f[0]["t"] > 0 or f[1])
        assert header["tile"] == TILE and set(fields) >= {"ground", "surface", "depth", "u", "v"}
        assert np.allclose(fields["ground"][0] + fields["depth"][0], 1.5, atol=1e-3)
        page.touch("pour")
        page.until("frame", lambda f: f[1].get("depth", {0: np.zeros(1)})[0].max() > 1.7)
        page.touch("pour", "up")
        stats = page.until("Stats", lambda s: s["came"] > 0)
        assert stats["hand"] and stats["viewers"] == 1


def test_what_is_wrong_is_answered_with_a_notice(place):
    with Page(place[1]) as page:
        for text in ("nonsense", '{"type":"Speed","factor":1e9}', '{"type":"Explode"}'):
            page.ws.send(text)
            assert page.until("Notice", lambda n: n["level"] == "error")
        page.ws.send(b"\0\1\2")
        assert "text" in page.until("Notice", lambda n: n["level"] == "error")["text"]


def test_who_floods_or_shouts_is_let_go(place):
    with Page(place[1]) as page:
        with pytest.raises(ConnectionClosed) as e:
            for _ in range(3000):
                page.say("Ack", seq=0)
            while True:
                page.hear()
        assert e.value.rcvd.code == 1008 and "slow down" in e.value.rcvd.reason
    with Page(place[1]) as page, pytest.raises(ConnectionClosed) as e:
        page.ws.send("x" * 100_000)
        while True:
            page.hear()
    assert e.value.rcvd.code == 1009


def test_a_viewer_that_stalls_is_owed_no_more_than_two_frames(place, monkeypatch):
    server, port = place
    with Page(port) as page:
        frames = []
        end = time.monotonic() + 2
        while time.monotonic() < end:
            kind, what = page.hear(ack=False) if len(frames) < 2 else ("", None)
            if kind == "frame":
                frames.append(what[0]["seq"])
            elif not kind:
                time.sleep(0.05)
        (viewer,) = server.viewers.values()
        assert len(viewer.flying) == 2 and viewer.stalled
        page.say("Ack", seq=frames[-1])
        header, _, _ = page.until("frame")
        assert header["seq"] > frames[-1] + 20  # what it missed is skipped
        page.until("frame")
    with Page(port) as page:
        monkeypatch.setattr(viewers, "GONE", 0.5)
        with pytest.raises(ConnectionClosed) as e:
            while True:
                page.hear(ack=False)
        assert "a minute" in e.value.rcvd.reason


def test_the_tools_are_one_viewers_and_pass_on_when_it_vanishes(place):
    server, port = place
    first, second = Page(port), Page(port)
    first.until("Stats", lambda s: s["hand"])
    second.until("Stats", lambda s: s["taken"] and not s["hand"])
    second.touch("pour")
    assert "somebody else" in second.until("Notice")["text"]
    second.say("Hand", want=True)
    assert "20 s" in second.until("Notice")["text"]
    first.touch("pour")
    settled(lambda: server.game.box.grip is not None)
    first.ws.socket.close()  # gone without a word
    second.until("Stats", lambda s: s["hand"])
    settled(lambda: server.game.box.grip is None)
    second.ws.close()
    settled(lambda: not server.viewers)


def test_who_goes_at_the_moment_of_news_is_gone():
    async def go():
        server, viewer = Server(Game(pond), {}), Viewer("a")
        sending = asyncio.create_task(server.send(None, viewer))
        await asyncio.sleep(0)  # until it waits for news
        viewer.wake.set()
        sending.cancel()
        await asyncio.wait({sending}, timeout=5)
        assert sending.cancelled()

    asyncio.run(go())


def test_the_tools_of_the_idle_are_for_who_asks():
    now = [0.0]
    hand = Hand(lambda: now[0])
    assert hand.use("a") and not hand.use("b") and not hand.ask("b")
    now[0] = 21.0
    assert not hand.use("b") and hand.ask("b") and not hand.use("a")


def test_ten_that_reconnect_at_once_all_see_the_water(place):
    server, port = place
    seen = []

    def look():
        with Page(port) as page:
            page.until("frame")
        with Page(port) as page:
            page.until("frame")
            seen.append(True)

    threads = [threading.Thread(target=look) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(seen) == 10
    settled(lambda: not server.viewers)


def test_a_world_goes_down_and_comes_up_again_the_same(place):
    server, port = place
    origin = f"http://127.0.0.1:{port}"
    with Page(port) as page:
        name = page.until("Welcome")["viewer"]
        page.until("Stats", lambda s: s["hand"])
        page.touch("raise")
        page.until("frame")
        page.touch("raise", "up")
        page.say("Clock", action="pause")
        page.until("Stats", lambda s: s["paused"])
        ground = np.asarray(server.game.box.world.terrain.b)
        status, headers, data = fetch(port, "/api/world")
        assert status == 200 and "attachment" in headers["content-disposition"]
        page.touch("dig")
        page.touch("dig", "up")
        epoch = server.game.snapshot.epoch
        mine = {"Origin": origin, "X_Koski_Viewer": name}
        assert fetch(port, "/api/world", data, Origin=origin)[0] == 403
        status, _, body = fetch(port, "/api/world", data, **mine)
        assert status == 200 and json.loads(body) == {"scene": "pond"}
        assert server.game.snapshot.epoch == epoch + 1
        assert (np.asarray(server.game.box.world.terrain.b) == ground).all()
        status, _, body = fetch(port, "/api/world", b"PK\3\4 nonsense", **mine)
        assert status == 400 and b"damaged" in body
        status, _, body = fetch(port, "/api/heightmap?cell=x", b"a", **mine)
        assert status == 400 and b"cell must be" in body
        page.say("Clock", action="play")


def test_a_server_that_is_open_to_all_wants_its_token():
    game = Game(pond)
    with served(game, token="secret") as (_, port):
        assert fetch(port)[0] == 403
        assert fetch(port, "/?token=wrong")[0] == 403
        status, headers, _ = fetch(port, "/?token=secret")
        cookie = headers["set-cookie"]
        assert status == 200 and "HttpOnly" in cookie and "SameSite=Strict" in cookie
        kept = cookie.partition(";")[0]
        assert fetch(port, Cookie=kept)[0] == 200
        assert fetch(port, Cookie="koski-token=wrong")[0] == 403
        assert fetch(port, Cookie=kept, Origin="http://evil.example")[0] == 403
        with pytest.raises(InvalidStatus):
            Page(port)
        with Page(port, Cookie=kept) as page:
            assert page.until("Welcome")
