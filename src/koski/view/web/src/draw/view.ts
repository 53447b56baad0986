import * as THREE from "three";
import type { Frame } from "../frame";
import type { Bodies, SpringInfo, WorldInfo } from "../messages";
import { aboveWater, shore } from "./above";
import { Crowd } from "./bodies";
import { Camera, parseView, type Extent } from "./camera";
import { Fields } from "./fields";
import { Lights } from "./lights";
import { Maps } from "./maps";
import { Marks } from "./marks";
import type { Water } from "./media";
import type { Uniforms } from "./pass";
import { march, top, type Ray } from "./pick";
import { Picture } from "./picture";
import { colours, lights, UNITS, type Legend } from "./scale";
import { Stage } from "./stage";
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

const THICK = 0.06; // of the land below its lowest point, as a share of its shorter side
const SLOW = 40; // draws further apart than this are slow [ms]
const SLOWLY = 30; // so many draws in a row before less is drawn
const LOW_SHARE = 0.66; // of the canvas's pixels along a side, where less is drawn

/** One world on the GPU. */
interface Place { world: WorldInfo; fields: Fields; maps: Maps; stage: Stage; crowd: Crowd; marks: Marks; above: THREE.DataTexture; framed: boolean; uniforms: Uniforms }

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
  private readonly own: Uniforms = {
    overlay: { value: 0 }, overlayRange: { value: new THREE.Vector2(0, 1) }, colours: { value: lights() }, t: { value: 0 }, tile: { value: 10 },
    brush: { value: new THREE.Vector4() }, brushColor: { value: new THREE.Vector3(1, 1, 1) },
    base: { value: 0 }, site: { value: new THREE.Vector3(0, 1, 1) }, aboveMap: { value: null }, fastest: { value: 1 },
  };
  private place: Place | null = null;
  private land: Extent = { width: 1, depth: 1, mean: 0, low: 0, high: 1 };
  private size = { width: 1, height: 1 };
  private pending = false;
  private time = { was: 0, next: 0, now: 0 }; // of the water [s]
  private arrival = { at: 0, apart: 50 }; // of states [ms]
  private last = 0; // draw [ms]
  private slow = 0; // draws in a row
  private low = false;
  private asked: Look["quality"] = "high";
  private lost = false;
  private ring: THREE.Color | null = null;

  constructor(readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("webgl2", { alpha: false, antialias: false, powerPreference: "high-performance" });
    if (!context)
      throw new Error("This browser gives no WebGL2, which draws the water: update it, or turn on hardware acceleration.");
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.extensions.get("EXT_color_buffer_float");
    this.renderer.extensions.get("EXT_color_buffer_half_float");
    const soft = drawnByCpu(context);
    this.tiles = new Tiles(this.renderer, soft ? 1 : 4);
    this.low = soft;
    this.picture = new Picture(this.renderer, this.lights.uniforms);
    this.stand.floor = (x, y) => this.floor(x, y);
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.lost = true;
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.lost = false;
      this.tiles.make();
      this.place?.maps.restore();
    });
  }

  // ── what there is ────────────────────────────────────────────────────────────────────────

  /** Show a world; another epoch is another world. */
  open(world: WorldInfo): void {
    const old = this.place;
    if (old && old.world.epoch === world.epoch && old.world.nx === world.nx && old.world.ny === world.ny) {
      old.world = world;
      return;
    }
    this.close();
    const { nx, ny, cell } = world;
    const fields = new Fields(nx, ny);
    const maps = new Maps(this.renderer, fields, cell, this.lights.uniforms.sun as THREE.IUniform<THREE.Vector3>);
    const above = new THREE.DataTexture(new Uint16Array(nx * ny), nx, ny, THREE.RedFormat, THREE.HalfFloatType);
    above.minFilter = above.magFilter = THREE.LinearFilter;
    this.own.aboveMap.value = above;
    this.own.tile.value = Math.min(Math.max(12 * cell, 2), 60);
    this.lights.uniforms.haze.value = 0.1 / (Math.max(nx, ny) * cell);
    const uniforms = { ...this.lights.uniforms, ...this.tiles.uniforms, ...this.own, ...maps.uniforms, ...this.picture.uniforms };
    const stage = new Stage(maps, uniforms, this.low);
    const crowd = new Crowd(uniforms);
    const marks = new Marks(uniforms, this.own.fastest as THREE.IUniform<number>);
    this.place = { world, fields, maps, stage, crowd, marks, above, framed: false, uniforms };
    this.time = { was: 0, next: 0, now: 0 };
    this.pending = false;
    this.show();
  }

  private show(): void {
    const { stage, crowd, marks } = this.place!;
    this.picture.show([stage.land, crowd.group], [stage.water, marks.group], [crowd.shadows]);
  }

  private close(): void {
    if (!this.place) return;
    const { maps, stage, crowd, marks, above } = this.place;
    this.picture.show([], [], []);
    for (const thing of [maps, stage, crowd, marks, above]) thing.dispose();
    this.place = null;
  }

  bodies(list: Bodies): void {
    if (this.place?.world.epoch === list.epoch) this.place.crowd.set(list);
  }

  springs(list: SpringInfo[]): void {
    this.place?.marks.set(list);
  }

  /** Take the newest state; what is shown goes there from where it is. */
  accept(frame: Frame): void {
    const { place } = this;
    if (!place || frame.header.epoch !== place.world.epoch) return;
    const now = performance.now();
    const first = !place.fields.full;
    const dug = place.fields.accept(frame);
    if (!place.fields.full) return;
    place.crowd.accept(frame.poses, frame.header.bodies);
    if (dug) this.measure(frame);
    if (first) this.settle();
    const apart = Math.min(Math.max(now - this.arrival.at, 10), 400);
    this.arrival = { at: now, apart: first ? 50 : this.arrival.apart + 0.2 * (apart - this.arrival.apart) };
    this.time = { was: first ? frame.header.t : this.time.now, next: frame.header.t, now: this.time.now };
    this.pending = true;
    this.counters.states++;
  }

  /** How low and high the ground is now. */
  private measure(frame: Frame): void {
    const { world, maps } = this.place!;
    const ground = frame.fields.find((field) => field.name === "ground")!;
    const [width, depth] = [world.nx * world.cell, world.ny * world.cell];
    this.land = { width, depth, low: ground.low, high: ground.high, mean: this.land.mean };
    this.own.base.value = ground.low - THICK * Math.min(width, depth);
    maps.relight();
  }

  /** The first state of a world: look at it, and find where its beaches are. */
  private settle(): void {
    const { world, fields, above } = this.place!;
    const { nx, ny, cell } = world;
    this.land.mean = fields.ground.reduce((sum, b) => sum + b, 0) / fields.ground.length;
    const sand = shore(cell, this.land.high - this.land.low);
    const texels = above.image.data as Uint16Array;
    aboveWater(fields.ground, fields.depth, nx, ny, cell, sand)
      .forEach((value, k) => (texels[k] = THREE.DataUtils.toHalfFloat(Math.min(Math.max(value, -6e4), 6e4))));
    above.needsUpdate = true;
    this.own.site.value.set(this.land.low, this.land.high - this.land.low, sand);
    this.place!.framed = true;
    this.stand.place(parseView(world.view, this.land, this.aspect), this.land);
  }

  // ── pictures ─────────────────────────────────────────────────────────────────────────────

  /** Draw, once per animation frame, at the time `now` [ms]. */
  draw(now: number): void {
    if (this.lost) return;
    const { look, place, lights } = this;
    const dt = now - this.last;
    this.last = now;
    if (dt > 0 && dt < 2000) this.counters.fps += 0.1 * (1000 / dt - this.counters.fps);
    this.judge(dt);
    if (lights.set(look.hour, look.water)) place?.maps.relight();
    this.stand.update(now, look.still);
    if (place?.framed) this.advance(place, now);
    const { lens } = this.stand;
    lens.aspect = this.aspect;
    lens.updateProjectionMatrix();
    this.tint();
    const share = this.low ? LOW_SHARE : 1;
    this.picture.resize(this.renderer.domElement.width, this.renderer.domElement.height, share);
    if (place?.framed) this.choose(place);
    const [at, reach] = this.focus();
    this.picture.draw(lens, at, reach, this.low);
    this.counters.drawn++;
    Object.assign(this.counters, { calls: this.picture.calls, triangles: this.picture.triangles, low: this.low });
  }

  /** Bring maps and bodies to where they are between the last two states. */
  private advance({ maps, crowd, fields }: Place, now: number): void {
    if (this.pending) maps.upload();
    this.pending = false;
    const share = Math.min(Math.max((now - this.arrival.at) / this.arrival.apart, 0), 1);
    const t = this.time.was + share * (this.time.next - this.time.was);
    const dt = Math.min(Math.max(t - this.time.now, 0), 0.25);
    this.time.now = t;
    maps.run(share, dt);
    crowd.move(share);
    if (!this.look.still || this.counters.drawn === 0) {
      this.own.t.value = t % 3600;
      if (!this.low || this.counters.drawn % 2 === 0) this.tiles.move(t);
    }
    this.own.fastest.value = fields.fastest;
  }

  /** What is laid over the water, and the brush, in colours that suit the light. */
  private tint(): void {
    const { look, place, own } = this;
    const [kind, low, high] = this.laid();
    own.overlay.value = kind;
    own.overlayRange.value.set(low, Math.max(high, low + 1e-6));
    if (this.ring) own.brushColor.value.set(this.ring.r, this.ring.g, this.ring.b).multiplyScalar(1.2 / this.lights.uniforms.exposure.value);
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

  /** Choose how much of the lattice is drawn. */
  private choose({ stage }: Place): void {
    const { lens } = this.stand;
    const seen = new THREE.Frustum().setFromProjectionMatrix(
      new THREE.Matrix4().multiplyMatrices(lens.projectionMatrix, lens.matrixWorldInverse));
    const pixel = (2 * Math.tan((lens.fov * Math.PI) / 360)) / this.size.height;
    const margin = 0.1 * (this.land.high - this.land.low) + 1;
    stage.lattice.choose(seen, lens.position, this.land.low - margin, this.land.high + margin, pixel, this.low ? 1 : 0);
  }

  /** Where bodies cast shadows: about what is looked at. */
  private focus(): [THREE.Vector3, number] {
    const ahead = this.stand.lens.getWorldDirection(new THREE.Vector3());
    const far = this.stand.distance;
    const whole = 0.55 * Math.hypot(this.land.width, this.land.depth);
    const reach = Math.min(1.1 * far, whole);
    const middle = new THREE.Vector3(this.land.width / 2, this.land.depth / 2, this.land.mean);
    const at = this.stand.lens.position.clone().addScaledVector(ahead, far);
    return [reach < whole ? at : middle, reach];
  }

  /** Draw less where drawing is slow. */
  private judge(dt: number): void {
    const { quality } = this.look;
    if (quality !== this.asked) {
      this.asked = quality;
      this.slow = 0;
      this.lower(quality === "low");
    }
    if (!this.adapt || this.low || dt <= 0 || dt > 2000) return;
    this.slow = dt > SLOW ? this.slow + 1 : Math.max(this.slow - 2, 0);
    if (this.slow > SLOWLY) this.lower(true);
  }

  private lower(low: boolean): void {
    if (low === this.low) return;
    this.low = low;
    if (!this.place) return;
    this.place.stage.dispose();
    this.place.stage = new Stage(this.place.maps, this.place.uniforms, low);
    this.show();
  }

  /** Be this large [CSS pixels], on a display with so many pixels for each. */
  resize(width: number, height: number, ratio: number): void {
    this.size = { width: Math.max(width, 1), height: Math.max(height, 1) };
    this.renderer.setPixelRatio(Math.min(ratio, 2));
    this.renderer.setSize(this.size.width, this.size.height, false);
  }

  private get aspect(): number {
    return this.size.width / this.size.height;
  }

  /** The picture as a PNG file. */
  screenshot(): Promise<Blob> {
    this.draw(performance.now());
    return new Promise((done, fail) =>
      this.canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The picture could not be written: try again.")))));
  }

  // ── hands ────────────────────────────────────────────────────────────────────────────────

  /** What is at a pixel: the place, and the body that is there. */
  pick(px: number, py: number): Pick | null {
    const { place } = this;
    if (!place?.framed) return null;
    const ray = this.ray(px, py);
    const body = place.crowd.hit(ray);
    const way = march(ray, place.fields, place.world.cell, this.land.high + 0.5 * (this.land.high - this.land.low) + 10 * place.world.cell);
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
    if (!place?.framed) return -Infinity;
    const { nx, ny, cell } = place.world;
    if (x < 0 || y < 0 || x > nx * cell || y > ny * cell) return this.own.base.value;
    return top(place.fields, x / cell, y / cell);
  }

  /** Draw a ring on ground and water, or none. */
  brush(at: { x: number; y: number; radius: number; colour: string } | null): void {
    this.own.brush.value.set(at?.x ?? 0, at?.y ?? 0, at?.radius ?? 0, at ? 1 : 0);
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
    return this.place?.framed ? this.stand.text() : "";
  }

  /** Look from where a text says. */
  aim(text: string): void {
    if (this.place?.framed) this.stand.go(parseView(text, this.land, this.aspect));
  }

  /** The rectangle of the world that is on screen [m]. */
  inView(): [number, number, number, number] {
    return this.stand.sees(this.land);
  }
}

/** Is there no GPU, so that every pixel costs? */
function drawnByCpu(context: WebGL2RenderingContext): boolean {
  const told = context.getExtension("WEBGL_debug_renderer_info");
  const name = told ? String(context.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}
