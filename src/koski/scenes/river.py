"""A spring feeds a river that finds its way down a winding valley.

Look for the front running down the dry bed, pools that fill and spill, faster water on the
outside of the bends.
"""

from koski import landscape
from koski.core.edges import Drain, Edges
from koski.scene import Scene, Spring, lowest
from koski.solvers.shallow import ShallowWater

WIDTH = 512.0  # [m]


def scene(size: int = 256) -> Scene:
    terrain = landscape.valley(size, cell=WIDTH / size, seed=3, edges=Edges(east=Drain()))
    x, y = lowest(terrain, 0.03)
    spring = Spring(x, y, discharge=40.0, radius=8.0)
    return Scene(
        "",
        terrain,
        solver=ShallowWater(manning=0.03),
        springs=(spring,),
        seconds=240.0,
        view="eye:210,262,14,285,225,2",
    )
