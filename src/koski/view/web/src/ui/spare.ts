import type { App } from "../app";

const SLOW = 18, PATIENCE = 24; // pictures a second; reports in a row, four a second

/** Draw more simply where the fine way is too slow, once, and say so. */
export function spare(app: App): void {
  let slow = 0;
  app.on("stats", () => {
    const { look, counters } = app.view;
    slow = look.quality === "high" && !document.hidden && counters.fps < SLOW ? slow + 1 : 0;
    if (slow < PATIENCE) return;
    look.quality = "low";
    app.tell("look", undefined);
    app.say("Drawing quickly rather than finely, to keep up; “Drawing” in the panel changes it back.");
  });
}
