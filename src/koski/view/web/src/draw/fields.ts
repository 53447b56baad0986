import type { Field, Frame } from "../frame";

/** The maps of the newest state, as numbers, and which tiles of them the GPU has not got yet. */
export class Fields {
  readonly ground: Float32Array;
  readonly surface: Float32Array;
  readonly depth: Float32Array;
  /** Four maps a texture, laid side by side cell by cell. */
  readonly heights: Float32Array; // ground, surface, depth, overlay
  readonly flow: Float32Array; // u, v, foam, wet
  readonly dyes: Float32Array; // up to four dyes
  readonly stale = { heights: new Set<number>(), flow: new Set<number>(), dyes: new Set<number>() };
  readonly dyeNames: string[] = [];
  tile = 64;
  overlay = { name: "", low: 0, high: 1 };
  deepest = 0; // [m]
  fastest = 0; // [m/s]
  full = false; // has a whole state come?

  constructor(readonly nx: number, readonly ny: number) {
    const cells = nx * ny;
    [this.ground, this.surface, this.depth] = [0, 1, 2].map(() => new Float32Array(cells));
    [this.heights, this.flow, this.dyes] = [0, 1, 2].map(() => new Float32Array(4 * cells));
  }

  /** Take over the tiles of a frame; true where the ground changed. */
  accept(frame: Frame): boolean {
    this.tile = frame.header.tile;
    let dug = false;
    for (const field of frame.fields) {
      const slot = this.slot(field);
      if (!slot) continue;
      const [target, channel, stale, plain] = slot;
      for (let k = 0; k < field.numbers.length; k++) {
        this.lay(field, k, target, channel, plain);
        stale.add(field.numbers[k]);
      }
      dug ||= field.name === "ground" && field.numbers.length > 0;
      if (field.name === "depth") this.deepest = spread(this.deepest, field.high);
      if (field.name === "u" || field.name === "v")
        this.fastest = spread(this.fastest, Math.max(Math.abs(field.low), Math.abs(field.high)));
    }
    this.full ||= frame.fields.some((f) => f.name === "ground");
    return dug;
  }

  /** Where a field of this name is kept: array, channel, tiles to tell, and a plain copy. */
  private slot({ name, low, high }: Field): [Float32Array, number, Set<number>, Float32Array?] | null {
    const { heights, flow, dyes, stale } = this;
    switch (name) {
      case "ground": return [heights, 0, stale.heights, this.ground];
      case "surface": return [heights, 1, stale.heights, this.surface];
      case "depth": return [heights, 2, stale.heights, this.depth];
      case "u": return [flow, 0, stale.flow];
      case "v": return [flow, 1, stale.flow];
      case "foam": return [flow, 2, stale.flow];
      case "wet": return [flow, 3, stale.flow];
    }
    if (name.startsWith("dye:")) {
      if (!this.dyeNames.includes(name)) this.dyeNames.push(name);
      const channel = this.dyeNames.indexOf(name);
      return channel < 4 ? [dyes, channel, stale.dyes] : null;
    }
    this.overlay = { name, low, high };
    return [heights, 3, stale.heights];
  }

  private lay(field: Field, k: number, target: Float32Array, channel: number, plain?: Float32Array): void {
    const box = tileBox(field.numbers[k], this.tile, this.nx, this.ny);
    decodeTile(field.tiles[k], field.low, field.high, box, this.nx, target, channel, plain);
  }
}

export interface Box { x: number; y: number; width: number; height: number }

/** The cells of a tile, clipped at the edge of the grid. */
export function tileBox(number: number, tile: number, nx: number, ny: number): Box {
  const columns = Math.ceil(nx / tile);
  const x = (number % columns) * tile;
  const y = Math.floor(number / columns) * tile;
  return { x, y, width: Math.min(tile, nx - x), height: Math.min(tile, ny - y) };
}

/** Lay 16-bit shares out as numbers, in one of four channels of a map `nx` cells wide. */
export function decodeTile(
  q: Uint16Array, low: number, high: number, box: Box, nx: number,
  target: Float32Array, channel: number, plain?: Float32Array,
): void {
  const step = (high - low) / 65535;
  let from = 0;
  for (let j = 0; j < box.height; j++) {
    let to = (box.y + j) * nx + box.x;
    for (let i = 0; i < box.width; i++, to++) {
      const value = low + step * q[from++];
      target[4 * to + channel] = value;
      if (plain) plain[to] = value;
    }
  }
}

/** A scale that follows quickly up and slowly down, so that colours do not flicker. */
function spread(old: number, now: number): number {
  return Math.max(now, old + 0.02 * (now - old));
}

/** The value of a map at a place [cells, from the corner], linear between the cells' centres. */
export function sample(map: Float32Array, nx: number, ny: number, x: number, y: number): number {
  const cx = Math.min(Math.max(x - 0.5, 0), nx - 1.0001);
  const cy = Math.min(Math.max(y - 0.5, 0), ny - 1.0001);
  const i = Math.floor(cx), j = Math.floor(cy);
  const at = j * nx + i;
  const right = i + 1 < nx ? 1 : 0, up = j + 1 < ny ? nx : 0;
  const near = map[at] + (cx - i) * (map[at + right] - map[at]);
  const far = map[at + up] + (cx - i) * (map[at + up + right] - map[at + up]);
  return near + (cy - j) * (far - near);
}
