import json
import random

import pytest

from koski.core.errors import InputError
from koski.view import messages as m
from koski.view import typescript

GOOD = [
    m.Look(0, 0, 10, 10, "blocked"),
    m.Ack(7),
    m.Touch("pour", "down", 1, 2, 3, 4, 1, None),
    m.Drop("car", 1, 2, 1, 0),
    m.Spring(1, 2, -3, 1),
    m.Unspring(1, 2),
    m.Unbody(3),
    m.Rain(20),
    m.Undo(),
    m.Redo(),
    m.Clock("pause"),
    m.Speed(1),
    m.Open("river", None),
    m.Solver("pipe"),
    m.Coupling("mixed"),
    m.Knob("base.friction", 0.1),
    m.Edge("west", "level", 1),
    m.Hand(True),
    m.Clean(),
]


@pytest.mark.parametrize("message", GOOD, ids=lambda x: type(x).__name__)
def test_what_is_written_is_read(message):
    assert m.read(m.write(message)) == message


def test_every_message_of_a_page_is_tried():
    assert {type(x) for x in GOOD} == set(m.READ.values())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"type":"Nothing"}',
        '{"type":["Ack"]}',
        '{"type":"Ack"}',
        '{"type":"Ack","seq":1,"more":2}',
        '{"type":"Ack","seq":"1"}',
        '{"type":"Ack","seq":true}',
        '{"type":"Ack","seq":-1}',
        '{"type":"Ack","seq":1.5}',
        '{"type":"Speed","factor":NaN}',
        '{"type":"Speed","factor":Infinity}',
        '{"type":"Speed","factor":1e999}',
        '{"type":"Speed","factor":1e9}',
        '{"type":"Speed","factor":' + "9" * 5000 + "}",
        '{"type":"Hand","want":1}',
        '{"type":"Solver","name":"' + "x" * 201 + '"}',
        '{"type":"Clock","action":"explode"}',
        '{"type":"Clock","action":["pause"]}',
        "[" * 100_000,
    ],
    ids=lambda t: t[:40],
)
def test_what_is_wrong_is_refused_in_one_sentence(text):
    with pytest.raises(InputError) as e:
        m.read(text)
    assert len(str(e.value)) < 600 and "\n" not in str(e.value)


def mutated(rng: random.Random) -> str:
    """A good message with something wrong, or a heap of letters."""
    text = m.write(rng.choice(GOOD))
    way = rng.randrange(4)
    if way == 0:
        raw = json.loads(text)
        name = rng.choice(list(raw))
        values = [None, True, -1, 1e308, 2**80, "", "x" * 500, [], {}, [[]], float("nan"), 0.5]
        raw[name] = rng.choice(values)
        return json.dumps(raw)
    if way == 1:
        k = rng.randrange(len(text))
        return text[:k] + chr(rng.randrange(1, 0x2FF)) + text[k + rng.randrange(2) :]
    if way == 2:
        return text[: rng.randrange(len(text))]
    return "".join(chr(rng.randrange(32, 127)) for _ in range(rng.randrange(200)))


def test_ten_thousand_mutated_messages_are_read_or_refused():
    rng, refused = random.Random(1), 0
    for _ in range(10_000):
        try:
            assert type(m.read(mutated(rng))) in m.READ.values()
        except InputError:
            refused += 1
    assert 7_000 < refused < 10_000  # most are wrong, and some stay right


def test_the_types_of_the_page_are_fresh():
    assert typescript.FILE.read_text() == typescript.module(), (
        "run  python -m koski.view.typescript"
    )
