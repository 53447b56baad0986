import { el, seldom } from "./dom";

let count = 0;

/** A slider with its name, its value and a sentence on what it is. */
export function range(
  name: string,
  limits: { low: number; high: number; step: number; tip?: string; key?: string },
  words: (value: number) => string,
  act: (value: number) => void,
): { row: HTMLElement; set(value: number): void } {
  const id = `range-${++count}`, output = el("output", { for: id });
  const tell = seldom(50, act);
  const input = el("input", {
    type: "range", id, min: limits.low, max: limits.high, step: limits.step, "data-key": limits.key ?? name,
    "aria-description": limits.tip,
    input: () => {
      show();
      tell(Number(input.value));
    },
  });
  const show = () => {
    output.textContent = words(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  const tip = limits.tip ? { "data-tip": limits.tip } : {};
  return {
    row: el("div", { class: "range", ...tip }, el("label", { for: id }, name), output, input),
    set(value) {
      if (document.activeElement === input && input.matches(":active")) return; // the user has it
      input.value = String(value);
      show();
    },
  };
}

/** A choice of one, with its name. */
export function choice(
  name: string,
  options: [value: string, label: string][],
  act: (value: string) => void,
  tip?: string,
): { row: HTMLElement; select: HTMLSelectElement; offer(options: [string, string][]): void } {
  const id = `choice-${++count}`;
  const select = el("select", { id, "data-key": name, change: () => act(select.value) });
  const offer = (list: [string, string][]) =>
    select.replaceChildren(...list.map(([value, label]) => el("option", { value }, label)));
  offer(options);
  const said = tip ? { "data-tip": tip } : {};
  return { row: el("div", { class: "choice", ...said }, el("label", { for: id }, name), select), select, offer };
}

/** Yes or no. */
export function tick(name: string, on: boolean, act: (on: boolean) => void): HTMLElement {
  const input = el("input", { type: "checkbox", checked: on, "data-key": name, change: () => act(input.checked) });
  return el("label", { class: "tick" }, input, el("span", {}, name));
}
