import "./style.css";
import { App } from "./app";
import { View } from "./draw/view";
import { Link } from "./link";
import type { Overlay, ToPage } from "./messages";
import { Shared } from "./share";
import { clockBar } from "./ui/clock";
import { el, iconButton, seldom } from "./ui/dom";
import { help } from "./ui/help";
import { keys } from "./ui/keys";
import { banner, stop, toasts } from "./ui/notices";
import { panel } from "./ui/panel";
import { pointer } from "./ui/pointer";
import { spare } from "./ui/spare";
import { statusLine } from "./ui/status";
import { toolbar } from "./ui/toolbar";
import { dropping } from "./upload";

const SERVED: string[] = ["pressure", "raw", "blocked"]; // overlays that the server makes
const FINE = "Hold the left button on the ground to pour.  The right one turns the view, the wheel zooms, ? shows all keys.";
const COARSE = "Hold a finger on the ground to pour.  Two fingers turn the view and zoom.";

function start(canvas: HTMLCanvasElement, place: HTMLElement): void {
  const view = new View(canvas);
  const address = new URL("./ws", location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.hash = "";
  const link = new Link(address.href);
  const app = new App(view, link);

  const side = panel(app), guide = help(), note = banner(app);
  const corner = el("div", { class: "corner glass" }, iconButton("home", "The view of the start", "H", () => view.home()), iconButton("help", "Help", "?", guide.toggle), side.button);
  const top = el("div", { class: "top" }, statusLine(app, () => side.show("Scenes")), clockBar(app), corner);
  place.append(top, note.element, toolbar(app), side.element, toasts(app), guide.element);
  pointer(app);
  keys(app, { help: guide.toggle, panel: side.toggle });
  dropping(app);
  new Shared(app);
  spare(app);

  link.onmessage = (message) => hear(app, message);
  link.onstate = () => note.linked();
  link.connect();

  const fit = () => view.resize(canvas.clientWidth, canvas.clientHeight, Math.min(devicePixelRatio, 2));
  new ResizeObserver(fit).observe(canvas);
  fit();
  const look = seldom(250, () => tellView(app));
  app.on("look", look);
  const loop = (now: number) => {
    requestAnimationFrame(loop);
    const frames = link.take();
    for (const frame of frames) if (frame.header.epoch === app.world?.epoch) view.accept(frame);
    view.draw(now);
    for (const frame of frames) link.send({ type: "Ack", seq: frame.header.seq });
    look();
  };
  requestAnimationFrame(loop);
  Object.assign(window, { koski: { app, view, link } });
}

/** Take in what the server says. */
function hear(app: App, message: ToPage): void {
  switch (message.type) {
    case "Welcome":
      app.welcome = message;
      if (!greeted) app.say(matchMedia("(pointer: coarse)").matches ? COARSE : FINE);
      greeted = true;
      told = "";
      return app.tell("welcome", message);
    case "WorldInfo": {
      const another = message.epoch !== app.world?.epoch;
      app.world = message;
      app.link.expect(message);
      app.view.open(message);
      app.tell("world", message);
      return another ? app.tell("epoch", message) : undefined;
    }
    case "Bodies":
      return app.view.bodies(message);
    case "Springs":
      return app.view.springs(message.springs);
    case "Stats":
      app.stats = message;
      if (!message.taken) app.send({ type: "Hand", want: true });
      return app.tell("stats", message);
    case "Notice":
      return app.say(message.text, message.level);
  }
}

let told = "", greeted = false;

/** Tell the server what is in view, when it has changed. */
function tellView(app: App): void {
  if (!app.world || app.link.state !== "open") return;
  const [x0, y0, x1, y1] = app.view.inView();
  const { overlay } = app.view.look;
  const served = (SERVED.includes(overlay) ? overlay : "") as Overlay;
  const said = [x0, y0, x1, y1].map((v) => v.toFixed(1)).join() + served;
  if (said === told) return;
  told = said;
  app.send({ type: "Look", x0, y0, x1, y1, overlay: served });
}

try {
  start(document.querySelector<HTMLCanvasElement>("#water")!, document.querySelector<HTMLElement>("#ui")!);
} catch (error) {
  stop(error instanceof Error ? error.message : String(error));
}
