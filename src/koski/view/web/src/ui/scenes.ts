import type { App } from "../app";
import { choice } from "./controls";
import { el } from "./dom";
import { title } from "./words";

const SIZES = [64, 128, 256, 512, 1024];

/** Pictures of all scenes; a click goes there. */
export function scenePicker(app: App): HTMLElement {
  const list = el("div", { class: "scenes", role: "group", "aria-label": "Scenes" });
  const about = el("p", { class: "hint" });
  let cells: number | null = null;
  const size = choice(
    "Cells along the longer side",
    [["", "the scene's own"], ...SIZES.map((n): [string, string] => [String(n), String(n)])],
    (value) => {
      cells = value ? Number(value) : null;
      if (app.world) app.send({ type: "Open", scene: app.world.scene, cells });
    },
    "More cells show more, and cost more.",
  );
  const mark = () => {
    for (const button of list.querySelectorAll<HTMLElement>("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.scene === app.world?.scene));
    }
    about.textContent = app.welcome?.scenes.find((s) => s.name === app.world?.scene)?.about ?? "";
  };
  app.on("welcome", ({ scenes }) => {
    list.replaceChildren(
      ...scenes.map(({ name, about: says }) =>
        el(
          "button",
          { type: "button", class: "card", "data-scene": name, title: says, click: () => app.send({ type: "Open", scene: name, cells }) },
          el("img", { src: `./scenes/${name}.jpg`, alt: "", width: 320, height: 180, loading: "lazy" }),
          el("span", {}, title(name)),
        ),
      ),
    );
    mark();
  });
  app.on("world", mark);
  app.on("epoch", () => {
    const now = list.querySelector<HTMLElement>("[aria-pressed=true]");
    if (now) list.scrollTo(now.offsetLeft - list.offsetLeft, now.offsetTop - list.offsetTop);
  });
  return el("div", {}, list, about, size.row);
}
