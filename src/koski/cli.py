"""The command line: koski scenes | play | run | film | picture | bench."""

import os
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


def tell_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        screen.print(f"koski {version('koski')}", highlight=False)
        raise typer.Exit


@app.callback()
def koski(
    version: Annotated[
        bool, typer.Option("--version", callback=tell_version, is_eager=True, help="Tell it.")
    ] = False,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Compute on so many threads of the CPU (default: all)."),
    ] = None,
) -> None:
    """Interactive water: rivers, floods, dams and waves on large terrains."""
    if threads is not None:  # JAX and Numba look at these when they first compute
        os.environ |= {"PJRT_NPROC": str(threads), "NUMBA_NUM_THREADS": str(threads)}


@app.command("scenes")
def list_scenes() -> None:
    """List the scenes and what there is to see in each."""
    from koski import scenes

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name in scenes.names():
        table.add_row(f"[bold cyan]{name}[/]", scenes.about(name))
    screen.print(table)


What = Annotated[
    str, typer.Argument(metavar="SCENE_OR_HEIGHTMAP", help="A scene's name or a heightmap file.")
]
Solver = Annotated[
    str | None, typer.Option(help="pipe, shallow, linear, … (default: the scene's own).")
]
Coupling = Annotated[
    str | None,
    typer.Option(help="How bodies and water meet: mixed, two-layer, one-layer, floaters."),
]
Cells = Annotated[int | None, typer.Option(help="Cells along the longer side of a scene.")]
Cell = Annotated[float | None, typer.Option(help="Side of a cell of a heightmap [m].")]
Height = Annotated[
    float | None, typer.Option(help="What the range of a heightmap's image stands for [m].")
]
View = Annotated[
    str | None,
    typer.Option(
        help="orbit:azimuth=30,elevation=20,distance=80,turn=10 | fly:FILE.json | follow:0"
        " | eye:x,y,z,tx,ty,tz (default: the scene's own, or a view of all)."
    ),
]
Size = Annotated[str, typer.Option(help="Width and height [px].")]
Quality = Annotated[str, typer.Option(help="draft, good or best.")]
Sun = Annotated[
    str | None,
    typer.Option(help="Its elevation and azimuth [°], from the east counter-clockwise: 35,215."),
]
WaterKind = Annotated[
    str | None, typer.Option(help="What is in it: pure, lake, chlorophyll, silt, glacier.")
]


@app.command()
def play(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENE]", help="A scene's name, a heightmap or a saved world (river-dam)."
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to serve at (default: a free one).")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to serve at; others than this machine need the link.")
    ] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    solver: Solver = None,
    coupling: Coupling = None,
    cells: Cells = None,
    cell: Cell = None,
    height: Height = None,
) -> None:
    """Put your hands into the water, in a browser."""
    from koski import playing

    playing.play(what, port, host, browser, solver, coupling, cells, (cell, height))


@app.command()
def run(
    what: What,
    solver: Solver = None,
    coupling: Coupling = None,
    size: Annotated[
        int | None, typer.Option(help="Cells along the longer side of a scene.")
    ] = None,
    cell: Cell = None,
    height: Height = None,
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

    scale = running.Scale(cell, height)
    running.run(what, solver, coupling, size, scale, seconds, fps, out, picture, json)


@app.command()
def film(
    what: What,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="An .mp4, a .gif, or a folder or name%04d.png for PNGs."),
    ],
    seconds: Annotated[float, typer.Option(help="How long the film is [s].")] = 10.0,
    start: Annotated[float, typer.Option(help="When it starts [s of the water's time].")] = 0.0,
    speed: Annotated[float, typer.Option(help="Seconds of the water's time per second.")] = 1.0,
    size: Size = "1280x720",
    fps: Annotated[float, typer.Option(help="Frames per second.")] = 30.0,
    camera: View = None,
    quality: Quality = "good",
    sun: Sun = None,
    water: WaterKind = None,
    solver: Solver = None,
    coupling: Coupling = None,
    cells: Cells = None,
    cell: Cell = None,
    height: Height = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a film that was broken off.")
    ] = False,
    sheet: Annotated[
        Path | None, typer.Option(help="Also write a contact sheet of 12 frames to this file.")
    ] = None,
) -> None:
    """Make a film of a scene, or of rain on a heightmap."""
    from koski import filming

    look = (camera, size, quality, sun, water)
    order = filming.Order(what, solver, coupling, cells, *look, start, fps, speed, cell, height)
    filming.film(order, out, seconds, resume, sheet)


@app.command()
def picture(
    what: What,
    out: Annotated[Path, typer.Option("--out", "-o", help="A .png, .jpg or .webp file.")],
    at: Annotated[float, typer.Option(help="When [s of the water's time].")] = 0.0,
    size: Size = "1280x720",
    camera: View = None,
    quality: Quality = "good",
    sun: Sun = None,
    water: WaterKind = None,
    solver: Solver = None,
    coupling: Coupling = None,
    cells: Cells = None,
    cell: Cell = None,
    height: Height = None,
) -> None:
    """Make one picture of a scene, or of rain on a heightmap."""
    from koski import filming

    look = (camera, size, quality, sun, water)
    order = filming.Order(what, solver, coupling, cells, *look, at, cell=cell, height=height)
    filming.picture(order, out)


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
