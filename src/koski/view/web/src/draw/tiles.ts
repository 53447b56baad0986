import * as THREE from "three";
import grain from "./glsl/grain.frag.glsl?raw";
import netFragment from "./glsl/net.frag.glsl?raw";
import netVertex from "./glsl/net.vert.glsl?raw";
import noise from "./glsl/noise.glsl?raw";
import waves from "./glsl/waves.frag.glsl?raw";
import { Pass, material, type Uniforms } from "./pass";

const SIDE = 512; // texels along a tile
const NET = 256, RAYS = 128, MARGIN = 0.2; // of the caustics: texels, rays along a side, beyond the tile
const LOOP = 6; // of the caustics [s]

function tile(side: number, type: THREE.TextureDataType, sharp: number): THREE.WebGLRenderTarget {
  return new THREE.WebGLRenderTarget(side, side, {
    depthBuffer: false, type, generateMipmaps: true, anisotropy: sharp,
    wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping,
    minFilter: sharp > 1 ? THREE.LinearMipmapLinearFilter : THREE.LinearMipmapNearestFilter, magFilter: THREE.LinearFilter,
  });
}

/** Textures that repeat, made by the GPU once; and the net of light on the bed, which moves. */
export class Tiles {
  private readonly grain: THREE.WebGLRenderTarget;
  private readonly waves: THREE.WebGLRenderTarget;
  private readonly net: THREE.WebGLRenderTarget;
  private readonly scene = new THREE.Scene();
  private readonly eye = new THREE.Camera();
  private readonly time = { value: 0 };
  readonly uniforms: Uniforms;

  /** `sharp` is how often a texture may be read where it is seen at a low angle. */
  constructor(private readonly renderer: THREE.WebGLRenderer, sharp: number) {
    this.grain = tile(SIDE, THREE.UnsignedByteType, sharp);
    this.waves = tile(SIDE, THREE.HalfFloatType, sharp);
    this.net = tile(NET, THREE.HalfFloatType, 1);
    this.uniforms = {
      grain: { value: this.grain.texture }, waves: { value: this.waves.texture },
      net: { value: this.net.texture }, netShown: { value: 0.65 },
    };
    const plane = new THREE.PlaneGeometry(1 + 2 * MARGIN, 1 + 2 * MARGIN, RAYS, RAYS).translate(0.5, 0.5, 0);
    const light = material(netVertex, netFragment, { t: this.time, waves: { value: swell() } }, {
      depthTest: false, depthWrite: false, side: THREE.DoubleSide, transparent: true,
      blending: THREE.CustomBlending, blendSrc: THREE.OneFactor, blendDst: THREE.OneFactor,
    });
    const rays = new THREE.Mesh(plane, light);
    rays.frustumCulled = false;
    this.scene.add(rays);
    this.make();
  }

  /** Make what does not move; again when the GPU has lost it. */
  make(): void {
    for (const [shader, made] of [[grain, this.grain], [waves, this.waves]] as const) {
      const pass = new Pass(noise + shader, {});
      pass.run(this.renderer, made);
      pass.dispose();
    }
  }

  /** Let the net of light be that of the time `t` [s]. */
  move(t: number): void {
    this.time.value = t / LOOP;
    this.renderer.setRenderTarget(this.net);
    this.renderer.setClearColor(0, 1);
    this.renderer.clear(true, false, false);
    this.renderer.render(this.scene, this.eye);
  }
}

/** Waves that gather the light: cycles along the tile, turns in a loop (as waves of that length run), phase. */
function swell(): THREE.Vector4[] {
  let seed = 7;
  const chance = () => ((seed = (seed * 16807) % 2147483647) / 2147483647);
  return Array.from({ length: 20 }, (_, n) => {
    const length = 3.6 * 3.3 ** (n / 19), turn = 2 * Math.PI * (0.618034 * n + 0.1 * chance());
    const [x, y] = [Math.round(length * Math.cos(turn)), Math.round(length * Math.sin(turn))];
    const k = Math.max(Math.hypot(x, y), 1);
    return new THREE.Vector4(x, y, Math.round(0.8 * Math.sqrt(k) * LOOP * 0.5), chance());
  });
}
