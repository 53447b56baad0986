import type { App } from "../app";
import { el } from "./dom";

const SHOWN = 6000; // [ms]
const MOST = 3;

/** Sentences that come and go; errors stay longer. */
export function toasts(app: App): HTMLElement {
  const list = el("div", { class: "toasts", role: "log", "aria-live": "polite" });
  app.say = (said, level = "info") => {
    const text = said.charAt(0).toUpperCase() + said.slice(1) + (/[.?!…]$/.test(said) ? "" : ".");
    const same = [...list.children].find((child) => (child as HTMLElement).dataset.text === text);
    same?.remove();
    const mark = el("span", { class: "mark", "aria-hidden": "true" }, level === "error" ? "!" : "i");
    const toast = el(
      "div",
      { class: `toast glass ${level}`, role: level === "error" ? "alert" : "status", "data-text": text },
      mark, el("span", {}, text),
      el("button", { type: "button", "aria-label": "Dismiss", click: () => toast.remove() }, "×"),
    );
    list.append(toast);
    while (list.children.length > MOST) list.firstElementChild!.remove();
    setTimeout(() => toast.remove(), level === "error" ? 2 * SHOWN : SHOWN);
  };
  return list;
}

/** What stands in the way: no connection, or somebody else has the tools. */
export function banner(app: App): { element: HTMLElement; linked(): void } {
  const text = el("span");
  const take = el("button", { type: "button", click: () => app.send({ type: "Hand", want: true }) }, "Take the tools");
  const element = el("div", { class: "banner glass", role: "status", hidden: true }, text, take);
  const show = (said: string, offer = false) => {
    element.hidden = !said;
    if (text.textContent !== said) text.textContent = said;
    take.hidden = !offer;
  };
  const refresh = () => {
    const { link, stats } = app;
    document.body.classList.toggle("offline", link.state !== "open");
    document.body.classList.toggle("watching", stats?.hand === false);
    if (link.state === "lost" && link.tries > 3) show("Reconnecting… Is koski play still running? Start it again and this page goes on.");
    else if (link.state === "lost") show("Reconnecting…");
    else if (link.state === "connecting") show("Connecting…");
    else if (stats && !stats.hand) show("You are watching; somebody else has the tools.", true);
    else show("");
  };
  app.on("stats", refresh);
  refresh();
  return { element, linked: refresh };
}

/** The page cannot go on: say why and what to do. */
export function stop(message: string): void {
  document.body.append(
    el("main", { class: "stop", role: "alert" }, el("h1", {}, "koski"), el("p", {}, message)),
  );
}
