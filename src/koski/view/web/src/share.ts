import type { App } from "./app";
import type { Look } from "./draw/view";
import type { WorldInfo } from "./messages";

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
  private readonly steps = [() => this.scene(), () => this.solver(), () => this.numbers()];
  private waiting: (world: WorldInfo) => boolean = () => false;

  constructor(private readonly app: App) {
    const { said } = this, { look } = app.view;
    const hour = Number(said.get("hour") ?? NaN);
    if (hour >= 0 && hour <= 24) look.hour = hour;
    if (WATERS.includes(said.get("water") ?? "")) look.water = said.get("water") as Look["water"];
    if (said.get("quality") === "low" || said.get("quality") === "high") look.quality = said.get("quality") as Look["quality"];
    app.tell("look", undefined);
    app.on("stats", ({ hand }) => {
      if (hand && app.world && app.welcome && !this.waiting(app.world)) this.steps.shift()?.();
    });
  }

  private scene(): void {
    const { said, app } = this, scene = said.get("scene"), cells = Number(said.get("cells")) || null;
    const { epoch, nx, ny, scene: now } = app.world!;
    if (!scene || !app.welcome!.scenes.some(({ name }) => name === scene)) return;
    if (now === scene && (!cells || Math.max(nx, ny) === cells)) return;
    app.send({ type: "Open", scene, cells });
    this.waiting = (world) => world.epoch === epoch;
  }

  private solver(): void {
    const { said, app } = this, { solver, coupling } = app.world!;
    const other = said.get("solver"), meeting = said.get("coupling");
    if (meeting && meeting !== coupling && app.welcome!.couplings.includes(meeting)) app.send({ type: "Coupling", name: meeting });
    if (!other || other === solver || !app.welcome!.solvers.includes(other)) return;
    app.send({ type: "Solver", name: other });
    this.waiting = (world) => world.solver !== other;
  }

  private numbers(): void {
    const { said, app } = this;
    for (const { path, value } of app.world!.knobs) {
      const wanted = Number(said.get(`knob.${path}`) ?? NaN);
      if (Number.isFinite(wanted) && wanted !== value) app.send({ type: "Knob", path, value: wanted });
    }
    const rain = Number(said.get("rain") ?? NaN);
    if (rain >= 0) app.send({ type: "Rain", rate: rain });
    const camera = said.get("camera");
    if (camera) app.view.aim(camera);
  }
}
