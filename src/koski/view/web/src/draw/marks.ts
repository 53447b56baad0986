import * as THREE from "three";
import type { SpringInfo } from "../messages";
import arrowsFragment from "./glsl/arrows.frag.glsl?raw";
import arrowsVertex from "./glsl/arrows.vert.glsl?raw";
import mapsShader from "./glsl/maps.glsl?raw";
import springFragment from "./glsl/spring.frag.glsl?raw";
import springVertex from "./glsl/spring.vert.glsl?raw";
import { material, type Uniforms } from "./pass";

const ARROWS = 36; // along the longer side

/** What is drawn over the water: arrows of its flow, and where springs and drains are. */
export class Marks {
  readonly group = new THREE.Group();
  readonly arrows: THREE.Mesh;
  private readonly springs: THREE.Mesh;
  private readonly cell: number;

  constructor(uniforms: Uniforms, fastest: THREE.IUniform<number>) {
    const size = uniforms.size.value as THREE.Vector2;
    this.cell = uniforms.cell.value;
    const gap = Math.max(size.x, size.y) / ARROWS;
    const [across, along] = [Math.ceil(size.x / gap), Math.ceil(size.y / gap)];
    const look = material(mapsShader + arrowsVertex, arrowsFragment, {
      ...uniforms, across: { value: across }, gap: { value: gap }, fastest,
      shown: { value: Math.max(2e-3, 1e-3 * this.cell) },
    }, { side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -8 });
    const form = arrow();
    form.instanceCount = across * along;
    this.arrows = new THREE.Mesh(form, look);
    const mark = material(mapsShader + springVertex, springFragment, uniforms, { side: THREE.DoubleSide });
    this.springs = new THREE.Mesh(new THREE.InstancedBufferGeometry(), mark);
    this.group.add(this.arrows, this.springs);
    for (const mesh of [this.arrows, this.springs]) mesh.frustumCulled = false;
    this.set([]);
  }

  /** Mark these springs and drains. */
  set(springs: SpringInfo[]): void {
    this.springs.geometry.dispose();
    const ring = new THREE.TorusGeometry(1, 0.045, 6, 48);
    const cone = new THREE.ConeGeometry(0.45, 1.2, 20).rotateX(Math.PI / 2).translate(0, 0, 2.2);
    const form = new THREE.InstancedBufferGeometry();
    for (const name of ["position", "normal"]) {
      const both = [ring, cone].flatMap((part) => Array.from(part.attributes[name].array));
      form.setAttribute(name, new THREE.Float32BufferAttribute(both, 3));
    }
    const first = ring.attributes.position.count;
    form.setIndex([...Array.from(ring.index!.array), ...Array.from(cone.index!.array, (k) => k + first)]);
    const place = springs.flatMap((s) => [s.x, s.y, Math.max(s.radius, this.cell), s.discharge]);
    form.setAttribute("place", new THREE.InstancedBufferAttribute(new Float32Array(place), 4));
    form.instanceCount = springs.length;
    this.springs.geometry = form;
    this.springs.visible = springs.length > 0;
  }

  dispose(): void {
    for (const mesh of [this.arrows, this.springs]) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
  }
}

/** An arrow from 0 to 1 along x, with a rim about it: rows along, across, rim. */
function arrow(): THREE.InstancedBufferGeometry {
  const made = new THREE.InstancedBufferGeometry();
  const outline = [[0, 0.05], [0.6, 0.05], [0.55, 0.17], [1, 0]];
  const wide = [[-0.04, 0.095], [0.53, 0.095], [0.46, 0.26], [1.12, 0]];
  const position: number[] = [], index: number[] = [];
  for (const sign of [1, -1])
    outline.forEach(([x, y], k) => {
      position.push(x, 0, 0, x, sign * y, 0.3, wide[k][0], sign * wide[k][1], 1);
      const at = position.length / 3 - 6;
      if (k > 0) index.push(at, at + 3, at + 4, at, at + 4, at + 1, at + 1, at + 4, at + 5, at + 1, at + 5, at + 2);
    });
  made.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  made.setIndex(index);
  return made;
}
