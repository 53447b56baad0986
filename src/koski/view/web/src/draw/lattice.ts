import * as THREE from "three";
import type { Uniforms } from "./pass";

const SPAN = 64; // points along a chunk
const STRIDES = [1, 2, 4, 8];
const FINE = 2.2; // pixels that a side of a square is wide at least, before every other point is left out

/** The lattice in chunks, coarser where they are far away, and only those in view. */
export class Lattice {
  private readonly columns: number;
  private readonly rows: number;
  private readonly levels: THREE.InstancedBufferGeometry[];
  private readonly box = new THREE.Box3();
  private readonly strides: Uint8Array;
  triangles = 0;

  constructor(private readonly points: THREE.Vector2, private readonly size: THREE.Vector2) {
    this.columns = Math.ceil((points.x - 1) / SPAN);
    this.rows = Math.ceil((points.y - 1) / SPAN);
    this.strides = new Uint8Array(this.columns * this.rows);
    this.levels = STRIDES.map((stride) => chunk(stride, this.columns * this.rows));
  }

  /** A mesh of all chunks for each coarseness; `make` gives its material. */
  meshes(make: (stride: Uniforms) => THREE.Material): THREE.Mesh[] {
    return this.levels.map((level, k) => {
      const mesh = new THREE.Mesh(level, make({ stride: { value: STRIDES[k] }, span: { value: SPAN } }));
      mesh.frustumCulled = false;
      return mesh;
    });
  }

  /** Choose which chunks to draw, and how finely. */
  choose(frustum: THREE.Frustum, eye: THREE.Vector3, low: number, high: number, pixel: number, coarser: number): void {
    const { columns, rows, strides, size, points } = this;
    const [sx, sy] = [size.x / (points.x - 1), size.y / (points.y - 1)];
    const counts = STRIDES.map(() => 0);
    const seen: number[] = [];
    const far = new Float32Array(columns * rows);
    for (let n = 0; n < columns * rows; n++) {
      const [i, j] = [n % columns, Math.floor(n / columns)];
      this.box.min.set(i * SPAN * sx, j * SPAN * sy, low);
      this.box.max.set(Math.min((i + 1) * SPAN * sx, size.x), Math.min((j + 1) * SPAN * sy, size.y), high);
      if (frustum.intersectsBox(this.box)) seen.push(n);
      far[n] = this.box.distanceToPoint(eye);
      const wide = sx / Math.max(far[n] * pixel, 1e-9); // of a square [pixels]
      const level = Math.max(Math.ceil(Math.log2(FINE / wide)), 0) + coarser;
      strides[n] = Math.min(level, STRIDES.length - 1);
    }
    this.triangles = 0;
    for (const n of seen.sort((a, b) => far[a] - far[b])) { // the nearest hide the others
      const [i, j, level] = [n % columns, Math.floor(n / columns), strides[n]];
      const beside = (di: number, dj: number) => {
        const [x, y] = [i + di, j + dj];
        return x < 0 || y < 0 || x >= columns || y >= rows ? 1 : STRIDES[strides[y * columns + x]];
      };
      const at = counts[level]++;
      const { corner, edges } = this.levels[level].attributes;
      (corner as THREE.InstancedBufferAttribute).setXY(at, i * SPAN, j * SPAN);
      (edges as THREE.InstancedBufferAttribute).setXYZW(at, beside(-1, 0), beside(1, 0), beside(0, -1), beside(0, 1));
      this.triangles += 2 * (SPAN / STRIDES[level]) ** 2;
    }
    this.levels.forEach((level, k) => {
      level.instanceCount = counts[k];
      level.attributes.corner.needsUpdate = level.attributes.edges.needsUpdate = true;
    });
  }

  dispose(): void {
    for (const level of this.levels) level.dispose();
  }
}

/** A chunk's points, one row and column beyond it: chunks overlap, so that no pixel is left between them. */
function chunk(stride: number, most: number): THREE.InstancedBufferGeometry {
  const n = SPAN / stride + 1;
  const made = new THREE.InstancedBufferGeometry();
  const position = new Float32Array(3 * (n + 1) ** 2);
  const index: number[] = [];
  for (let j = 0, at = 0; j <= n; j++)
    for (let i = 0; i <= n; i++, at++) {
      position.set([i * stride, j * stride, 0], 3 * at);
      if (i < n && j < n) index.push(at, at + 1, at + n + 2, at, at + n + 2, at + n + 1);
    }
  made.setAttribute("position", new THREE.BufferAttribute(position, 3));
  made.setIndex(index);
  for (const [name, size] of [["corner", 2], ["edges", 4]] as const) {
    const attribute = new THREE.InstancedBufferAttribute(new Float32Array(size * most), size);
    made.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
  }
  made.instanceCount = 0;
  return made;
}

/** The four cut sides: points of the lattice's border, below and above, with the way outward. */
export function border(points: THREE.Vector2): THREE.BufferGeometry {
  const [nx, ny] = [points.x - 1, points.y - 1];
  const position: number[] = [], outward: number[] = [], index: number[] = [];
  const wall = (n: number, at: (k: number) => [number, number], way: [number, number]) => {
    for (let k = 0; k <= n; k++) {
      const first = position.length / 3;
      position.push(...at(k), 0, ...at(k), 1);
      outward.push(...way, ...way);
      if (k < n) index.push(first, first + 2, first + 3, first, first + 3, first + 1);
    }
  };
  wall(nx, (k) => [k, 0], [0, -1]);
  wall(ny, (k) => [nx, k], [1, 0]);
  wall(nx, (k) => [nx - k, ny], [0, 1]);
  wall(ny, (k) => [0, ny - k], [-1, 0]);
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  made.setAttribute("outward", new THREE.Float32BufferAttribute(outward, 2));
  made.setIndex(index);
  return made;
}
