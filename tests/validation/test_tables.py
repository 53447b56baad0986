"""The tables of docs/validation.md are those that `python -m koski.validate` prints."""

import re
from pathlib import Path

import numpy as np

from koski.validate import __main__ as tables
from koski.validate import measure

DOCS = Path(__file__).parents[2] / "docs/validation.md"


def rows(text: str) -> list[str]:
    """The first cells of all rows, down to the last of the tables with a row for each solver."""
    names = re.findall(r"^\| ([\w-]+) \|", text.partition("## Drops")[0], re.MULTILINE)
    return [name for name in names if name.strip("-")]


def test_the_tables_have_a_row_for_each_solver(monkeypatch, capsys):
    front = np.linspace(0, 1, 3), np.array([2.0, 1.5, 1.0]), np.array([2.0, 1.5, 1.0])
    monkeypatch.setattr(measure, "radial_dam_break", lambda solver, outside: front)
    monkeypatch.setattr(measure, "front", lambda r, depth, outside: 1.0)
    for name in ("dam_break_error", "wave_speed_error", "seiche_period_error"):
        monkeypatch.setattr(measure, name, lambda *_: 0.01)
    tables.main()
    assert rows(capsys.readouterr().out) == rows(DOCS.read_text(encoding="utf-8"))
