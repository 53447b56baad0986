"""A motor boat goes round an island in a pond, and leaves a wake.

    python examples/boat.py                 12 seconds, then out/boat.png
    python examples/boat.py --seconds 2

The boat is an ordinary MuJoCo model: a hull, and an outboard motor on a hinge with a thruster.
koski makes both float, and lets them push the water aside.
"""

import argparse
from pathlib import Path

import mujoco
import numpy as np

import koski
import koski.mujoco
from koski.io import picture

BOAT = """
<mujoco>
  <option timestep="0.002"/>
  <asset>
    <mesh name="hull" vertex="-1 -.42 .35  -1 .42 .35  .3 -.42 .35  .3 .42 .35  1.2 0 .45
                              -1 -.3 -.2   -1 .3 -.2   .3 -.25 -.2  .3 .25 -.2  .8 0 -.1"/>
  </asset>
  <worldbody>
    <body name="hull" pos="6 6 .9">
      <freejoint/>
      <geom type="mesh" mesh="hull" mass="180" rgba=".85 .2 .15 1"/>
      <geom name="ballast" type="sphere" size=".1" pos="0 0 -.15" mass="120" contype="0"
            conaffinity="0"/>
      <body name="outboard" pos="-1.1 0 0">
        <joint name="rudder" axis="0 0 1" range="-35 35" damping="20"/>
        <geom type="box" size=".08 .05 .3" mass="15" rgba=".2 .2 .25 1" contype="2"
              conaffinity="2"/>
        <site name="propeller" pos="0 0 -.25"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="rudder" joint="rudder" kp="400" ctrlrange="-.6 .6"/>
    <motor name="throttle" site="propeller" gear="1 0 0 0 0 0" ctrlrange="0 3000"/>
  </actuator>
</mujoco>
"""
MARKS = (26.0, 11.0), (24.0, 19.0), (8.0, 19.0), (6.0, 11.0), (8.0, 5.0), (24.0, 5.0)  # [m]


def pond(cell: float = 0.25) -> koski.Terrain:
    """A shallow pond of 32 × 24 m with an island in it."""
    y, x = (np.mgrid[:96, :128] + 0.5) * cell
    bowl = 1.6 * (np.abs((x - 16) / 16) ** 6 + np.abs((y - 12) / 12) ** 6)
    return koski.Terrain.create(bowl + 1.6 * np.exp(-((x - 16) ** 2 + (y - 12) ** 2) / 4), cell)


def steer(data, marks: list) -> None:
    """Head for the next mark at full throttle."""
    x, y, _ = data.body("hull").xpos
    if np.hypot(marks[0][0] - x, marks[0][1] - y) < 3:
        marks.append(marks.pop(0))
    ahead = data.body("hull").xmat.reshape(3, 3)[:, 0]
    off = np.angle(complex(marks[0][0] - x, marks[0][1] - y) / complex(ahead[0], ahead[1]))
    data.actuator("throttle").ctrl = 2500
    data.actuator("rudder").ctrl = 0.4 * data.body("hull").cvel[2] - 0.8 * off


def main(seconds: float) -> None:
    terrain = pond()
    world = koski.World(terrain, depth=np.maximum(0.8 - np.asarray(terrain.b), 0))
    model = mujoco.MjModel.from_xml_string(BOAT)
    data = mujoco.MjData(model)
    water = koski.mujoco.Water(
        model, data, world, bodies=["hull", "outboard"], drag=0.3, kind="blocker"
    )
    marks = list(MARKS)
    for k in range(round(seconds / model.opt.timestep)):
        steer(data, marks)
        mujoco.mj_step(model, data)
        water.step()
        if k % 500 == 499:
            x, y, _ = data.body("hull").xpos
            speed = np.hypot(*water.bodies[0].velocity[:2])
            print(f"{data.time:5.1f} s  at {x:5.2f}, {y:5.2f}  {speed:.2f} m/s")
    path = Path("out/boat.png")
    path.parent.mkdir(exist_ok=True)
    picture.save(path, world.frame, terrain, "A boat and its wake", bodies=world.bodies)
    print(f"drew {path}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=12.0)
    main(options.parse_args().seconds)
