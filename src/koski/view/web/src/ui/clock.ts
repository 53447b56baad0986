import type { App } from "../app";
import { el, iconButton, relabel } from "./dom";
import { clock } from "./words";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** Pause, step, slow motion, reset; undo and redo. */
export function clockBar(app: App): HTMLElement {
  const play = iconButton("pause", "Pause", "Space", () => toggle(app));
  const step = iconButton("step", "One step", ".", () => app.send({ type: "Clock", action: "step" }));
  const reset = iconButton("reset", "Begin anew", "", () => app.send({ type: "Clock", action: "reset" }));
  const undo = iconButton("undo", "Undo the last change of the ground", "Ctrl+Z", () => app.send({ type: "Undo" }));
  const redo = iconButton("redo", "Redo", "Shift+Ctrl+Z", () => app.send({ type: "Redo" }));
  const time = el("time", { class: "time", "data-tip": "Time of the water" }, "0:00");
  const speed = el("select", {
    "aria-label": "Speed of time", "data-tip": "Speed of time",
    change: () => app.send({ type: "Speed", factor: Number(speed.value) }),
  });
  for (const factor of SPEEDS) speed.append(el("option", { value: factor, selected: factor === 1 }, `${factor}×`));

  app.on("stats", (stats) => {
    relabel(play, stats.paused ? "play" : "pause", stats.paused ? "Play" : "Pause", "Space");
    play.classList.toggle("waiting", stats.paused);
    undo.disabled = stats.undo === 0;
    redo.disabled = stats.redo === 0;
    time.textContent = clock(stats.t);
    if (document.activeElement !== speed) speed.value = String(nearest(stats.speed));
  });
  return el(
    "div",
    { class: "clock glass", role: "toolbar", "aria-label": "Time" },
    play, step, speed, time, reset, el("i", { class: "bar" }), undo, redo,
  );
}

export function toggle(app: App): void {
  if (!app.stats) return;
  app.send({ type: "Clock", action: app.stats.paused ? "play" : "pause" });
  app.stats = { ...app.stats, paused: !app.stats.paused }; // as it will be; the next report tells
  app.tell("stats", app.stats);
}

function nearest(factor: number): number {
  return SPEEDS.reduce((a, b) => (Math.abs(Math.log(b / factor)) < Math.abs(Math.log(a / factor)) ? b : a));
}
