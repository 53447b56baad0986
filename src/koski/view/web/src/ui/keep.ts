import type { App } from "../app";
import { link } from "../share";
import { upload } from "../upload";
import { download, drawn, el } from "./dom";
import { Recorder } from "./record";

/** Pictures, films, saved worlds and links. */
export function keepSection(app: App): HTMLElement {
  const recorder = new Recorder(app.view.canvas);
  const name = (ending: string) => `koski-${app.world?.scene ?? "world"}-${Math.round(app.stats?.t ?? 0)}s.${ending}`;
  const file = el("input", {
    type: "file", hidden: true, "aria-hidden": "true", tabindex: -1,
    change: () => {
      if (file.files?.[0]) void upload(app, file.files[0]);
      file.value = "";
    },
  });
  const record = button("record", "Record a film", async () => {
    if (recorder.running) {
      const { film, ending } = await recorder.stop();
      download(film, name(ending));
    } else if (!recorder.start()) app.say("This browser cannot record films; take pictures instead.", "error");
    const [icon, label] = recorder.running ? ["stop", "Stop recording"] : ["record", "Record a film"];
    record.replaceChildren(drawn(icon), label);
    record.setAttribute("aria-pressed", String(recorder.running));
  });
  return el(
    "div",
    { class: "keep" },
    button("camera", "Picture", async () => download(await app.view.screenshot(), name("png"))),
    record,
    button("save", "Save the world", () => download("./api/world", name("koski"))),
    button("load", "Open a file…", () => file.click()),
    button("share", "Copy a link", () => copy(app)),
    button("remove", "Remove what was dropped", () => app.send({ type: "Clean" })),
    file,
    el("p", { class: "hint" }, "Or drop a heightmap or a saved world onto the page."),
  );
}

function button(icon: string, label: string, act: () => void): HTMLButtonElement {
  return el("button", { type: "button", class: "wide", "data-act": icon, click: act }, drawn(icon), label);
}

async function copy(app: App): Promise<void> {
  const address = link(app);
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    app.say("The link is copied: it opens this scene, with these numbers, seen from here.");
  } catch {
    app.say("The link stands in the address bar: copy it from there.");
  }
}
