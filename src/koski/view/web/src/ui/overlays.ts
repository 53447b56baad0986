import type { App } from "../app";
import type { Look } from "../draw/view";
import { tick } from "./controls";
import { el } from "./dom";
import { short } from "./words";

const OVERLAYS: [Look["overlay"], string, string][] = [
  ["", "None", "The water as it looks."],
  ["depth", "Depth", "How deep the water is."],
  ["speed", "Speed", "How fast it flows."],
  ["pressure", "Pressure", "What bodies press on the water below them."],
  ["raw", "Raw surface", "The solver's own surface, less the one that is drawn."],
  ["blocked", "Blocked cells", "The share of each column that bodies take."],
  ["wet", "Wet and dry", "Where there is water, and where it has been."],
];

/** What to lay over the water, with a legend. */
export function overlays(app: App): HTMLElement {
  const { look } = app.view;
  const hint = el("p", { class: "hint" });
  const legend = el("div", { class: "legend", hidden: true });
  const group = el("div", { class: "radios", role: "radiogroup", "aria-label": "Overlay" });
  const show = () => {
    for (const input of group.querySelectorAll("input")) input.checked = input.value === look.overlay;
    hint.textContent = OVERLAYS.find(([value]) => value === look.overlay)![2];
  };
  for (const [value, label] of OVERLAYS) {
    const input = el("input", {
      type: "radio", name: "overlay", value, checked: value === look.overlay,
      change: () => {
        look.overlay = value;
        app.tell("look", undefined);
      },
    });
    group.append(el("label", { class: "radio" }, input, el("span", {}, label)));
  }
  app.on("look", show);
  app.on("stats", () => fill(legend, app));
  show();
  const arrows = tick("Flow arrows", look.arrows, (on) => {
    look.arrows = on;
    app.tell("look", undefined);
  });
  return el("div", {}, group, hint, legend, arrows);
}

/** Draw the scale of colours that the overlay now has. */
function fill(box: HTMLElement, app: App): void {
  const legend = app.view.legend();
  box.hidden = !legend;
  if (!legend) return;
  const { colours, low, high, unit, name } = legend;
  const said = `${name} ${low} ${high} ${colours.join()}`;
  if (box.dataset.said === said) return;
  box.dataset.said = said;
  const strip = el("div", { class: "strip", role: "img", "aria-label": `${name} from ${short(low)} to ${short(high)} ${unit}` });
  strip.style.background = `linear-gradient(90deg, ${colours.join(", ")})`;
  box.replaceChildren(strip, el("span", {}, `${short(low)} ${unit}`), el("span", {}, `${short((low + high) / 2)}`), el("span", {}, `${short(high)} ${unit}`));
}
