import * as THREE from "three";

export const FOV = 40; // from the bottom of the picture to its top [°]
const SOUTH = -90; // azimuth, from +x counter-clockwise [°]
const RAD = Math.PI / 180;
const WIDE = 1.1; // aspect below which pictures count as tall
const ABOVE = 0.7, BELOW = 0.9, BESIDE = 0.94; // share of half the picture that an overview fills

/** From the bottom of the picture to its top [°]: more where it is tall, so that it is not too narrow. */
export function fovOf(aspect: number): number {
  const half = Math.tan((FOV / 2) * RAD) * Math.max(1, WIDE / aspect);
  return Math.min((2 * Math.atan(half)) / RAD, 75);
}

/** What an orbiting camera looks at, from where. */
export interface Orbit { target: [number, number, number]; azimuth: number; elevation: number; distance: number }

/** The size of the land: sides, and mean, lowest and highest ground [m]. */
export interface Extent { width: number; depth: number; mean: number; low: number; high: number }

/** The view that a text such as "orbit:azimuth=30" or "eye:x,y,z,tx,ty,tz" stands for; else all. */
export function parseView(text: string, land: Extent, aspect: number): Orbit {
  const [kind, rest = ""] = text.trim().split(":");
  const words = rest.split(",").map((word) => word.trim()).filter(Boolean);
  if (kind === "eye") {
    const numbers = words.map(Number);
    if (numbers.length >= 6 && numbers.slice(0, 6).every(Number.isFinite))
      return fromEye(numbers.slice(0, 3), numbers.slice(3, 6));
  }
  const said = new Map(kind === "orbit" ? words.map((word) => word.split("=").map((part) => part.trim()) as [string, string]) : []);
  const angle = (name: string) => (Number.isFinite(Number(said.get(name) ?? NaN)) ? Number(said.get(name)) * RAD : undefined);
  const whole = overview(land, aspect, angle("azimuth"), angle("elevation"));
  const distance = Number(said.get("distance"));
  return distance > 0 ? { ...whole, distance } : whole;
}

/** The orbit of an eye about what it looks at. */
export function fromEye(eye: number[], at: number[]): Orbit {
  const [x, y, z] = eye.map((value, k) => value - at[k]);
  const distance = Math.max(Math.hypot(x, y, z), 1e-3);
  return {
    target: [at[0], at[1], at[2]], distance, azimuth: Math.atan2(y, x),
    elevation: Math.asin(Math.min(Math.max(z / distance, -1), 1)),
  };
}

/** The whole land, from the south unless told otherwise, as near as it fits. */
export function overview(land: Extent, aspect: number, azimuth = SOUTH * RAD, elevation = 32 * RAD): Orbit {
  const [width, depth] = [land.width / 2, land.depth / 2];
  const half = Math.tan((fovOf(aspect) / 2) * RAD);
  const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
  let distance = 0;
  for (const x of [-width, width])
    for (const y of [-depth, depth])
      for (const z of [land.low - land.mean, land.high - land.mean]) {
        const aside = Math.abs(-sa * x + ca * y), near = ce * (ca * x + sa * y) + se * z;
        const up = -se * (ca * x + sa * y) + ce * z;
        const tall = up / (up > 0 ? ABOVE : BELOW);
        distance = Math.max(distance, near + Math.max(aside / (BESIDE * half * aspect), Math.abs(tall) / half));
      }
  return { target: [width, depth, land.mean], azimuth, elevation, distance };
}

/** Where the eye of an orbit is. */
export function eyeOf({ target: [x, y, z], azimuth, elevation, distance }: Orbit): [number, number, number] {
  const level = distance * Math.cos(elevation);
  return [x + level * Math.cos(azimuth), y + level * Math.sin(azimuth), z + distance * Math.sin(elevation)];
}

const LOWEST = -0.03, HIGHEST = 89.5 * RAD; // elevations [rad]
const PARTS = 16; // of the land along each side, for which is told whether they are seen
const EASE = 90; // in which the camera makes up for most of what it lags behind [ms]

/** A camera that a hand turns, moves and brings nearer; it follows softly and stays above ground. */
export class Camera {
  readonly lens = new THREE.PerspectiveCamera(FOV, 1, 0.1, 1000);
  private goal: Orbit = { target: [0, 0, 0], azimuth: SOUTH * RAD, elevation: 0.5, distance: 10 };
  private now: Orbit = structuredClone(this.goal);
  private last = 0;
  private land: Extent = { width: 1, depth: 1, mean: 0, low: 0, high: 0 };
  floor: (x: number, y: number) => number = () => -Infinity;

  constructor() {
    this.lens.up.set(0, 0, 1);
  }

  /** Look from here at once. */
  place(orbit: Orbit, land: Extent): void {
    this.land = land;
    this.goal = structuredClone(orbit);
    this.clamp();
    this.now = structuredClone(this.goal);
    this.update(this.last, this.lens.aspect, true);
  }

