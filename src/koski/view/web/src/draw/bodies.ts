import * as THREE from "three";
import type { Bodies, PartInfo } from "../messages";
import { bounds, FORMS, halves, meshForm } from "./forms";
import bodyFragment from "./glsl/body.frag.glsl?raw";
import bodyVertex from "./glsl/body.vert.glsl?raw";
import depthFragment from "./glsl/depth.frag.glsl?raw";
import marks from "./glsl/marks.glsl?raw";
import { material, type Uniforms } from "./pass";
import { hitBox, unturn, type Ray } from "./pick";
import { LIT } from "./stage";

const MATERIALS = ["wood", "crate", "metal", "stone", "paint"];
const USUAL = [[0.33, 0.215, 0.115], [0.4, 0.275, 0.15], [0.42, 0.425, 0.43], [0.27, 0.26, 0.25], [1, 1, 1]]; // their own light
const POSE = 7;

interface Piece { body: number; part: PartInfo; form: THREE.InstancedBufferGeometry; at: number; half: number[]; middle: number[] }

/** All bodies: each part is an instance of its shape, moved to where its body is. */
export class Crowd {
  readonly group = new THREE.Group();
  readonly shadows = new THREE.Group(); // the same, as the sun's shadow map needs it
  private keys: number[] = [];
  private pieces: Piece[] = [];
  private forms: THREE.InstancedBufferGeometry[] = [];
  private was = new Float32Array(0); // poses shown when the newest came
  private next = new Float32Array(0);
  private now = new Float32Array(0);
  version = -1;
  private readonly looks: { lit: THREE.RawShaderMaterial; dark: THREE.RawShaderMaterial };

  constructor(uniforms: Uniforms) {
    this.looks = {
      lit: material(bodyVertex, LIT + marks + bodyFragment, uniforms),
      dark: material(bodyVertex, depthFragment, uniforms, { side: THREE.DoubleSide, colorWrite: false }),
    };
  }

  /** Bodies that are there from now on; those that were before go on from where they were. */
  set({ bodies, version }: Bodies): void {
    const old = new Map(this.keys.map((key, k) => [key, this.now.slice(POSE * k, POSE * (k + 1))]));
    this.clear();
    this.version = version;
    this.keys = bodies.map((body) => body.key);
    this.now = new Float32Array(POSE * bodies.length).fill(NaN);
    this.keys.forEach((key, k) => this.now.set(old.get(key) ?? [], POSE * k));
    this.was = this.now.slice();
    this.next = this.now.slice();
    const shapes = new Map<string, Piece[]>();
    bodies.forEach((body, k) => {
      for (const part of body.parts) {
        const shape = part.shape === "mesh" ? `mesh ${k} ${shapes.size}` : part.shape;
        const piece = { body: k, part, ...bounds(part) } as Piece;
        shapes.set(shape, [...(shapes.get(shape) ?? []), piece]);
      }
    });
    for (const [shape, pieces] of shapes) {
      const plain = FORMS[shape]?.() ?? meshForm(pieces[0].part);
      const form = new THREE.InstancedBufferGeometry().copy(plain as THREE.InstancedBufferGeometry);
      const attribute = (name: string, size: number) =>
        form.setAttribute(name, new THREE.InstancedBufferAttribute(new Float32Array(size * pieces.length), size));
      for (const [name, size] of [["place", 3], ["turn", 4], ["grow", 3], ["tint", 3], ["looks", 2]] as const) attribute(name, size);
      form.instanceCount = pieces.length;
      pieces.forEach((piece, at) => {
        Object.assign(piece, { form, at });
        const { grow, stretch } = halves(piece.part);
        const body = bodies[piece.body];
        form.attributes.grow.setXYZ(at, ...grow);
        const stuff = Math.max(MATERIALS.indexOf(body.material), 0);
        const [r, g, b] = body.color.map((c, k) => Math.min(linear(c) / USUAL[stuff][k], 3)); // a factor on the material's
        form.attributes.tint.setXYZ(at, r, g, b);
        form.attributes.looks.setXY(at, stuff, stretch);
      });
      this.pieces.push(...pieces);
      this.forms.push(form);
      for (const [group, look] of [[this.group, this.looks.lit], [this.shadows, this.looks.dark]] as const) {
        const mesh = new THREE.Mesh(form, look);
        mesh.frustumCulled = false;
        group.add(mesh);
      }
    }
    this.move(1); // a hand may reach for them before the next picture
  }

  get count(): number {
    return this.keys.length;
  }

  /** The newest poses: what is shown goes from what it is to them. */
  accept(poses: Float32Array, version: number): void {
    if (version !== this.version || poses.length !== this.next.length) return;
    this.was.set(this.now);
    this.next.set(poses);
    for (let k = 0; k < poses.length; k++) if (Number.isNaN(this.was[k])) this.was[k] = poses[k];
  }

  /** Move all to a share of the way to the newest poses. */
  move(share: number): void {
    const [a, b] = [new THREE.Quaternion(), new THREE.Quaternion()];
    const { was, next, now } = this;
    for (let k = 0; k < now.length; k += POSE) {
      for (let c = 0; c < 3; c++) now[k + c] = was[k + c] + share * (next[k + c] - was[k + c]);
      a.set(was[k + 4], was[k + 5], was[k + 6], was[k + 3]).slerp(b.set(next[k + 4], next[k + 5], next[k + 6], next[k + 3]), share);
      now.set([a.w, a.x, a.y, a.z], k + 3);
    }
    const [place, turn] = [new THREE.Vector3(), new THREE.Quaternion()];
    for (const { body, part, form, at } of this.pieces) {
      const k = POSE * body;
      a.set(now[k + 4], now[k + 5], now[k + 6], now[k + 3]);
      place.fromArray(part.place).applyQuaternion(a);
      turn.copy(a).multiply(b.set(part.turn[1], part.turn[2], part.turn[3], part.turn[0]));
      form.attributes.place.setXYZ(at, place.x + now[k], place.y + now[k + 1], place.z + now[k + 2]);
      form.attributes.turn.setXYZW(at, turn.x, turn.y, turn.z, turn.w);
    }
    for (const form of this.forms) form.attributes.place.needsUpdate = form.attributes.turn.needsUpdate = true;
  }

  /** The body that a ray meets first, and how far away. */
  hit(ray: Ray): { body: number; way: number } | null {
    let best: { body: number; way: number } | null = null;
    for (const { body, form, at, half, middle } of this.pieces) {
      const { place, turn } = form.attributes;
      const q = [turn.getW(at), turn.getX(at), turn.getY(at), turn.getZ(at)];
      const from = unturn(q, [ray.from[0] - place.getX(at), ray.from[1] - place.getY(at), ray.from[2] - place.getZ(at)]);
      const own = from.map((value, k) => value - middle[k]) as [number, number, number];
      const way = hitBox({ from: own, to: unturn(q, ray.to) }, half);
      if (way !== null && (!best || way < best.way)) best = { body: this.keys[body], way };
    }
    return best;
  }

  private clear(): void {
    this.group.clear();
    this.shadows.clear();
    for (const form of this.forms) form.dispose();
    this.forms = [];
    this.pieces = [];
  }

  dispose(): void {
    this.clear();
    this.looks.lit.dispose();
    this.looks.dark.dispose();
  }
}

/** The light of a display's value.      IEC 61966-2-1 */
export function linear(c: number): number {
  return c > 0.04045 ? ((c + 0.055) / 1.055) ** 2.4 : c / 12.92;
}
