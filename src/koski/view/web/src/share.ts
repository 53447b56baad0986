import type { App } from "./app";
import type { Look } from "./draw/view";

const WATERS = ["pure", "lake", "chlorophyll", "silt", "glacier"];

/** An address that opens this scene with these numbers, light and camera. */
export function link(app: App): string {
  const { world, view } = app;
  const said = new URLSearchParams();
  if (world) {
    said.set("scene", world.scene);
    said.set("cells", String(Math.max(world.nx, world.ny)));
    said.set("solver", world.solver);
    said.set("coupling", world.coupling);
    for (const { path, value } of world.knobs) said.set(`knob.${path}`, String(Number(value.toPrecision(6))));
    if (world.rain) said.set("rain", String(world.rain));
  }
  said.set("hour", String(view.look.hour));
  said.set("water", view.look.water);
  said.set("camera", view.camera());
  return `${location.origin}${location.pathname}#${said}`;
}

/** Apply what the page's address says; what belongs to the world waits until it is the right one. */
export class Shared {
  private readonly said = new URLSearchParams(location.hash.slice(1));
  private asked = ""; // what we wait for

  constructor(private readonly app: App) {
    const { said } = this, { look } = app.view;
    const hour = Number(said.get("hour") ?? NaN);
    if (hour >= 0 && hour <= 24) look.hour = hour;
    if (WATERS.includes(said.get("water") ?? "")) look.water = said.get("water") as Look["water"];
    if (said.get("quality") === "low" || said.get("quality") === "high") look.quality = said.get("quality") as Look["quality"];
    app.tell("look", undefined);
    app.on("stats", () => this.next());
  }

  /** One step a time: the scene, then solver and coupling, then their numbers, then the camera. */
  private next(): void {
    const { said, app } = this, { world, welcome, stats } = app;
    if (!world || !welcome || !stats?.hand || ![...said.keys()].length) return;
    const scene = said.get("scene"), cells = Number(said.get("cells")) || null;
    const same = world.scene === scene && (!cells || Math.max(world.nx, world.ny) === cells);
    const known = welcome.scenes.some(({ name }) => name === scene);
    if (scene && known && !same && this.asked !== "scene") {
      this.asked = "scene";
      return app.send({ type: "Open", scene, cells });
    }
    if (this.asked === "scene" && !same && world.scene !== scene) return;
    this.settle();
  }

  private settle(): void {
    const { said, app } = this, { world, welcome } = app;
    const solver = said.get("solver"), coupling = said.get("coupling");
    if (solver && welcome!.solvers.includes(solver) && solver !== world!.solver && this.asked !== "solver") {
      this.asked = "solver";
      return app.send({ type: "Solver", name: solver });
    }
    if (this.asked === "solver" && solver !== world!.solver) return;
    if (coupling && welcome!.couplings.includes(coupling) && coupling !== world!.coupling) app.send({ type: "Coupling", name: coupling });
    for (const { path, value } of world!.knobs) {
      const wanted = Number(said.get(`knob.${path}`) ?? NaN);
      if (Number.isFinite(wanted) && wanted !== value) app.send({ type: "Knob", path, value: wanted });
    }
    const rain = Number(said.get("rain") ?? NaN);
    if (rain >= 0) app.send({ type: "Rain", rate: rain });
    if (said.get("camera")) app.view.aim(said.get("camera")!);
    for (const key of [...said.keys()]) said.delete(key); // done
  }
}
