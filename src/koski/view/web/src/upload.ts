import type { App } from "./app";

const LARGEST = 64 << 20; // the server's own limit; to know it here spares the way [bytes]
const WORLD = /\.(npz|koski|zip)$/i;

/** Open a saved world or a heightmap. */
export async function upload(app: App, file: File): Promise<void> {
  if (file.size > LARGEST) return app.say(`${file.name} is larger than 64 MB: give a smaller one.`, "error");
  const world = WORLD.test(file.name);
  app.say(`Opening ${file.name}…`);
  try {
    const answer = await fetch(world ? "./api/world" : "./api/heightmap", {
      method: "POST",
      headers: { "X-Koski-Viewer": app.welcome?.viewer ?? "", "Content-Type": "application/octet-stream" },
      body: file,
    });
    if (!answer.ok) app.say(((await answer.json()) as { error: string }).error, "error");
  } catch {
    app.say(`${file.name} did not reach koski: is it still running?`, "error");
  }
}

/** Files may be dropped anywhere on the page. */
export function dropping(app: App): void {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dragging");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    const file = event.dataTransfer?.files[0];
    if (file) void upload(app, file);
  });
}
