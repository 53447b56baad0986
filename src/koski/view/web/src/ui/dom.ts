import { ICONS } from "./icons";

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** Make an element: attributes by name, listeners as functions, then what is in it. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value as unknown as EventListener);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else if (value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return made;
}

/** A button with an icon that says what it does to those who cannot see it. */
export function iconButton(icon: string, label: string, key: string, act: () => void): HTMLButtonElement {
  const said = key ? `${label} (${key})` : label;
  return el("button", { type: "button", class: "icon", "aria-label": label, "data-tip": said, click: act }, drawn(icon));
}

/** Change the icon and label of such a button. */
export function relabel(button: HTMLButtonElement, icon: string, label: string, key: string): void {
  if (button.dataset.icon === icon) return;
  button.dataset.icon = icon;
  button.dataset.tip = `${label} (${key})`;
  button.setAttribute("aria-label", label);
  button.replaceChildren(drawn(icon));
}

/** An icon by its name. */
export function drawn(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = ICONS[name];
  return svg;
}

/** Call at most once in so many milliseconds, the last time always. */
export function seldom<T extends unknown[]>(ms: number, act: (...args: T) => void): (...args: T) => void {
  let timer = 0, waiting: T | null = null;
  const go = () => {
    timer = 0;
    if (!waiting) return;
    const args = waiting;
    waiting = null;
    act(...args);
    timer = window.setTimeout(go, ms);
  };
  return (...args) => {
    waiting = args;
    if (!timer) go();
  };
}

/** Offer something to keep as a file. */
export function download(what: Blob | string, name: string): void {
  const address = typeof what === "string" ? what : URL.createObjectURL(what);
  el("a", { href: address, download: name }).click();
  if (typeof what !== "string") setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
