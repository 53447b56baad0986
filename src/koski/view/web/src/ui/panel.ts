import type { App } from "../app";
import { el, iconButton } from "./dom";
import { keepSection } from "./keep";
import { ledger } from "./ledger";
import { lookSection } from "./look";
import { method } from "./method";
import { overlays } from "./overlays";
import { scenePicker } from "./scenes";
import { surroundings } from "./surroundings";

const WIDE = 1500; // a window with room for both the water and the panel [px]

export interface Panel {
  element: HTMLElement;
  button: HTMLButtonElement;
  toggle(): void;
  show(section: string): void;
}

/** Everything that is not a tool, in sections that fold; at the right, on phones from below. */
export function panel(app: App): Panel {
  const sections: Record<string, HTMLDetailsElement> = {
    Scenes: section("Scenes", scenePicker(app), true),
    Water: section("Solver", method(app), true),
    Look: section("Light and water", lookSection(app), true),
    Overlays: section("Overlays", overlays(app)),
    Edges: section("Rain and edges", surroundings(app)),
    Ledger: section("Ledger and figures", ledger(app)),
    Keep: section("Keep and share", keepSection(app)),
  };
  const element = el(
    "aside",
    { class: "panel glass", id: "panel", "aria-label": "Settings" },
    el("header", {}, el("h1", {}, "koski"), iconButton("close", "Close the panel", "P", () => open(false))),
    el("div", { class: "sections" }, ...Object.values(sections)),
  );
  const button = iconButton("panel", "Settings", "P", () => open(Boolean(element.hidden)));
  button.setAttribute("aria-controls", "panel");
  const open = (shown: boolean) => {
    element.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
    document.body.classList.toggle("with-panel", shown);
  };
  open(innerWidth > WIDE);
  return {
    element,
    button,
    toggle: () => open(Boolean(element.hidden)),
    show(name) {
      open(true);
      sections[name].open = true;
      sections[name].scrollIntoView({ block: "start" });
      sections[name].querySelector("summary")!.focus({ preventScroll: true });
    },
  };
}

/** A part of the panel that folds, and is found as it was left. */
function section(name: string, inside: HTMLElement, open = false): HTMLDetailsElement {
  const key = `koski:${name}`, kept = localStorage.getItem(key);
  const made = el("details", { open: kept ? kept === "open" : open }, el("summary", {}, el("h2", {}, name)), inside);
  made.addEventListener("toggle", () => localStorage.setItem(key, made.open ? "open" : "closed"));
  return made;
}
