import * as THREE from "three";
import { medium, type Water } from "./media";
import type { Uniforms } from "./pass";
import { COLUMNS, ROWS, skyAt } from "./sky";

/** The light of the day and what the water takes of it, as shaders read them. */
export class Lights {
  private readonly table = new THREE.DataTexture(new Uint16Array(4 * ROWS * COLUMNS), COLUMNS, ROWS, THREE.RGBAFormat, THREE.HalfFloatType);
  private hour = NaN;
  private water: Water | "" = "";
  readonly uniforms: Uniforms = {
    sun: { value: new THREE.Vector3(0, 0, 1) }, sunlight: { value: new THREE.Vector3() },
    ambient: { value: new THREE.Vector3() }, farLand: { value: new THREE.Vector3() },
    heading: { value: new THREE.Vector2() }, skyTable: { value: this.table }, discShown: { value: 1 },
    takes: { value: new THREE.Vector3() }, scatters: { value: new THREE.Vector3() },
    haze: { value: 0 }, eye: { value: new THREE.Vector3() }, exposure: { value: 1 },
  };

  constructor() {
    this.table.minFilter = this.table.magFilter = THREE.LinearFilter;
  }

  /** Set the hour and the water; true where the sun has moved. */
  set(hour: number, water: Water): boolean {
    const { uniforms } = this;
    if (water !== this.water) {
      const { takes, scatters } = medium(water);
      uniforms.takes.value.fromArray(takes);
      uniforms.scatters.value.fromArray(scatters);
      this.water = water;
    }
    if (hour === this.hour) return false;
    this.hour = hour;
    const sky = skyAt(hour);
    for (const name of ["sun", "sunlight", "ambient"] as const) uniforms[name].value.fromArray(sky[name]);
    uniforms.farLand.value.fromArray(sky.land);
    uniforms.heading.value.fromArray(sky.heading);
    uniforms.exposure.value = sky.exposure;
    uniforms.discShown.value = sky.disc;
    const texels = this.table.image.data as Uint16Array;
    for (let k = 0; k < texels.length; k++) texels[k] = THREE.DataUtils.toHalfFloat(Math.min(sky.table[k], 6e4));
    this.table.needsUpdate = true;
    return true;
  }
}
