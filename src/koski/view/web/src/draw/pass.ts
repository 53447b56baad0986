import * as THREE from "three";

export type Uniforms = Record<string, THREE.IUniform>;

const HEAD = "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n";
const WHOLE = "in vec3 position;\nvoid main() { gl_Position = vec4(position.xy, 0.0, 1.0); }";

/** A material of our own shaders; uniforms are shared by reference. */
export function material(
  vertex: string, fragment: string, uniforms: Uniforms, more: THREE.ShaderMaterialParameters = {},
): THREE.RawShaderMaterial {
  return new THREE.RawShaderMaterial({
    glslVersion: THREE.GLSL3, vertexShader: HEAD + vertex, fragmentShader: HEAD + fragment, uniforms, ...more,
  });
}

const triangle = new THREE.BufferGeometry();
triangle.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
const eye = new THREE.Camera();

/** A shader run on every texel of a target. */
export class Pass {
  private readonly scene = new THREE.Scene();
  readonly uniforms: Uniforms;
  private readonly shader: THREE.RawShaderMaterial;

  constructor(fragment: string, uniforms: Uniforms, more: THREE.ShaderMaterialParameters = {}) {
    this.uniforms = uniforms;
    this.shader = material(WHOLE, fragment, uniforms, { depthTest: false, depthWrite: false, ...more });
    const mesh = new THREE.Mesh(triangle, this.shader);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
  }

  run(renderer: THREE.WebGLRenderer, target: THREE.WebGLRenderTarget | null): void {
    renderer.setRenderTarget(target);
    renderer.render(this.scene, eye);
  }

  dispose(): void {
    this.shader.dispose();
  }
}

export interface Sheet { type: THREE.TextureDataType; linear?: boolean }

/** A target with one texture of four channels for each sheet. */
export function target(width: number, height: number, sheets: Sheet[]): THREE.WebGLRenderTarget {
  const made = new THREE.WebGLRenderTarget(width, height, {
    count: sheets.length, depthBuffer: false, generateMipmaps: false, format: THREE.RGBAFormat,
    minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, type: THREE.FloatType,
  });
  sheets.forEach((sheet, k) => {
    const texture = made.textures[k];
    texture.type = sheet.type;
    texture.minFilter = texture.magFilter = sheet.linear ? THREE.LinearFilter : THREE.NearestFilter;
  });
  return made;
}
