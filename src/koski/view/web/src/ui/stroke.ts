import type { App } from "../app";
import type { Pick } from "../draw/view";
import type { Touch } from "../messages";
import type { Tool } from "../tools";
import { seldom } from "./dom";

const OFTEN = 25; // between two moves of a hand [ms]
const STILL = 14; // a drag shorter than this does not turn what is dropped [px]
const FLOW = 0.2; // of a spring of strength 1: speed of the water coming up [m/s]

/** One press of a hand with a tool, from down to up. */
export class Stroke {
  private readonly tell = seldom(OFTEN, () => this.open && this.send("move"));
  private open = true;
  private turn = { dx: 0, dy: 0 }; // of what is dropped, as a drag [px]
  private readonly px: { x: number; y: number };
  private readonly height: number; // of the plane that a body is dragged in [m]
  private readonly metre: number; // metres a pixel at the hand

  private constructor(
    private readonly app: App,
    private readonly tool: Tool,
    private place: Pick,
    x: number,
    y: number,
  ) {
    this.px = { x, y };
    this.height = place.z;
    const a = app.view.plane(x, y, place.z), b = app.view.plane(x + 10, y, place.z);
    this.metre = a && b ? Math.hypot(b.x - a.x, b.y - a.y) / 10 : app.world!.cell;
  }

  /** Begin where the pixel shows the world; null where it shows none, or nothing to hold. */
  static begin(app: App, x: number, y: number): Stroke | null {
    const { tool } = app;
    const place = app.world && app.view.pick(x, y);
    if (!place || tool.act === "look") return null;
    if (tool.act === "remove") {
      remove(app, place);
      return null;
    }
    if (tool.act === "spring") {
      spring(app, tool.sign, place);
      return null;
    }
    if (tool.act === "hold" && place.body === null) {
      app.say(`There is no body here to ${tool.touching}.`);
      return null;
    }
    const stroke = new Stroke(app, tool, place, x, y);
    stroke.send("down");
    return stroke;
  }

  move(x: number, y: number): void {
    const { tool, app } = this;
    if (tool.act === "drop") {
      this.turn = { dx: x - this.px.x, dy: y - this.px.y };
      return;
    }
    if (tool.act !== "hold") this.place = { ...this.place, ...(app.view.pick(x, y) ?? {}), body: null };
    else if (tool.touching === "lift") this.place = { ...this.place, z: this.height + (this.px.y - y) * this.metre };
    else this.place = { ...this.place, ...(app.view.plane(x, y, this.height) ?? {}) };
    this.tell();
  }

  /** The wheel raises what is grabbed; tell if that is what it does. */
  raise(factor: number): boolean {
    if (this.tool.act !== "hold") return false;
    this.place = { ...this.place, z: this.place.z + Math.log(factor) * 60 * this.metre };
    this.tell();
    return true;
  }

  end(): void {
    this.open = false;
    this.send("up");
    if (this.tool.act !== "drop") return;
    const { x, y } = this.place;
    this.app.send({ type: "Drop", prop: this.tool.prop, x, y, size: this.app.size, turn: this.heading() });
  }

  /** The way from where the hand came down to where it is, on the ground. */
  private heading(): number {
    const { dx, dy } = this.turn;
    if (Math.hypot(dx, dy) < STILL) return 0;
    const there = this.app.view.plane(this.px.x + dx, this.px.y + dy, this.place.z);
    return there ? Math.atan2(there.y - this.place.y, there.x - this.place.x) : 0;
  }

  private send(phase: Touch["phase"]): void {
    const { tool, app, place } = this;
    if (tool.act !== "touch" && tool.act !== "hold") return;
    const { x, y, z, body } = place;
    app.send({
      type: "Touch", tool: tool.touching, phase, x, y, z,
      radius: app.radius, ...(tool.act === "hold" ? { strength: 1, body } : { strength: app.brush.strength, body: null }),
    });
  }
}

function spring(app: App, sign: 1 | -1, { x, y }: Pick): void {
  const discharge = sign * app.brush.strength * FLOW * Math.PI * app.radius ** 2;
  app.send({ type: "Spring", x, y, discharge, radius: app.radius });
}

/** Take away the body under the hand, or the spring it is in: the server knows which there are now. */
function remove(app: App, { x, y, body }: Pick): void {
  app.send(body === null ? { type: "Unspring", x, y } : { type: "Unbody", body });
}
