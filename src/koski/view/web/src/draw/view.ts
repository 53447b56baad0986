import * as THREE from "three";
import type { Frame } from "../frame";
import type { Bodies, SpringInfo, WorldInfo } from "../messages";
import { Camera, parseView } from "./camera";
import { Lights } from "./lights";
import type { Water } from "./media";
import type { Uniforms } from "./pass";
import { march, top, type Ray } from "./pick";
import { Picture } from "./picture";
import { Place } from "./place";
import { colours, lights, UNITS, type Legend } from "./scale";
import { Tiles } from "./tiles";

export interface Pick { x: number; y: number; z: number; body: number | null }
export interface Look {
  hour: number;
  water: Water;
  overlay: "" | "depth" | "speed" | "wet" | "pressure" | "raw" | "blocked";
  arrows: boolean;
  still: boolean;
  quality: "low" | "high";
}

const SLOW = 40; // draws further apart than this are slow [ms]
const SLOWLY = 30; // so many draws in a row before less is drawn, or three that take for ever
const LOW_SHARE = 0.5; // of the display's pixels along a side, where less is drawn
const LONGEST = 0.25; // that the water's texture is carried at once [s]

/** The water as one sees it, in a canvas: newest states come in, pictures go out. */
export class View {
  look: Look = { hour: 15, water: "lake", overlay: "", arrows: false, still: false, quality: "high" };
  readonly counters = { drawn: 0, states: 0, fps: 0, calls: 0, triangles: 0, low: false };
  /** Draw less by itself where drawing is slow. */
  adapt = true;

  private readonly renderer: THREE.WebGLRenderer;
  private readonly lights = new Lights();
  private readonly stand = new Camera();
  private readonly tiles: Tiles;
  private readonly picture: Picture;
  private readonly marks: Uniforms = {
    overlay: { value: 0 }, overlayRange: { value: new THREE.Vector2(0, 1) }, colours: { value: lights() }, t: { value: 0 },
    brush: { value: new THREE.Vector4() }, brushColor: { value: new THREE.Vector3(1, 1, 1) },
  };
  private place: Place | null = null;
  private size = { width: 1, height: 1 }; // [CSS pixels]
  private ratio = 1;
  private pending = false; // is there a state that the GPU has not got?
  private time = { was: 0, next: 0, now: 0 }; // of the water [s]
  private arrival = { at: 0, from: 0, apart: 50 }; // of states, and the picture before the newest [ms]
  private last = 0; // draw [ms]
  private slow = 0; // draws in a row
  private low: boolean;
  private asked: Look["quality"] = "high";
  private lost = false;
  private ring: THREE.Color | null = null;
  private changes = 0; // of bodies and springs
  private drawn = ""; // the signature of the last picture

