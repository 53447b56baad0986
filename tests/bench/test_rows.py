import json
import subprocess
import sys

import pytest

from koski.bench import __main__ as command
from koski.bench import choose, measure, rows, table, text, to_json
from koski.core.errors import InputError


@pytest.fixture
def quick(monkeypatch):
    """No time spent on the memory's speed."""
    monkeypatch.setattr(rows, "copy_bandwidth", lambda: 1e10)


@pytest.mark.long
def test_a_tiny_run_has_rows_of_the_right_shape(quick):
    bench = measure(choose(["pipe", "linear", "shallow"]), [32], peers=True, rounds=1, seconds=0.0)
    data = json.loads(json.dumps(to_json(bench)))
    assert set(data) == {"device", "rows", "copy_gb_s"} and data["copy_gb_s"] == 10
    names = ["pipe", "linear", "shallow", "peer:numpy", "peer:numba"]
    assert [r["name"] for r in data["rows"]] == names
    for r in data["rows"]:
        assert set(r) == {"name", "size", "ms", "mcells", "rtkc", "bandwidth_share"}
        assert r["size"] == 32 and r["ms"] > 0 and r["rtkc"] > 0
        assert r["mcells"] == pytest.approx(32 * 32 / r["ms"] / 1e3)
        assert r["bandwidth_share"] == pytest.approx(28 * r["mcells"] * 1e6 / 1e10)
    assert "× numba" in text(bench) and "a full step takes" in text(bench)
    assert table(bench).row_count == len(names)


@pytest.mark.parametrize(("name", "near"), [("pip", "pipe"), ("shalow", "shallow")])
def test_an_unknown_solver_is_answered_with_the_nearest(name, near):
    with pytest.raises(InputError, match=f"did you mean '{near}'"):
        choose([name])


@pytest.mark.parametrize("wrong", [["--size", "0"], ["--size", "big"], ["--solver", "qqq"]])
def test_bad_arguments_give_one_sentence_and_code_two(wrong, capsys):
    assert command.main(wrong) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1


def test_the_command_prints_json(quick, capsys):
    assert command.main(["--size", "16", "--solver", "pipe", "--json"]) == 0
    assert [r["name"] for r in json.loads(capsys.readouterr().out)["rows"]] == ["pipe"]


def test_importing_the_bench_needs_only_jax_and_numpy():
    block = "import sys; sys.modules.update(dict.fromkeys(['numba', 'rich', 'typer']))"
    code = f"{block}; import koski.bench.__main__"
    subprocess.run([sys.executable, "-c", code], check=True)
