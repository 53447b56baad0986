"""A robot with four driven wheels fords a stream, which carries it some way down.

    python examples/ford.py                  5 seconds, then out/ford.png
    python examples/ford.py --seconds 2

The world's ground is a height field in the robot's MuJoCo model; the stream pushes its chassis and
its wheels, and they stand in its way.
"""

import argparse
from pathlib import Path

import mujoco
import numpy as np

import koski
import koski.mujoco
from koski.io import picture

WHEEL = """
<body name="{name}" pos="{x} {y} -.05">
  <joint name="{name}" axis="0 1 0" damping=".2"/>
  <geom type="cylinder" size=".2 .05" euler="90 0 0" mass="4" friction="1.2" rgba=".15 .15 .15 1"/>
</body>"""
CORNERS = {"fl": (0.35, 0.36), "fr": (0.35, -0.36), "rl": (-0.35, 0.36), "rr": (-0.35, -0.36)}
ROBOT = f"""
<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <worldbody>
    <body name="chassis" pos="1.5 5 1">
      <freejoint/>
      <geom type="box" size=".5 .28 .12" pos="0 0 .08" mass="110" rgba=".95 .7 .1 1"/>
      {"".join(WHEEL.format(name=name, x=x, y=y) for name, (x, y) in CORNERS.items())}
    </body>
  </worldbody>
  <actuator>
    {"".join(f'<velocity joint="{name}" kv="8" forcerange="-60 60"/>' for name in CORNERS)}
  </actuator>
</mujoco>
"""


def banks(cell: float = 0.125) -> koski.Terrain:
    """Two banks and a bed, 10 × 8 m; what leaves in the south comes back in the north."""
    y, x = (np.mgrid[:64, :80] + 0.5) * cell
    bed = 0.55 - 0.5 * np.exp(-(((x - 5) / 1.6) ** 4)) + 0.02 * np.sin(3 * x) * np.sin(3 * y)
    edges = koski.Edges(south=koski.Periodic(), north=koski.Periodic())
    return koski.Terrain.create(bed, cell, edges)


def main(seconds: float) -> None:
    terrain = banks()
    depth = np.maximum(0.36 - np.asarray(terrain.b), 0)
    world = koski.World(terrain, depth=depth, velocity=(0.0, -0.8))
    spec = mujoco.MjSpec.from_string(ROBOT)
    koski.mujoco.ground(spec, world)
    model = spec.compile()
    data = mujoco.MjData(model)
    water = koski.mujoco.Water(model, data, world, kind="blocker")
    data.ctrl[:] = 5.0  # of each wheel [rad/s]
    for k in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
        water.step()
        if k % 500 == 499:
            x, y, _ = data.body("chassis").xpos
            push = sum(body.force for body in water.bodies)
            print(f"{data.time:5.1f} s  at {x:5.2f}, {y:5.2f}  lifted by {push[2]:4.0f} N")
    path = Path("out/ford.png")
    path.parent.mkdir(exist_ok=True)
    picture.save(path, world.frame, terrain, "A robot fords a stream", bodies=world.bodies)
    print(f"drew {path}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=5.0)
    main(options.parse_args().seconds)
