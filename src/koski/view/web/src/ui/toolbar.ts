import type { App } from "../app";
import { TOOLS, type Tool } from "../tools";
import { drawn, el } from "./dom";
import { metres } from "./words";

/** The bar of tools, with the size and strength of the brush above it. */
export function toolbar(app: App): HTMLElement {
  const buttons = new Map<Tool, HTMLButtonElement>();
  const groups = new Map<string, HTMLElement>();
  const bar = el("div", { class: "tools glass", role: "toolbar", "aria-label": "Tools" });
  for (const tool of TOOLS) {
    const button = el(
      "button",
      {
        type: "button", class: "tool", "aria-pressed": "false", "aria-label": tool.label, "data-tool": tool.name,
        "data-tip": `${tool.label} (${tool.key.toUpperCase()})`, "aria-keyshortcuts": tool.key, click: () => app.choose(tool),
      },
      drawn(tool.name),
      el("kbd", { "aria-hidden": "true" }, tool.key.toUpperCase()),
    );
    if (!groups.has(tool.group)) {
      const group = el("div", { class: "group", role: "group", "aria-label": tool.group });
      groups.set(tool.group, group);
      bar.append(group);
    }
    groups.get(tool.group)!.append(button);
    buttons.set(tool, button);
  }
  bar.addEventListener("keydown", (event) => walk(bar, event));

  const about = el("p", { class: "about", "aria-live": "polite" });
  const size = slider("Size", 0, 1, 0.01, "[ ]", (value) => app.setBrush({ share: value }));
  const strength = slider("Strength", -1, 1, 0.05, "", (value) => app.setBrush({ strength: 10 ** value }));
  const brush = el("div", { class: "brush glass" }, about, size.row, strength.row);

  const show = () => {
    const { tool } = app;
    for (const [each, button] of buttons) button.setAttribute("aria-pressed", String(each === tool));
    buttons.get(tool)!.scrollIntoView({ block: "nearest", inline: "nearest" });
    about.replaceChildren(el("b", {}, tool.label), ` ${tool.tip}`);
    const sized = tool.act === "touch" || tool.act === "spring";
    size.row.hidden = !sized && tool.act !== "drop";
    strength.row.hidden = !sized;
    size.set(app.brush.share, tool.act === "drop" ? `× ${app.size.toPrecision(2)}` : metres(app.radius));
    strength.set(Math.log10(app.brush.strength), `× ${app.brush.strength.toPrecision(2)}`);
  };
  app.on("tool", show);
  app.on("brush", show);
  app.on("world", show);
  show();
  return el("div", { class: "dock" }, brush, bar);
}

/** A labelled slider in one row. */
function slider(label: string, min: number, max: number, step: number, keys: string, act: (value: number) => void) {
  const output = el("output");
  const input = el("input", {
    type: "range", min, max, step, "aria-label": label, "data-brush": label.toLowerCase(),
    input: () => act(Number(input.value)),
  });
  const tip = keys ? { "data-tip": `${label} (${keys})` } : {};
  const row = el("label", { class: "row", ...tip }, el("span", {}, label), input, output);
  return {
    row,
    set(value: number, said: string) {
      if (Number(input.value) !== value) input.value = String(value);
      input.setAttribute("aria-valuetext", said);
      output.textContent = said;
    },
  };
}

/** Arrow keys go from tool to tool. */
function walk(bar: HTMLElement, event: KeyboardEvent): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const all = [...bar.querySelectorAll("button")];
  const at = all.indexOf(document.activeElement as HTMLButtonElement);
  all[(at + by + all.length) % all.length].focus();
  event.preventDefault();
  event.stopPropagation();
}
