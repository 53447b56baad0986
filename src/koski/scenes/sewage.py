"""A pipe spills sewage into a river: the plume hugs its bank, mixes and is carried away.

The amount of dye is exact: what has left the spill is in the water, or over the edge.
"""

from dataclasses import replace

from koski.scene import Scene, Spring, lowest
from koski.scenes import river

CONCENTRATION = 1.0  # of what the pipe spills [kg/m³]


def scene(size: int = 256) -> Scene:
    clean = river.scene(size)
    x, y = lowest(clean.terrain, 0.35)
    pipe = Spring(x, y, discharge=2.0, radius=4.0, dyes={"sewage": CONCENTRATION})
    return replace(clean, springs=(*clean.springs, pipe), view="eye:230,330,22,176,296,3")
