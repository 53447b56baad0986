import type { App } from "../app";
import { TOOLS } from "../tools";
import { toggle } from "./clock";

const TURN = 40; // a press of an arrow turns the view as so many pixels would
const NEARER = 1.15;

/** Shortcuts: letters choose tools, the rest drives time and view. */
export function keys(app: App, parts: { help(): void; panel(): void }): void {
  const { view } = app;
  const acts: Record<string, () => void> = {
    " ": () => toggle(app),
    ".": () => app.send({ type: "Clock", action: "step" }),
    "[": () => app.setBrush({ share: app.brush.share - 0.05 }),
    "]": () => app.setBrush({ share: app.brush.share + 0.05 }),
    ";": () => app.setBrush({ strength: app.brush.strength / 1.25 }),
    "'": () => app.setBrush({ strength: app.brush.strength * 1.25 }),
    ArrowLeft: () => view.orbit(-TURN, 0),
    ArrowRight: () => view.orbit(TURN, 0),
    ArrowUp: () => view.orbit(0, -TURN),
    ArrowDown: () => view.orbit(0, TURN),
    "+": () => view.zoom(1 / NEARER),
    "=": () => view.zoom(1 / NEARER),
    "-": () => view.zoom(NEARER),
    h: () => view.home(),
    p: parts.panel,
    m: () => document.body.classList.toggle("bare"),
    "?": parts.help,
    Escape: () => app.choose(TOOLS[0]),
  };
  const moves: Record<string, [number, number]> = {
    ArrowLeft: [TURN, 0], ArrowRight: [-TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN],
  };
  for (const tool of TOOLS) acts[tool.key] = () => app.choose(tool);

  addEventListener("keydown", (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((event.ctrlKey || event.metaKey) && key === "z") {
      app.send({ type: event.shiftKey ? "Redo" : "Undo" });
      return event.preventDefault();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || busy(event)) return;
    const act = event.shiftKey && moves[key] ? () => view.pan(...moves[key]) : acts[key];
    if (!act) return;
    act();
    event.preventDefault();
  });
}

/** Whether the key belongs to the control that has the focus. */
function busy(event: KeyboardEvent): boolean {
  const at = event.target as HTMLElement;
  if (document.querySelector("dialog[open]")) return true;
  if (at.matches("select, input[type=number], input[type=text]")) return true;
  if (at.matches("input[type=range], [role=tab]")) return event.key.startsWith("Arrow");
  return at.matches("button, summary, a, input") && (event.key === " " || event.key === "Enter");
}
