"""The command line: koski scenes | run | bench."""

import sys
from pathlib import Path
from typing import Annotated

from koski.core.errors import InputError

try:
    import typer
    from rich.console import Console
    from rich.table import Table
except ImportError:
    sys.exit("the koski command needs typer and rich: run  pip install 'koski[cli]'")

app = typer.Typer(
    name="koski",
    help="Interactive water: rivers, floods, dams and waves on large terrains.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
screen = Console()
errors = Console(stderr=True)


def main() -> None:
    """Run a command; what the user did wrong is said in one sentence, with exit code 2."""
    try:
        app()
    except InputError as e:
        errors.print(f"koski: {e}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        errors.print("koski: stopped")
        sys.exit(130)


@app.command("scenes")
def list_scenes() -> None:
    """List the scenes and what there is to see in each."""
    from koski import scenes

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name in scenes.names():
        table.add_row(f"[bold cyan]{name}[/]", scenes.about(name))
    screen.print(table)


@app.command()
def run(
    what: Annotated[
        str,
        typer.Argument(metavar="SCENE_OR_HEIGHTMAP", help="A scene's name or a heightmap file."),
    ],
    solver: Annotated[
        str | None, typer.Option(help="pipe, shallow, linear, … (default: the scene's own).")
    ] = None,
    coupling: Annotated[
        str | None,
        typer.Option(help="How bodies and water meet: mixed, two-layer, one-layer, floaters."),
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="Cells along the longer side of a scene.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="How long to run [s of the water's time].")
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(help="Frames per second of the water's time (default: 10, fewer if long)."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write all frames to this Zarr store.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the last frame to this file.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the results as one JSON object, last.")
    ] = False,
) -> None:
    """Run a scene, or rain on a heightmap, and show or keep what comes of it."""
    from koski import running

    running.run(what, solver, coupling, size, seconds, fps, out, picture, json)


@app.command()
def bench(
    solver: Annotated[list[str] | None, typer.Option(help="Time only these solvers.")] = None,
    size: Annotated[list[int] | None, typer.Option(help="Time these sizes: N × N cells.")] = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Also time the pipe step in NumPy and in Numba.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the results as one JSON object, last.")
    ] = False,
) -> None:
    """Time a step of every solver: ms, Mcell/s, rtkc, share of the machine's copy bandwidth."""
    from koski.bench import __main__ as bench_main

    bench_main.run(solver, size, peers, json)


if __name__ == "__main__":
    main()
