import * as THREE from "three";
import blend from "./glsl/blend.frag.glsl?raw";
import drift from "./glsl/drift.frag.glsl?raw";
import extend from "./glsl/extend.frag.glsl?raw";
import shade from "./glsl/shade.frag.glsl?raw";
import shape from "./glsl/shape.frag.glsl?raw";
import { tileBox, type Fields } from "./fields";
import { Pass, target, type Uniforms } from "./pass";

const PERIOD = 3; // for which a copy of the water's texture is carried [s]
const GOLDEN = 0.618034; // of a turn, by which each new copy starts elsewhere
const LATTICE = 768, FEWER = 384; // points along the longer side, where the grid is coarser than that

/** The maps that shaders read: the newest state, and what is shown between it and the one before. */
export class Maps {
  readonly times: number; // lattice points along a cell
  readonly lattice: THREE.Vector2; // points along x and y
  readonly uniforms: Uniforms;
  private readonly fresh: { heights: THREE.DataTexture; flow: THREE.DataTexture; dyes: THREE.DataTexture };
  private readonly tide: THREE.WebGLRenderTarget[]; // shown, and what was shown before
  private readonly both: THREE.WebGLRenderTarget;
  private readonly shape: THREE.WebGLRenderTarget;
  private readonly shadow: THREE.WebGLRenderTarget;
  private readonly drifts: THREE.WebGLRenderTarget[];
  private readonly passes: { blend: Pass; extend: Pass; shape: Pass; shade: Pass; drift: Pass };
  private shadowed = false; // are the shadows those of this ground and sun?
  private clock = 0;
  private begun = false;

  constructor(private readonly renderer: THREE.WebGLRenderer, private readonly fields: Fields,
              cell: number, sun: THREE.IUniform<THREE.Vector3>, low: boolean) {
    const { nx, ny } = fields;
    this.times = [4, 2].find((n) => n * Math.max(nx, ny) <= (low ? FEWER : LATTICE)) ?? 1;
    this.lattice = new THREE.Vector2(nx * this.times + 1, ny * this.times + 1);
    const data = (array: Float32Array, internal: "RGBA32F" | "RGBA16F") => {
      const texture = new THREE.DataTexture(array, nx, ny, THREE.RGBAFormat, THREE.FloatType);
      texture.internalFormat = internal;
      texture.needsUpdate = true;
      return texture;
    };
    this.fresh = {
      heights: data(fields.heights, "RGBA32F"), flow: data(fields.flow, "RGBA16F"), dyes: data(fields.dyes, "RGBA16F"),
    };
    const whole = renderer.extensions.has("EXT_color_buffer_float") ? THREE.FloatType : THREE.HalfFloatType;
    const half = { type: THREE.HalfFloatType, linear: true };
    const grid = (...sheets: { type: THREE.TextureDataType; linear?: boolean }[]) => target(nx, ny, sheets);
    this.tide = [0, 1].map(() => grid({ type: whole }, half, half));
    this.both = grid({ type: whole });
    this.shape = target(this.lattice.x, this.lattice.y, [{ type: whole }, half]);
    this.shadow = grid(half);
    this.drifts = [0, 1].map(() => grid(half));
    const shown = { value: Math.max(2e-3, 1e-3 * cell) };
    const side = { value: cell };
    const none = (): THREE.IUniform => ({ value: null });
    this.passes = {
      blend: new Pass(blend, {
        wasHeights: none(), wasFlow: none(), wasDyes: none(), share: { value: 1 }, shown,
        newHeights: { value: this.fresh.heights }, newFlow: { value: this.fresh.flow }, newDyes: { value: this.fresh.dyes },
      }),
      extend: new Pass(extend, { heights: none(), shown, cell: side }),
      shape: new Pass(shape, { both: { value: this.both.texture }, times: { value: this.times }, cell: side }),
      shade: new Pass(shade, { both: { value: this.both.texture }, sun, cell: side }),
      drift: new Pass(drift, { drift: none(), flow: none(), dt: { value: 0 }, cell: side, fresh: { value: new THREE.Vector4() } }),
    };
    this.uniforms = {
      heights: { value: this.shape.textures[0] }, slopes: { value: this.shape.textures[1] },
      state: none(), flow: none(), dyes: none(), shade: { value: this.shadow.texture }, drift: none(),
      turns: { value: new THREE.Vector4() }, lattice: { value: this.lattice }, cell: side,
      size: { value: new THREE.Vector2(nx * cell, ny * cell) }, dyed: { value: 0 },
    };
  }

