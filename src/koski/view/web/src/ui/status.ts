import type { App } from "../app";
import { el } from "./dom";
import { grouped, short, title } from "./words";

const FIELDS = {
  fps: "Pictures drawn each second",
  real: "Seconds of water per second",
  rtkc: "Thousands of cells that would run in real time",
  cells: "Cells of the grid",
  bodies: "Bodies",
  drift: "What the ledger of water and the water disagree by",
};

/** The name of the scene and a line of figures. */
export function statusLine(app: App, openScenes: () => void): HTMLElement {
  const scene = el("button", { type: "button", class: "scene", "data-tip": "Choose a scene", click: openScenes }, "koski");
  const parts = Object.fromEntries(
    Object.entries(FIELDS).map(([name, tip]) => [name, el("span", { class: `figure ${name}`, "data-tip": tip })]),
  ) as Record<keyof typeof FIELDS, HTMLElement>;
  app.on("world", (world) => scene.replaceChildren(el("b", {}, "koski"), ` ${title(world.scene)}`));
  app.on("stats", (stats) => {
    parts.fps.textContent = `${app.view.counters.fps.toFixed(0)} fps`;
    parts.real.textContent = stats.paused ? "paused" : `${short(Number(stats.factor.toFixed(2)))}× real time`;
    parts.rtkc.textContent = `${grouped(stats.rtkc)} rtkc`;
    parts.cells.textContent = `${grouped(stats.cells)} cells`;
    parts.bodies.textContent = `${stats.bodies} ${stats.bodies === 1 ? "body" : "bodies"}`;
    parts.drift.textContent = `drift ${stats.drift === 0 ? "0" : Math.abs(stats.drift).toExponential(0)}`;
  });
  return el("header", { class: "status glass" }, scene, el("div", { class: "figures" }, ...Object.values(parts)));
}
