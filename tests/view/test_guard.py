import asyncio

import pytest

from koski.view.guard import Guard, Pace


def status(guard, host, **headers):
    """What a request with these headers is answered."""
    said = []

    async def send(message):
        said.append(message)

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    guard.app = app
    pairs = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    scope = {"type": "http", "method": "GET", "query_string": b""}
    asyncio.run(guard(scope | {"headers": [(b"host", host.encode()), *pairs]}, None, send))
    return said[0]["status"]


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1:8765", 200),
        ("localhost:8765", 200),
        ("[::1]:8765", 200),
        ("127.0.1.1:8765", 200),
        ("127.0.0.1", 403),
        ("127.0.0.1:8766", 403),
        ("127.0.0.1:8765.evil.example", 403),
        ("evil.example:8765", 403),
        ("a; script-src *", 403),
        ("", 403),
    ],
)
def test_only_names_of_this_machine_are_answered(host, answer):
    assert status(Guard(None, 8765, host="127.0.1.1"), host) == answer


def test_port_80_may_be_left_out():
    assert status(Guard(None, 80), "localhost") == 200


@pytest.mark.parametrize("cookie", ["koski-token=x", "koski-token", "=;;=", "a=b; koski-token=ü"])
def test_a_wrong_cookie_is_no_token(cookie):
    guard = Guard(None, 1, token="secret")
    assert status(guard, "any.host:1", cookie=cookie.encode().decode("latin-1")) == 403
    assert status(guard, "any.host:1", cookie="koski-token=secret") == 200


def test_a_burst_is_allowed_and_a_flood_is_not():
    pace = Pace(per_second=0.0, burst=5)
    assert [pace.allows() for _ in range(7)] == [True] * 5 + [False] * 2
