import { sample, type Fields } from "./fields";

export interface Ray { from: [number, number, number]; to: [number, number, number] } // `to` is a unit vector

/** How far along a ray the land or the water is; null where it meets neither. */
export function march(ray: Ray, fields: Fields, cell: number, high: number): number | null {
  const { nx, ny } = fields;
  const [width, depth] = [nx * cell, ny * cell];
  const [begin, end] = within(ray, width, depth, high);
  if (begin > end) return null;
  const level = Math.hypot(ray.to[0], ray.to[1]);
  const step = Math.max((0.5 * cell) / Math.max(level, 0.05), (end - begin) / 4000);
  const above = (t: number) => {
    const [x, y, z] = ray.from.map((value, k) => value + t * ray.to[k]);
    return z - top(fields, x / cell, y / cell);
  };
  let before = begin;
  if (above(before) < 0) return null; // it comes in through the cut side of the block
  for (let t = begin + step; t < end + step; t += step) {
    const at = Math.min(t, end);
    if (above(at) < 0) {
      let [near, far] = [before, at];
      for (let k = 0; k < 12; k++) {
        const middle = (near + far) / 2;
        if (above(middle) < 0) far = middle;
        else near = middle;
      }
      return far;
    }
    before = at;
  }
  return null;
}

/** The height of what is seen from above at a place [cells]: water, or ground where it is dry. */
export function top(fields: Fields, x: number, y: number): number {
  const { nx, ny } = fields;
  const ground = sample(fields.ground, nx, ny, x, y);
  const wet = sample(fields.depth, nx, ny, x, y);
  return wet > 2e-3 ? Math.max(sample(fields.surface, nx, ny, x, y), ground) : ground;
}

/** Where a ray goes into the block of land and out of it. */
function within(ray: Ray, width: number, depth: number, high: number): [number, number] {
  let [begin, end] = [0, Infinity];
  for (const [k, low, most] of [[0, 0, width], [1, 0, depth], [2, -Infinity, high]] as const) {
    const [from, to] = [ray.from[k], ray.to[k]];
    if (Math.abs(to) < 1e-9) {
      if (from < low || from > most) return [1, 0];
      continue;
    }
    const [one, two] = [(low - from) / to, (most - from) / to];
    begin = Math.max(begin, Math.min(one, two));
    end = Math.min(end, Math.max(one, two));
  }
  return [begin, end];
}

/** How far along a ray a box is, with half its sides given and the ray in its own frame. */
export function hitBox(ray: Ray, half: number[]): number | null {
  let [begin, end] = [0, Infinity];
  for (let k = 0; k < 3; k++) {
    const to = Math.abs(ray.to[k]) < 1e-9 ? 1e-9 : ray.to[k];
    const [one, two] = [(-half[k] - ray.from[k]) / to, (half[k] - ray.from[k]) / to];
    begin = Math.max(begin, Math.min(one, two));
    end = Math.min(end, Math.max(one, two));
  }
  return begin <= end ? begin : null;
}

/** A vector turned by the inverse of a rotation (w, x, y, z). */
export function unturn([w, x, y, z]: ArrayLike<number> & Iterable<number>, v: number[]): [number, number, number] {
  const tx = 2 * (z * v[1] - y * v[2]), ty = 2 * (x * v[2] - z * v[0]), tz = 2 * (y * v[0] - x * v[1]);
  return [v[0] + w * tx + (z * ty - y * tz), v[1] + w * ty + (x * tz - z * tx), v[2] + w * tz + (y * tx - x * ty)];
}