  /** Give the GPU what has changed; from now on what is shown goes from what it is to that. */
  upload(): void {
    this.put(this.fresh.heights, this.fields.stale.heights);
    this.put(this.fresh.flow, this.fields.stale.flow);
    if (this.fields.dyeNames.length) this.put(this.fresh.dyes, this.fields.stale.dyes);
    this.uniforms.dyed.value = Math.min(this.fields.dyeNames.length, 4);
    if (this.begun) this.tide.reverse();
  }

  private put(texture: THREE.DataTexture, stale: Set<number>): void {
    if (!stale.size) return;
    const { renderer, fields } = this;
    const { nx, ny, tile } = fields;
    const kept = renderer.properties.get(texture) as { __webglTexture?: WebGLTexture };
    if (!kept.__webglTexture || stale.size * tile * tile >= nx * ny) {
      texture.needsUpdate = true;
      renderer.initTexture(texture);
    } else {
      const gl = renderer.getContext() as WebGL2RenderingContext;
      renderer.state.bindTexture(gl.TEXTURE_2D, kept.__webglTexture);
      gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
      gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
      gl.pixelStorei(gl.UNPACK_ROW_LENGTH, nx);
      for (const number of stale) {
        const box = tileBox(number, tile, nx, ny);
        gl.pixelStorei(gl.UNPACK_SKIP_PIXELS, box.x);
        gl.pixelStorei(gl.UNPACK_SKIP_ROWS, box.y);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, box.x, box.y, box.width, box.height, gl.RGBA, gl.FLOAT,
                         texture.image.data as Float32Array);
      }
      for (const name of [gl.UNPACK_ROW_LENGTH, gl.UNPACK_SKIP_PIXELS, gl.UNPACK_SKIP_ROWS]) gl.pixelStorei(name, 0);
    }
    stale.clear();
  }

  /** Shadows are to be cast anew. */
  relight(): void {
    this.shadowed = false;
  }

  /** Make what is shown: `share` of the way to the newest state, `dt` after the last [s]. */
  run(share: number, dt: number): void {
    const { passes, renderer, uniforms } = this;
    const [now, was] = this.tide;
    const from = this.begun ? was.textures : [this.fresh.heights, this.fresh.flow, this.fresh.dyes];
    [passes.blend.uniforms.wasHeights.value, passes.blend.uniforms.wasFlow.value, passes.blend.uniforms.wasDyes.value] = from;
    passes.blend.uniforms.share.value = this.begun ? share : 1;
    passes.blend.run(renderer, now);
    [uniforms.state.value, uniforms.flow.value, uniforms.dyes.value] = now.textures;
    passes.extend.uniforms.heights.value = now.textures[0];
    passes.extend.run(renderer, this.both);
    passes.shape.run(renderer, this.shape);
    if (!this.shadowed) passes.shade.run(renderer, this.shadow);
    this.shadowed = true;
    this.carry(dt);
    if (!this.begun) {
      this.begun = true;
      this.tide.reverse();
      this.run(1, 0); // both are known now
    }
  }

  private carry(dt: number): void {
    const { passes, drifts, uniforms } = this;
    const [old, next] = drifts;
    const turns = [0, 0.5].map((k) => this.clock / PERIOD + k);
    this.clock += dt;
    const now = [0, 0.5].map((k) => this.clock / PERIOD + k);
    const [one, two] = now.map((turn, k) => (Math.floor(turn) > Math.floor(turns[k]) || !this.begun ? 1 : 0));
    const [age, later] = now.map((turn) => (turn - Math.floor(turn)) * PERIOD);
    passes.drift.uniforms.fresh.value.set(one, two, age, later);
    passes.drift.uniforms.drift.value = old.texture;
    passes.drift.uniforms.flow.value = uniforms.flow.value;
    passes.drift.uniforms.dt.value = dt;
    if (dt > 0 || !this.begun) {
      passes.drift.run(this.renderer, next);
      drifts.reverse();
    }
    uniforms.drift.value = drifts[0].texture;
    const weight = now.map((turn) => 1 - Math.abs(2 * (turn - Math.floor(turn)) - 1));
    const whole = Math.hypot(weight[0], weight[1]);
    const jump = now.map((turn) => (Math.floor(turn) * GOLDEN) % 1);
    uniforms.turns.value.set(weight[0] / whole, weight[1] / whole, jump[0], jump[1]);
  }

  /** All has been lost with the GPU's context: begin again. */
  restore(): void {
    this.begun = this.shadowed = false;
  }

  dispose(): void {
    for (const made of [...this.tide, this.both, this.shape, this.shadow, ...this.drifts]) made.dispose();
    for (const texture of Object.values(this.fresh)) texture.dispose();
    for (const pass of Object.values(this.passes)) pass.dispose();
  }
}
