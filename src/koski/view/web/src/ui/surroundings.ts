import type { App } from "../app";
import type { EdgeInfo, EdgeKind, Side } from "../messages";
import { range } from "./controls";
import { el } from "./dom";
import { short } from "./words";

const HEAVIEST = 300; // [mm/h]
const SIDES: Side[] = ["north", "east", "south", "west"];
const KINDS: Record<EdgeKind, string> = {
  wall: "wall", drain: "lets all out", level: "holds a level", inflow: "flows in", absorbing: "swallows waves", periodic: "joins the other side",
};
const UNITS: Partial<Record<EdgeKind, string>> = { level: "m", inflow: "m³/s" };

/** Rain over all, and what happens at the four sides. */
export function surroundings(app: App): HTMLElement {
  const rain = range(
    "Rain over all", { low: 0, high: HEAVIEST, step: 1, tip: "A cloudburst is 50 mm/h and more.", key: "rain" },
    (value) => `${short(value)} mm/h`, (rate) => app.send({ type: "Rain", rate }),
  );
  const sides = SIDES.map((side) => edge(app, side));
  app.on("world", (world) => {
    rain.set(world.rain);
    for (const info of world.edges) sides[SIDES.indexOf(info.side)].set(info);
  });
  return el("div", {}, rain.row, el("div", { class: "edges" }, ...sides.map(({ row }) => row)));
}

/** What one side does, and its level or discharge if it has one. */
function edge(app: App, side: Side): { row: HTMLElement; set(info: EdgeInfo): void } {
  const send = () => app.send({ type: "Edge", side, kind: kind.value as EdgeKind, value: Number(value.value) || 0 });
  const kind = el("select", { "aria-label": `Edge in the ${side}`, "data-key": `edge-${side}`, change: () => (fit(), send()) });
  for (const [name, label] of Object.entries(KINDS)) kind.append(el("option", { value: name }, label));
  const value = el("input", { type: "number", step: "any", "aria-label": `Value in the ${side}`, change: send });
  const unit = el("span", { class: "unit" });
  const fit = () => {
    unit.textContent = UNITS[kind.value as EdgeKind] ?? "";
    value.hidden = !unit.textContent;
  };
  return {
    row: el("div", { class: "edge" }, el("span", {}, side), kind, value, unit),
    set(info) {
      kind.value = info.kind;
      if (document.activeElement !== value) value.value = String(Number(info.value.toPrecision(4)));
      fit();
    },
  };
}
