import * as THREE from "three";

// From dark blue over grey to yellow: even in lightness, and read alike by those who see few colours.
const COLOURS = ["#04205a", "#2a3c6c", "#50566e", "#707074", "#928c76", "#b6aa6c", "#dccb58", "#fdec46"];

/** The colours of a scale, as style sheets have them. */
export const colours = (): string[] => [...COLOURS];

/** The same as light, for shaders. */
export const lights = (): THREE.Vector3[] =>
  COLOURS.map((colour) => new THREE.Color(colour)).map(({ r, g, b }) => new THREE.Vector3(r, g, b));

export interface Legend { name: string; unit: string; low: number; high: number; colours: string[] }

export const UNITS: Record<string, string> = { depth: "m", speed: "m/s", pressure: "Pa", raw: "m", blocked: "" };