  constructor(readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("webgl2", { alpha: false, antialias: false, powerPreference: "high-performance" });
    if (!context)
      throw new Error("This browser gives no WebGL2, which draws the water: update it, or turn on hardware acceleration.");
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.extensions.get("EXT_color_buffer_float");
    this.renderer.extensions.get("EXT_color_buffer_half_float");
    this.low = drawnByCpu(context);
    this.tiles = new Tiles(this.renderer, this.low ? 1 : 4);
    this.picture = new Picture(this.renderer, this.lights.uniforms);
    this.stand.floor = (x, y) => this.floor(x, y);
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.lost = true;
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.lost = false;
      this.drawn = "";
      this.tiles.make();
      this.place?.maps.restore();
    });
  }

  // ── what there is ────────────────────────────────────────────────────────────────────────

  /** Show a world; another epoch is another world. */
  open(world: WorldInfo): void {
    const old = this.place?.world;
    if (this.place && old && old.epoch === world.epoch && old.nx === world.nx && old.ny === world.ny) {
      this.place.world = world;
      return;
    }
    this.picture.show([], [], []);
    this.place?.dispose();
    const shared = { ...this.lights.uniforms, ...this.tiles.uniforms, ...this.marks, ...this.picture.uniforms };
    this.place = new Place(this.renderer, world, shared, this.low);
    this.pending = false;
    this.show();
  }

  private show(): void {
    const { stage, crowd, marks } = this.place!;
    this.picture.show([stage.land, crowd.group], [stage.water, marks.group], [crowd.shadows]);
  }

  bodies(list: Bodies): void {
    if (this.place?.world.epoch === list.epoch) this.place.crowd.set(list);
    this.changes++;
  }

  springs(list: SpringInfo[]): void {
    this.place?.marks.set(list);
    this.changes++;
  }

  /** Take the newest state; what is shown goes there from where it is. */
  accept(frame: Frame): void {
    const { place } = this;
    if (!place || frame.header.epoch !== place.world.epoch) return;
    const first = !place.ready;
    place.accept(frame);
    if (!place.ready) return;
    if (first) this.stand.place(parseView(place.world.view, place.land, this.aspect), place.land);
    const now = performance.now();
    const apart = Math.min(Math.max(now - this.arrival.at, 10), 1000);
    this.arrival = { at: now, from: this.last, apart: first ? 50 : this.arrival.apart + 0.2 * (apart - this.arrival.apart) };
    const { t } = frame.header;
    this.time = first ? { was: t, next: t, now: t } : { ...this.time, was: this.time.now, next: t };
    this.pending = true;
    this.counters.states++;
  }

  // ── pictures ─────────────────────────────────────────────────────────────────────────────

  /** Draw, once per animation frame, at the time `now` [ms]. */
  draw(now: number): void {
    if (this.lost) return;
    const { look, place, lights, counters } = this;
    const dt = now - this.last;
    this.last = now;
    if (dt > 0 && dt < 2000) counters.fps += 0.1 * (1000 / dt - counters.fps);
    counters.drawn++;
    this.judge(dt);
    if (lights.set(look.hour, look.water)) place?.maps.relight();
    this.stand.update(now, this.aspect, look.still);
    this.tint();
    const seen = this.signature();
    if (seen === this.drawn) return;
    this.drawn = seen;
    if (place?.ready) this.advance(place, now);
    this.picture.resize(this.canvas.width, this.canvas.height);
    this.picture.draw(this.stand.lens, ...this.focus(), this.low);
    Object.assign(counters, { calls: this.picture.calls, triangles: this.picture.triangles, low: this.low });
  }

  /** Does the picture show the newest state, and no longer one on the way to it? */
  get arrived(): boolean {
    return this.last - this.arrival.from > this.arrival.apart;
  }

  /** Something that differs where pictures do: none is drawn twice. */
  private signature(): string {
    const { marks, lights, look, place, stand, counters, canvas } = this;
    return [
      this.arrived || this.last, counters.states, ...stand.lens.matrixWorld.elements, ...stand.lens.projectionMatrix.elements,
      ...marks.brush.value.toArray(), ...marks.brushColor.value.toArray(), ...marks.overlayRange.value.toArray(),
      marks.overlay.value, lights.uniforms.exposure.value, JSON.stringify(look), canvas.width, canvas.height,
      this.low, place?.world.epoch, this.changes,
    ].join();
  }

  /** Bring all to where it is between the last two states. */
  private advance({ maps, crowd, stage, land }: Place, now: number): void {
    if (this.pending) maps.upload();
    this.pending = false;
    const share = Math.min(Math.max((now - this.arrival.from) / this.arrival.apart, 0), 1);
    const t = this.time.was + share * (this.time.next - this.time.was);
    const dt = Math.min(Math.max(t - this.time.now, 0), LONGEST);
    this.time.now = t;
    maps.run(share, dt);
    crowd.move(share);
    if (!this.look.still) this.marks.t.value = t % 3600;
    this.tiles.move(this.marks.t.value);
    const { lens } = this.stand;
    const whole = new THREE.Matrix4().multiplyMatrices(lens.projectionMatrix, lens.matrixWorldInverse);
    const pixel = (2 * Math.tan((lens.fov * Math.PI) / 360)) / this.size.height;
    const margin = 0.1 * (land.high - land.low) + 1;
    stage.lattice.choose(new THREE.Frustum().setFromProjectionMatrix(whole), lens.position,
                         land.low - margin, land.high + margin, pixel, this.low ? 1 : 0);
  }

  /** What is laid over the water, and the brush, in colours that suit the light. */
  private tint(): void {
    const { look, place, marks, ring } = this;
    const [kind, low, high] = this.laid();
    marks.overlay.value = kind;
    marks.overlayRange.value.set(low, Math.max(high, low + 1e-6));
    if (ring) marks.brushColor.value.set(ring.r, ring.g, ring.b).multiplyScalar(1.2 / this.lights.uniforms.exposure.value);
    if (place) place.marks.arrows.visible = look.arrows;
  }

  /** The kind of overlay that shaders know, and the range of its colours. */
  private laid(): number[] {
    const { overlay } = this.look;
    if (!this.place || !overlay) return [0, 0, 1];
    const { deepest, fastest, overlay: sent } = this.place.fields;
    if (overlay === "depth") return [1, 0, deepest];
    if (overlay === "speed") return [2, 0, fastest];
    if (overlay === "wet") return [3, 0, 1];
    return sent.name === overlay ? [4, sent.low, sent.high] : [0, 0, 1];
  }

  /** The scale of the colours that are laid over the water, where there is one. */
  legend(): Legend | null {
    const { overlay } = this.look;
    const [kind, low, high] = this.laid();
    return kind === 0 || kind === 3 ? null : { name: overlay, unit: UNITS[overlay], low, high, colours: colours() };
  }

  /** Where bodies cast shadows, and how far about: what is looked at. */
  private focus(): [THREE.Vector3, number] {
    const { lens, distance } = this.stand;
    const { width, depth, mean } = this.place?.land ?? { width: 1, depth: 1, mean: 0 };
    const whole = 0.55 * Math.hypot(width, depth);
    if (1.1 * distance >= whole) return [new THREE.Vector3(width / 2, depth / 2, mean), whole];
    return [lens.getWorldDirection(new THREE.Vector3()).multiplyScalar(distance).add(lens.position), 1.1 * distance];
  }

  /** Draw less where drawing is slow. */
  private judge(dt: number): void {
    const { quality } = this.look;
    if (quality !== this.asked) {
      this.asked = quality;
      this.slow = 0;
      this.lower(quality === "low");
    }
    if (!this.adapt || this.low || dt <= 0) return;
    this.slow = dt > SLOW ? this.slow + Math.min(dt / SLOW, SLOWLY / 3) : Math.max(this.slow - 2, 0);
    if (this.slow > SLOWLY) this.lower(true);
  }

  private lower(low: boolean): void {
    if (low === this.low) return;
    this.low = low;
    this.resize(this.size.width, this.size.height, this.ratio);
    this.place?.lower(low);
    if (this.place) this.show();
  }

  /** Be this large [CSS pixels], on a display with so many pixels for each. */
  resize(width: number, height: number, ratio: number): void {
    this.size = { width: Math.max(width, 1), height: Math.max(height, 1) };
    this.ratio = ratio;
    this.renderer.setPixelRatio(Math.min(ratio, 2) * (this.low ? LOW_SHARE : 1));
    this.renderer.setSize(this.size.width, this.size.height, false);
    this.drawn = "";
  }

  private get aspect(): number {
    return this.size.width / this.size.height;
  }

  /** The picture as a PNG file. */
  screenshot(): Promise<Blob> {
    this.drawn = "";
    this.draw(performance.now());
    return new Promise((done, fail) =>
      this.canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The picture could not be written: try again.")))));
  }

  // ── hands ────────────────────────────────────────────────────────────────────────────────

  /** What is at a pixel: the place, and the body that is there. */
  pick(px: number, py: number): Pick | null {
    const { place } = this;
    if (!place?.ready) return null;
    const { land, world } = place;
    const ray = this.ray(px, py);
    const body = place.crowd.hit(ray);
    const way = march(ray, place.fields, world.cell, 1.5 * land.high - 0.5 * land.low + 10 * world.cell);
    const far = body && (way === null || body.way < way) ? body.way : way;
    if (far === null) return null;
    const [x, y, z] = ray.from.map((value, k) => value + far * ray.to[k]);
    return { x, y, z, body: body && far === body.way ? body.body : null };
  }

  /** Where the ray of a pixel meets the height z. */
  plane(px: number, py: number, z: number): { x: number; y: number } | null {
    const { from, to } = this.ray(px, py);
    const way = (z - from[2]) / to[2];
    return Number.isFinite(way) && way > 0 ? { x: from[0] + way * to[0], y: from[1] + way * to[1] } : null;
  }

  private ray(px: number, py: number): Ray {
    const { lens } = this.stand;
    const to = new THREE.Vector3((2 * px) / this.size.width - 1, 1 - (2 * py) / this.size.height, 0.5).unproject(lens);
    return { from: lens.position.toArray(), to: to.sub(lens.position).normalize().toArray() };
  }

  private floor(x: number, y: number): number {
    const { place } = this;
    if (!place?.ready) return -Infinity;
    const { land, world, fields } = place;
    if (x < 0 || y < 0 || x > land.width || y > land.depth) return place.base;
    return top(fields, x / world.cell, y / world.cell);
  }

  /** Draw a ring on ground and water, or none. */
  brush(at: { x: number; y: number; radius: number; colour: string } | null): void {
    this.marks.brush.value.set(at?.x ?? 0, at?.y ?? 0, at?.radius ?? 0, at ? 1 : 0);
    this.ring = at ? new THREE.Color(at.colour) : null;
  }

  orbit(dx: number, dy: number): void {
    this.stand.turn(dx, dy);
  }

  pan(dx: number, dy: number): void {
    this.stand.pan(dx, dy, this.size.height);
  }

  /** Come nearer (a factor below 1) or go away, toward what is at a pixel. */
  zoom(factor: number, px?: number, py?: number): void {
    this.stand.zoom(factor, px === undefined || py === undefined ? null : this.pick(px, py));
  }

  home(): void {
    this.aim(this.place?.world.view ?? "");
  }

  /** Where one looks from, as a text. */
  camera(): string {
    return this.place?.ready ? this.stand.text() : "";
  }

  /** Look from where a text says. */
  aim(text: string): void {
    if (this.place?.ready) this.stand.go(parseView(text, this.place.land, this.aspect));
  }

  /** The rectangle of the world that is on screen [m]. */
  inView(): [number, number, number, number] {
    const { place } = this;
    return place?.ready ? this.stand.sees(place.land) : [0, 0, place?.land.width ?? 0, place?.land.depth ?? 0];
  }
}

/** Is there no GPU, so that every pixel costs? */
function drawnByCpu(context: WebGL2RenderingContext): boolean {
  const told = context.getExtension("WEBGL_debug_renderer_info");
  const name = told ? String(context.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}
