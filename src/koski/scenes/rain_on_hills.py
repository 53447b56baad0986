"""A cloudburst on hills: rills join into streams, hollows fill, and the rest runs off the edge."""

from koski import landscape
from koski.core.edges import Drain, Edges
from koski.scene import Scene
from koski.solvers.shallow import ShallowWater

WIDTH = 512.0  # [m]
RATE = 0.2 / 3600  # 200 mm an hour [m/s]


def scene(size: int = 256) -> Scene:
    edges = Edges.all(Drain())
    terrain = landscape.hills(size, cell=WIDTH / size, relief=60.0, seed=1, edges=edges)
    return Scene(
        "",
        terrain,
        solver=ShallowWater(manning=0.03),
        rain=RATE,
        seconds=600.0,
        view="eye:340,330,30,300,410,2",
    )
