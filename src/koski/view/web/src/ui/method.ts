import type { App } from "../app";
import type { KnobInfo } from "../messages";
import { choice, range } from "./controls";
import { el } from "./dom";
import { short } from "./words";

/** Which solver runs, how bodies and water meet, and every number of theirs as a slider. */
export function method(app: App): HTMLElement {
  const solver = choice("Solver", [], (name) => app.send({ type: "Solver", name }), "The water carries over.");
  const coupling = choice(
    "Bodies and water", [], (name) => app.send({ type: "Coupling", name }),
    "How they meet: light bodies float, heavy ones block; or all of one kind.",
  );
  const knobs = el("div", { class: "knobs" });
  let shown = "", sliders: { set(value: number): void }[] = [];

  app.on("welcome", ({ solvers, couplings }) => {
    solver.offer(solvers.map((name) => [name, name]));
    coupling.offer(couplings.map((name) => [name, name]));
  });
  app.on("world", (world) => {
    solver.select.value = world.solver;
    coupling.select.value = world.coupling;
    const now = world.knobs.map((knob) => `${knob.path} ${knob.low} ${knob.high}`).join();
    if (now !== shown) {
      shown = now;
      const made = world.knobs.map((knob) => knobRange(app, knob));
      knobs.replaceChildren(...made.map(({ row }) => row));
      sliders = made;
    }
    world.knobs.forEach((knob, i) => sliders[i].set(knob.value));
  });
  return el("div", {}, solver.row, coupling.row, knobs);
}

function knobRange(app: App, knob: KnobInfo) {
  const { path, low, high, step, tip, unit } = knob;
  const words = (value: number) => (unit ? `${short(value)} ${unit}` : short(value));
  return range(knob.label, { low, high, step, tip, key: path }, words, (value) => app.send({ type: "Knob", path, value }));
}
