import * as THREE from "three";
import type { Frame } from "../frame";
import type { WorldInfo } from "../messages";
import { aboveWater, shore } from "./above";
import { Crowd } from "./bodies";
import type { Extent } from "./camera";
import { Fields } from "./fields";
import { Maps } from "./maps";
import { Marks } from "./marks";
import type { Uniforms } from "./pass";
import { Stage } from "./stage";

const THICK = 0.06; // of the land below its lowest point, as a share of its shorter side
const HAZE = 0.07; // share of the light that hazy air takes away over the land's longer side
const RIPPLES = 12; // cells that the largest tile of ripples is wide

/** One world on the GPU: its maps, land, water, bodies and marks. */
export class Place {
  readonly fields: Fields;
  readonly maps: Maps;
  readonly crowd: Crowd;
  readonly marks: Marks;
  readonly land: Extent;
  stage: Stage;
  private readonly uniforms: Uniforms;
  private readonly above: THREE.DataTexture;

  constructor(renderer: THREE.WebGLRenderer, public world: WorldInfo, shared: Uniforms, low: boolean) {
    const { nx, ny, cell } = world;
    this.land = { width: nx * cell, depth: ny * cell, mean: 0, low: 0, high: 1 };
    this.fields = new Fields(nx, ny);
    this.maps = new Maps(renderer, this.fields, cell, shared.sun as THREE.IUniform<THREE.Vector3>, low);
    this.above = new THREE.DataTexture(new Uint16Array(nx * ny), nx, ny, THREE.RedFormat, THREE.HalfFloatType);
    this.above.minFilter = this.above.magFilter = THREE.LinearFilter;
    shared.haze.value = HAZE / Math.max(this.land.width, this.land.depth);
    const fastest = { value: 1 };
    this.uniforms = {
      ...shared, ...this.maps.uniforms, aboveMap: { value: this.above }, base: { value: 0 },
      site: { value: new THREE.Vector3(0, 1, 1) }, tile: { value: Math.min(Math.max(RIPPLES * cell, 2), 60) }, fastest,
    };
    this.stage = new Stage(this.maps, this.uniforms, low);
    this.crowd = new Crowd(this.uniforms);
    this.marks = new Marks(this.uniforms, fastest);
  }

  /** Is there anything to see yet? */
  get ready(): boolean {
    return this.fields.full;
  }

  /** Where the block of land ends below [m]. */
  get base(): number {
    return this.uniforms.base.value;
  }

  /** Take the newest state. */
  accept(frame: Frame): void {
    const first = !this.ready;
    const dug = this.fields.accept(frame);
    if (!this.ready) return;
    this.crowd.accept(frame.poses, frame.header.bodies);
    this.uniforms.fastest.value = this.fields.fastest;
    const ground = frame.fields.find((field) => field.name === "ground");
    if (dug && ground) {
      const { land } = this;
      Object.assign(land, { low: ground.low, high: ground.high });
      this.uniforms.base.value = land.low - THICK * Math.min(land.width, land.depth);
      this.maps.relight();
    }
    if (first) this.settle();
  }

  /** Find what the first state tells once and for all: how high the land is, where its beaches are. */
  private settle(): void {
    const { world, fields, above, land } = this;
    const { nx, ny, cell } = world;
    land.mean = fields.ground.reduce((sum, b) => sum + b, 0) / fields.ground.length;
    const sand = shore(cell, land.high - land.low);
    const texels = above.image.data as Uint16Array;
    aboveWater(fields.ground, fields.depth, nx, ny, cell, sand)
      .forEach((value, k) => (texels[k] = THREE.DataUtils.toHalfFloat(Math.min(Math.max(value, -6e4), 6e4))));
    above.needsUpdate = true;
    this.uniforms.site.value.set(land.low, land.high - land.low, sand);
  }

  /** Draw less, or all. */
  lower(low: boolean): void {
    this.stage.dispose();
    this.stage = new Stage(this.maps, this.uniforms, low);
  }

  dispose(): void {
    for (const thing of [this.maps, this.stage, this.crowd, this.marks, this.above]) thing.dispose();
  }
}
