import type { App } from "../app";

/** The view draws more simply by itself where it is slow: say so, and let the panel show it. */
export function spare(app: App): void {
  app.on("stats", () => {
    const { look, counters } = app.view;
    if (!counters.low || look.quality === "low") return;
    look.quality = "low";
    app.tell("look", undefined);
    app.say("Drawing quickly rather than finely, to keep up; “Drawing” in the panel changes it back.");
  });
}
