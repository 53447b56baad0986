import type { App } from "../app";
import type { Look } from "../draw/view";
import { choice, range, tick } from "./controls";
import { el } from "./dom";

const WATERS: [Look["water"], string][] = [
  ["pure", "pure"], ["lake", "lake"], ["chlorophyll", "green with algae"], ["silt", "brown with silt"], ["glacier", "glacier milk"],
];

/** Time of day, what is in the water, how well it is drawn. */
export function lookSection(app: App): HTMLElement {
  const { look } = app.view;
  const hour = range("Time of day", { low: 0, high: 24, step: 0.25, key: "hour" }, said, (value) => change({ hour: value }));
  const water = choice("Water", WATERS, (value) => change({ water: value as Look["water"] }), "What is in it gives its colour.");
  const quality = choice("Drawing", [["high", "fine"], ["low", "quick"]], (value) => change({ quality: value as Look["quality"] }));
  const change = (some: Partial<Look>) => {
    Object.assign(look, some);
    app.tell("look", undefined);
  };
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const hold = tick("Less motion", still.matches, (on) => change({ still: on }));
  still.addEventListener("change", () => {
    hold.querySelector("input")!.checked = still.matches;
    change({ still: still.matches });
  });
  look.still = still.matches;
  const show = () => {
    hour.set(look.hour);
    water.select.value = look.water;
    quality.select.value = look.quality;
  };
  app.on("look", show);
  show();
  return el("div", {}, hour.row, water.row, quality.row, hold);
}

function said(hour: number): string {
  return `${String(Math.floor(hour)).padStart(2, "0")}:${String(Math.round((hour % 1) * 60)).padStart(2, "0")}`;
}
