import * as THREE from "three";
import cutFragment from "./glsl/cut.frag.glsl?raw";
import ground from "./glsl/ground.glsl?raw";
import landFragment from "./glsl/land.frag.glsl?raw";
import latticeVertex from "./glsl/lattice.vert.glsl?raw";
import light from "./glsl/light.glsl?raw";
import mapsShader from "./glsl/maps.glsl?raw";
import marks from "./glsl/marks.glsl?raw";
import netShader from "./glsl/net.glsl?raw";
import shadow from "./glsl/shadow.glsl?raw";
import sideVertex from "./glsl/side.vert.glsl?raw";
import waterFragment from "./glsl/water.frag.glsl?raw";
import { border, Lattice } from "./lattice";
import type { Maps } from "./maps";
import { material, type Uniforms } from "./pass";

/** Shaders of whatever stands in the light, from these pieces. */
export const LIT = light + mapsShader + shadow + netShader + ground;

/** The land and the water of one world: lattice, cut sides, and their materials. */
export class Stage {
  readonly lattice: Lattice;
  readonly land = new THREE.Group();
  readonly water = new THREE.Group();
  private readonly sides: THREE.BufferGeometry;

  constructor(maps: Maps, uniforms: Uniforms, low: boolean) {
    this.lattice = new Lattice(maps.lattice, maps.uniforms.size.value);
    this.sides = border(maps.lattice);
    const surface = (height: string) => mapsShader + latticeVertex.replace("HEIGHT", height);
    const side = (above: string, below: string) =>
      mapsShader + sideVertex.replace("ABOVE", above).replace("BELOW", below);
    const both = { side: THREE.DoubleSide };
    const pieces = (low ? "#define LOW\n" : "") + LIT + marks;
    this.land.add(...this.lattice.meshes((own) => material(surface("both.x"), pieces + landFragment, { ...uniforms, ...own }, both)));
    this.water.add(...this.lattice.meshes((own) =>
      material(surface("both.y"), pieces + waterFragment, { ...uniforms, ...own }, both)));
    const soil = material(side("both.x", "base"), pieces + cutFragment, uniforms);
    const glass = material(side("max(both.x, both.y)", "both.x"), "#define SIDE\n" + pieces + waterFragment, uniforms);
    for (const [group, look] of [[this.land, soil], [this.water, glass]] as const) {
      const mesh = new THREE.Mesh(this.sides, look);
      mesh.frustumCulled = false;
      group.add(mesh);
    }
  }

  dispose(): void {
    this.lattice.dispose();
    this.sides.dispose();
    for (const group of [this.land, this.water])
      for (const mesh of group.children) ((mesh as THREE.Mesh).material as THREE.Material).dispose();
  }
}
