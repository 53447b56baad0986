import { sample } from "./fields";

/** How far above the water its sand reaches [m]. */
export function shore(cell: number, relief: number): number {
  return Math.min(Math.max(Math.min(0.75 * cell, 0.2 * relief), 1e-3), 4);
}

/**
 * How high the ground stands above the water near it [m], where there is some; else above the
 * bottom of the hollow it lies in: beds of streams to come.  As koski/render/materials.py has it.
 */
export function aboveWater(ground: Float32Array, depth: Float32Array, nx: number, ny: number, cell: number, sand: number): Float32Array {
  const film = Math.max(1e-3, 1e-3 * cell); // thinner water is none
  const side = Math.max(2, Math.floor(Math.max(nx, ny) / 40));
  const columns = Math.ceil(nx / side), rows = Math.ceil(ny / side), blocks = columns * rows;
  const [wet, level, mean, least] = [0, 0, 0, Infinity].map((start) => new Float32Array(blocks).fill(start));
  const count = new Float32Array(blocks);
  for (let j = 0, at = 0; j < ny; j++)
    for (let i = 0; i < nx; i++, at++) {
      const block = Math.floor(j / side) * columns + Math.floor(i / side);
      count[block]++;
      mean[block] += ground[at];
      least[block] = Math.min(least[block], ground[at]);
      if (depth[at] > film) {
        wet[block]++;
        level[block] += ground[at] + depth[at];
      }
    }
  const here = new Float32Array(blocks);
  for (let n = 0; n < blocks; n++) {
    here[n] = wet[n] > 0 ? 1 : 0;
    level[n] = wet[n] > 0 ? level[n] / wet[n] : 0;
    mean[n] /= count[n];
  }
  const near = soften(here, columns, rows, 6), levels = soften(level, columns, rows, 6);
  const usual = soften(around(mean, columns, rows, 4, median), columns, rows, 1);
  const bottom = soften(around(least, columns, rows, 2, (f) => Math.min(...f)), columns, rows, 1);
  const above = new Float32Array(nx * ny);
  for (let j = 0, at = 0; j < ny; j++)
    for (let i = 0; i < nx; i++, at++) {
      const look = (f: Float32Array) => sample(f, columns, rows, (i + 0.5) / side, (j + 0.5) / side);
      const b = ground[at], close = look(near);
      const beach = Math.abs(b - look(levels) / Math.max(close, 1e-6)) + 3 * sand * Math.min(Math.max(1 - 10 * close, 0), 1);
      const dent = 3 * sand * (1 - (look(usual) - b) / cell);
      const bed = Math.max(2 * (b - look(bottom)), dent);
      const dry = Math.max(close > 1e-3 ? Math.min(bed, beach) : bed, 0);
      above[at] = depth[at] > film ? -depth[at] : dry;
    }
  return above;
}

/** Each value made from those within `reach` of it. */
function around(f: Float32Array, columns: number, rows: number, reach: number, pick: (values: number[]) => number): Float32Array {
  return f.map((_, n) => {
    const values: number[] = [];
    for (let dj = -reach; dj <= reach; dj++)
      for (let di = -reach; di <= reach; di++) {
        const i = Math.min(Math.max((n % columns) + di, 0), columns - 1);
        const j = Math.min(Math.max(Math.floor(n / columns) + dj, 0), rows - 1);
        values.push(f[j * columns + i]);
      }
    return pick(values);
  });
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

function soften(f: Float32Array, columns: number, rows: number, times: number): Float32Array {
  const weights = [1, 2, 1, 2, 4, 2, 1, 2, 1];
  for (let k = 0; k < times; k++)
    f = around(f, columns, rows, 1, (values) => values.reduce((sum, value, n) => sum + (weights[n] * value) / 16, 0));
  return f;
}
