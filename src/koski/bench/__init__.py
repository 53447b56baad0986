"""How fast koski is here: its solvers, its peers and the memory they share."""

from koski.bench.bandwidth import copy_bandwidth
from koski.bench.contenders import choose
from koski.bench.report import table, text, to_json
from koski.bench.rows import Bench, Row, check_size, default_sizes, measure

__all__ = [
    "Bench",
    "Row",
    "check_size",
    "choose",
    "copy_bandwidth",
    "default_sizes",
    "measure",
    "table",
    "text",
    "to_json",
]
