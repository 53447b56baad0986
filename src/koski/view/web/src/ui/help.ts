import { TOOLS } from "../tools";
import { el, iconButton } from "./dom";

const OTHER: [string, string][] = [
  ["Space", "pause or go on"], [".", "one step"], ["[  ]", "smaller or larger brush"], [";  '", "weaker or stronger"],
  ["Ctrl+Z", "undo a change of the ground"], ["Shift+Ctrl+Z", "redo"],
  ["Arrows", "turn the view"], ["Shift+arrows", "move the view"], ["+  −", "nearer or farther"], ["H", "the view of the start"],
  ["Enter", "use the tool at the middle of the picture, when the water has the focus"],
  ["P", "panel"], ["M", "hide everything but the water"], ["?", "this help"], ["Esc", "close, or back to looking"],
];
const POINTER: [string, string][] = [
  ["Left", "use the tool; turn the view with Look"], ["Right", "turn the view"],
  ["Middle, Shift+right", "move the view"], ["Wheel", "nearer or farther"],
  ["One finger", "as the left button"], ["Two fingers", "turn and pinch; move with Look"], ["Three fingers", "move the view"],
];

/** What every key and finger does. */
export function help(): { element: HTMLDialogElement; toggle(): void } {
  const close = () => element.close();
  const element = el(
    "dialog",
    { class: "help glass", "aria-label": "Help" },
    el("header", {}, el("h2", {}, "Put your hands in the water"), iconButton("close", "Close", "Esc", close)),
    el("div", { class: "columns" },
      el("div", {},
        keys("Tools", TOOLS.map((tool) => [tool.key.toUpperCase(), tool.label.toLowerCase()]), "short"),
        keys("Mouse and touch", POINTER),
      ),
      keys("Keys", OTHER),
    ),
    el("p", {}, "Drop a heightmap (PNG, TIFF, ASCII grid, .npy) or a saved world onto the page to open it."),
  );
  element.addEventListener("click", (event) => event.target === element && close());
  return { element, toggle: () => (element.open ? close() : element.showModal()) };
}

function keys(name: string, list: [string, string][], kind = ""): HTMLElement {
  const rows = list.map(([key, does]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, does)));
  return el("section", { class: kind }, el("h3", {}, name), el("dl", {}, ...rows));
}
