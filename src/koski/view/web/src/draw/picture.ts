import * as THREE from "three";
import copy from "./glsl/copy.frag.glsl?raw";
import light from "./glsl/light.glsl?raw";
import sky from "./glsl/sky.frag.glsl?raw";
import tone from "./glsl/tone.frag.glsl?raw";
import { Pass, type Uniforms } from "./pass";

const SHADOW = 2048; // texels along the shadow map

/** Draws what stands in the light, then the water that shows it, then makes a picture of it. */
export class Picture {
  private readonly behind: THREE.WebGLRenderTarget; // before the water
  private readonly whole: THREE.WebGLRenderTarget;
  private readonly shadow: THREE.WebGLRenderTarget;
  private readonly sunward = new THREE.OrthographicCamera();
  private readonly passes: { sky: Pass; copy: Pass; tone: Pass };
  private readonly scenes = { land: new THREE.Scene(), water: new THREE.Scene(), shadows: new THREE.Scene() };
  readonly uniforms: Uniforms;
  calls = 0;
  triangles = 0;

  constructor(private readonly renderer: THREE.WebGLRenderer, lights: Uniforms) {
    const layer = (texture: boolean) =>
      new THREE.WebGLRenderTarget(1, 1, {
        type: THREE.HalfFloatType, generateMipmaps: false, minFilter: THREE.LinearFilter, magFilter: THREE.LinearFilter,
        depthTexture: texture ? new THREE.DepthTexture(1, 1, THREE.UnsignedIntType) : null,
      });
    this.behind = layer(true);
    this.whole = layer(false);
    this.shadow = new THREE.WebGLRenderTarget(SHADOW, SHADOW, { depthTexture: new THREE.DepthTexture(SHADOW, SHADOW, THREE.UnsignedIntType) });
    this.uniforms = {
      ...lights, scene: { value: this.behind.texture }, sceneDepth: { value: this.behind.depthTexture },
      toWorld: { value: new THREE.Matrix4() }, toScreen: { value: new THREE.Matrix4() },
      picture: { value: new THREE.Vector2(1, 1) }, pixel: { value: 0.001 },
      shadowMap: { value: this.shadow.depthTexture }, shadowMatrix: { value: new THREE.Matrix4() }, shadows: { value: 1 },
    };
    const deep = { depthTest: true, depthWrite: true, depthFunc: THREE.AlwaysDepth };
    this.passes = {
      sky: new Pass(light + sky, this.uniforms),
      copy: new Pass(copy, this.uniforms, deep),
      tone: new Pass(tone, { whole: { value: this.whole.texture }, picture: this.uniforms.picture, exposure: lights.exposure, smoothing: { value: 1 } }),
    };
    renderer.autoClear = false;
    renderer.info.autoReset = false;
  }

  /** What there is to draw. */
  show(land: THREE.Object3D[], water: THREE.Object3D[], shadows: THREE.Object3D[]): void {
    const { scenes } = this;
    for (const [scene, things] of [[scenes.land, land], [scenes.water, water], [scenes.shadows, shadows]] as const) {
      scene.clear();
      if (things.length) scene.add(...things);
    }
  }

  /** Be as large as the canvas. */
  resize(width: number, height: number): void {
    if (width === this.behind.width && height === this.behind.height) return;
    this.behind.setSize(width, height);
    this.whole.setSize(width, height);
    this.uniforms.picture.value.set(width, height);
  }

  /** Draw into the canvas; bodies cast shadows within `reach` of a place. */
  draw(lens: THREE.PerspectiveCamera, at: THREE.Vector3, reach: number, low: boolean): void {
    const { renderer, scenes, uniforms, passes } = this;
    uniforms.toScreen.value.multiplyMatrices(lens.projectionMatrix, lens.matrixWorldInverse);
    uniforms.toWorld.value.copy(uniforms.toScreen.value).invert();
    uniforms.pixel.value = (2 * Math.tan((lens.fov * Math.PI) / 360)) / this.behind.height;
    uniforms.eye.value.copy(lens.position);
    const shady = !low && scenes.shadows.children.some((group) => group.children.length);
    uniforms.shadows.value = shady ? (2 * reach) / SHADOW : 0;
    if (shady) this.shade(at, reach);
    renderer.setRenderTarget(this.behind);
    renderer.clear(true, true, false);
    passes.sky.run(renderer, this.behind);
    renderer.render(scenes.land, lens);
    passes.copy.run(renderer, this.whole);
    renderer.render(scenes.water, lens);
    passes.tone.uniforms.smoothing.value = low ? 0 : 1;
    passes.tone.run(renderer, null);
    this.calls = renderer.info.render.calls;
    this.triangles = renderer.info.render.triangles;
    renderer.info.reset();
  }

  private shade(at: THREE.Vector3, reach: number): void {
    const { sunward, renderer, uniforms } = this;
    const sun = uniforms.sun.value as THREE.Vector3;
    Object.assign(sunward, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0, far: 4 * reach });
    sunward.up.set(0, 0, 1);
    sunward.position.copy(at).addScaledVector(sun, 2 * reach);
    sunward.lookAt(at);
    sunward.updateProjectionMatrix();
    sunward.updateMatrixWorld();
    uniforms.shadowMatrix.value.multiplyMatrices(sunward.projectionMatrix, sunward.matrixWorldInverse);
    renderer.setRenderTarget(this.shadow);
    renderer.clear(true, true, false);
    renderer.render(this.scenes.shadows, sunward);
  }
}
