import type { Frame } from "../frame";
import type { Bodies, SpringInfo, WorldInfo } from "../messages";

export interface Pick { x: number; y: number; z: number; body: number | null }
export interface Look {
  hour: number;
  water: "pure" | "lake" | "chlorophyll" | "silt" | "glacier";
  overlay: "" | "depth" | "speed" | "wet" | "pressure" | "raw" | "blocked";
  arrows: boolean;
  still: boolean;
  quality: "low" | "high";
}

/** A placeholder until the water is drawn. */
export class View {
  look: Look = { hour: 14, water: "lake", overlay: "", arrows: false, still: false, quality: "high" };
  readonly counters = { drawn: 0, states: 0, fps: 0 };
  constructor(readonly canvas: HTMLCanvasElement) {
    if (!canvas.getContext("webgl2")) throw new Error("WebGL2 is missing");
  }
  open(_world: WorldInfo): void {}
  bodies(_list: Bodies): void {}
  springs(_list: SpringInfo[]): void {}
  accept(_frame: Frame): void { this.counters.states++; }
  draw(_now: number): void { this.counters.drawn++; }
  pick(_px: number, _py: number): Pick | null { return null; }
  plane(_px: number, _py: number, _z: number): { x: number; y: number } | null { return null; }
  brush(_at: { x: number; y: number; radius: number; colour: string } | null): void {}
  orbit(_dx: number, _dy: number): void {}
  pan(_dx: number, _dy: number): void {}
  zoom(_factor: number, _px?: number, _py?: number): void {}
  home(): void {}
  camera(): string { return ""; }
  aim(_text: string): void {}
  legend(): { name: string; unit: string; low: number; high: number; colours: string[] } | null { return null; }
  inView(): [number, number, number, number] { return [0, 0, 1, 1]; }
  resize(_width: number, _height: number, _ratio: number): void {}
  screenshot(): Promise<Blob> { return new Promise((done) => this.canvas.toBlob((blob) => done(blob!))); }
}