  /** Turn to here softly. */
  go(orbit: Orbit): void {
    const turn = Math.round((this.goal.azimuth - orbit.azimuth) / (2 * Math.PI)) * 2 * Math.PI;
    this.goal = { ...structuredClone(orbit), azimuth: orbit.azimuth + turn };
    this.clamp();
  }

  turn(dx: number, dy: number): void {
    this.goal.azimuth -= 0.006 * dx;
    this.goal.elevation += 0.006 * dy;
    this.clamp();
  }

  /** Move what is looked at by pixels of a picture this high. */
  pan(dx: number, dy: number, height: number): void {
    const scale = (2 * this.goal.distance * Math.tan((this.lens.fov / 2) * RAD)) / height;
    const { azimuth, elevation, target } = this.goal;
    const ahead = Math.min(1 / Math.max(Math.sin(elevation), 0.25), 4) * dy * scale;
    target[0] += Math.sin(azimuth) * dx * scale - Math.cos(azimuth) * ahead;
    target[1] += -Math.cos(azimuth) * dx * scale - Math.sin(azimuth) * ahead;
    this.clamp();
  }

  /** Come nearer by a factor, toward a point. */
  zoom(factor: number, to: { x: number; y: number; z: number } | null): void {
    const was = this.goal.distance;
    this.goal.distance = was * factor;
    this.clamp();
    if (!to) return;
    const share = 1 - this.goal.distance / was;
    [to.x, to.y, to.z].forEach((value, k) => (this.goal.target[k] += share * (value - this.goal.target[k])));
    this.clamp();
  }

  private clamp(): void {
    const { land, goal } = this;
    const side = Math.max(land.width, land.depth);
    const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
    goal.elevation = within(goal.elevation, LOWEST, HIGHEST);
    goal.distance = within(goal.distance, 0.004 * side, 4 * side);
    goal.target[0] = within(goal.target[0], -0.2 * land.width, 1.2 * land.width);
    goal.target[1] = within(goal.target[1], -0.2 * land.depth, 1.2 * land.depth);
    goal.target[2] = within(goal.target[2], land.low - 0.1 * side, land.high + 0.3 * side);
  }

  /** The view as a text that `parseView` reads. */
  text(): string {
    const numbers = [...eyeOf(this.goal), ...this.goal.target];
    return `eye:${numbers.map((value) => Number(value.toPrecision(6))).join(",")}`;
  }

  get distance(): number {
    return this.now.distance;
  }

  /** The rectangle of the land that is in the picture: x0, y0, x1, y1 [m]. */
  sees(land: Extent): [number, number, number, number] {
    const { lens } = this;
    const whole = new THREE.Matrix4().multiplyMatrices(lens.projectionMatrix, lens.matrixWorldInverse);
    const frustum = new THREE.Frustum().setFromProjectionMatrix(whole);
    const box = new THREE.Box3();
    const [sx, sy] = [land.width / PARTS, land.depth / PARTS];
    const seen = new THREE.Box3();
    for (let j = 0; j < PARTS; j++)
      for (let i = 0; i < PARTS; i++) {
        box.min.set(i * sx, j * sy, land.low);
        box.max.set((i + 1) * sx, (j + 1) * sy, land.high);
        if (!frustum.intersectsBox(box)) continue;
        seen.expandByPoint(box.min).expandByPoint(box.max);
      }
    return seen.isEmpty() ? [0, 0, 0, 0] : [seen.min.x, seen.min.y, seen.max.x, seen.max.y];
  }

  /** Go on to the time `now` [ms], for a picture of this aspect. */
  update(now: number, aspect: number, still = false): void {
    const share = still ? 1 : 1 - Math.exp(-Math.min(Math.max(now - this.last, 0), 100) / EASE);
    this.last = now;
    const { goal, now: at } = this;
    at.azimuth += share * (goal.azimuth - at.azimuth);
    at.elevation += share * (goal.elevation - at.elevation);
    at.distance *= Math.pow(goal.distance / at.distance, share);
    at.target.forEach((value, k) => (at.target[k] = value + share * (goal.target[k] - value)));
    const [x, y, z] = eyeOf(at);
    const clear = this.floor(x, y) + 0.01 * at.distance + 0.002 * Math.max(this.land.width, this.land.depth);
    const { lens, land } = this;
    lens.position.set(x, y, Math.max(z, clear));
    lens.lookAt(...at.target);
    const far = Math.hypot(land.width, land.depth, land.high - land.low) * 1.3 + 1.5 * at.distance;
    lens.near = Math.max(0.02 * at.distance, far * 2e-5);
    lens.far = far + at.distance;
    lens.aspect = aspect;
    lens.fov = fovOf(aspect);
    lens.updateProjectionMatrix();
    lens.updateMatrixWorld();
  }
}
