"""What was measured, for machines and for people."""

from typing import TYPE_CHECKING

from koski.bench.contenders import PEERS
from koski.bench.rows import Bench, Row

if TYPE_CHECKING:
    from rich.table import Table

HEAD = ("name", "size", "ms", "Mcell/s", "rtkc", "memory")


def to_json(bench: Bench) -> dict:
    """The measurement as plain data."""
    rows = [
        {
            "name": r.name,
            "size": r.size,
            "ms": r.ms,
            "mcells": r.mcells,
            "rtkc": r.rtkc,
            "bandwidth_share": r.bandwidth_share,
        }
        for r in bench.rows
    ]
    return {"device": bench.device, "copy_gb_s": bench.copy_bytes / 1e9, "rows": rows}


def find(bench: Bench, name: str, size: int) -> Row | None:
    return next((r for r in bench.rows if (r.name, r.size) == (name, size)), None)


def title(bench: Bench) -> str:
    return f"{bench.device} · copies {bench.copy_bytes / 1e9:.1f} GB/s, read and written"


def cells(bench: Bench) -> list[list[str]]:
    """The table's head and rows as text, with one more column a peer.

    "memory" is the share of the copy bandwidth used, above 100 % where caches help; a peer's
    column says how many times its speed a row has.
    """
    peers = [p for p in PEERS if any(r.name == p for r in bench.rows)]
    table = [[*HEAD, *(f"× {p.removeprefix('peer:')}" for p in peers)]]
    for r in bench.rows:
        line = [r.name, f"{r.size}²", f"{r.ms:.3f}", f"{r.mcells:.0f}", f"{r.rtkc:.0f}"]
        ratios = [other.ms / r.ms for p in peers if (other := find(bench, p, r.size))]
        table.append([*line, f"{r.bandwidth_share:.0%}", *(f"{x:.2f}" for x in ratios)])
    return table


def notes(bench: Bench) -> list[str]:
    """What a step of the full equations costs beside the linear ones."""
    pairs = [(r, find(bench, "linear", r.size)) for r in bench.rows if r.name == "shallow"]
    return [
        f"{r.size}²: a full step takes {r.ms / linear.ms:.2f} × the time of a linear one"
        for r, linear in pairs
        if linear
    ]


def text(bench: Bench) -> str:
    """The table in plain characters."""
    lines = cells(bench)
    widths = [max(map(len, column)) for column in zip(*lines)]
    body = [
        "  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))])
        for line in lines
    ]
    return "\n".join([title(bench), *body, *notes(bench)])


def table(bench: Bench) -> "Table":
    """The table in colour, for a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    head, *lines = cells(bench)
    caption = "\n".join(notes(bench)) or None
    shown = Table(title=title(bench), caption=caption, box=SIMPLE_HEAD, padding=0)
    for i, name in enumerate(head):
        shown.add_column(name, justify="right" if i else "left", no_wrap=True)
    for i, line in enumerate(lines):
        last = i + 1 == len(lines) or lines[i + 1][1] != line[1]
        shown.add_row(*line, end_section=last)
    return shown
