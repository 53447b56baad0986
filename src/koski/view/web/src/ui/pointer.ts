import type { App } from "../app";
import type { Pick } from "../draw/view";
import { Gestures } from "./gestures";
import { Stroke } from "./stroke";

const PATIENCE = 90; // a finger waits so long for a second one before the tool acts [ms]
const SLOP = 6; // and so far [px]

/** Mouse, pen and fingers on the canvas: the tool with one, the view with the others. */
export function pointer(app: App): void {
  const { view } = app, { canvas } = view;
  const gestures = new Gestures(view);
  let stroke: Stroke | null = null;
  let waiting: { timer: number; x: number; y: number } | null = null;

  const at = (event: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const begin = (x: number, y: number) => {
    waiting = null;
    stroke = Stroke.begin(app, x, y);
  };
  const end = () => {
    if (waiting) {
      clearTimeout(waiting.timer);
      begin(waiting.x, waiting.y); // a tap
    }
    stroke?.end();
    stroke = null;
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (!gestures.has(event.pointerId)) canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    const [x, y] = at(event);
    gestures.down(event.pointerId, x, y);
    if (gestures.count > 1) {
      if (waiting) clearTimeout(waiting.timer);
      waiting = null;
      return end();
    }
    if (event.button !== 0 || app.tool.act === "look") return;
    if (event.pointerType !== "touch") return begin(x, y);
    waiting = { timer: window.setTimeout(() => begin(x, y), PATIENCE), x, y };
  });

  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    const moved = gestures.move(event.pointerId, x, y);
    if (waiting && Math.hypot(x - waiting.x, y - waiting.y) > SLOP) {
      clearTimeout(waiting.timer);
      begin(waiting.x, waiting.y);
    }
    if (stroke) stroke.move(x, y);
    else if (moved && !waiting) gestures.turn(event, app.tool.act === "look");
    ring(app, event.pointerType === "touch" && !stroke ? null : view.pick(x, y));
  });

  const lift = (event: PointerEvent) => {
    gestures.up(event.pointerId);
    end();
    if (event.pointerType === "touch") ring(app, null);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => stroke || ring(app, null));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const by = Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0015));
      if (!stroke?.raise(1 / by)) view.zoom(by, ...at(event));
    },
    { passive: false },
  );
  addEventListener("blur", end); // keys and buttons let go elsewhere are not told to us
  withEnter(canvas, begin, end);
}

/** Enter is a hand at the middle of the picture. */
function withEnter(canvas: HTMLCanvasElement, begin: (x: number, y: number) => void, end: () => void): void {
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.repeat) begin(canvas.clientWidth / 2, canvas.clientHeight / 2);
  });
  canvas.addEventListener("keyup", (event) => event.key === "Enter" && end());
}

/** The ring on the water that shows where the tool acts, and how wide. */
function ring(app: App, pick: Pick | null): void {
  const { tool, view } = app;
  const wide = tool.act === "touch" || tool.act === "spring";
  const shown = pick && (wide || tool.act === "drop");
  view.brush(shown ? { x: pick.x, y: pick.y, radius: wide ? app.radius : app.world!.cell * 2, colour: tool.colour } : null);
}
