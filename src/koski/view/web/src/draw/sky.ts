// A clear sky: sunlight scattered by air and haze in a round atmosphere.      Nishita 1993
// The same sums as koski/render/sky.py, on a coarser table; at night a moon instead of the sun.

export const ROWS = 64, COLUMNS = 32; // of the table: √sin(elevation), sin(half the azimuth from the sun)

type Rgb = [number, number, number];
const EARTH = 6360, TOP = 6460, EYE = 6360.2; // radii of the ground, the air's end and the eye [km]
const AIR: Rgb = [7.2e-3, 13.6e-3, 30.3e-3], AIR_HEIGHT = 8; // per channel at the ground [1/km]; [km]
const HAZE = 0.018, HAZE_TAKES = 0.02, HAZE_HEIGHT = 1.2;
const OZONE: Rgb = [1.5e-3, 1.88e-3, 0.085e-3];
const FORWARD = 0.78; // the asymmetry g of haze
const SUN: Rgb = [1.09 * Math.PI, 1.11 * Math.PI, 1.16 * Math.PI];
const GROUND: Rgb = [0.13, 0.13, 0.11]; // albedo of the land beyond the horizon
const MOON: Rgb = [0.068, 0.087, 0.12]; // its light, far more of it than there is, so that one can see
const NIGHT: Rgb = [0.0037, 0.0055, 0.0098]; // radiance of the sky without the sun
const LOWEST = -12; // elevation below which the sun makes no difference [°]
const VIEW_STEPS = 32, SUN_STEPS = 12;
const HEIGHTS = Array.from({ length: 10 }, (_, k) => 80 * (k / 9) ** 2); // where light scattered often is known [km]
const LUMINANCE: Rgb = [0.2126, 0.7152, 0.0722];
const RAD = Math.PI / 180;

export interface Sky {
  sun: Rgb; // toward the sun or the moon
  sunlight: Rgb; // on a plane that faces it
  ambient: Rgb; // on level ground, of the sky alone
  land: Rgb; // radiance of the land far below the horizon
  heading: [number, number]; // level, toward the sun
  exposure: number;
  disc: number; // how much of the sun's or moon's disc is to be seen
  table: Float32Array; // radiance [ROWS, COLUMNS, 4]
}

/** Where the sun stands at an hour of the day: elevation and azimuth from +x counter-clockwise [°]. */
export function sunAt(hour: number): { elevation: number; azimuth: number } {
  const turn = ((hour - 12) / 12) * Math.PI;
  const tilt = 52 * RAD; // of the sun's way over the sky
  const [east, up] = [-Math.sin(turn), Math.cos(turn)];
  const south = up * Math.cos(tilt) + 0.1;
  const high = up * Math.sin(tilt) + 0.1;
  return { elevation: Math.atan2(high, Math.hypot(east, south)) / RAD, azimuth: Math.atan2(-south, east) / RAD };
}

/** The light of an hour of the day. */
export function skyAt(hour: number): Sky {
  const { elevation, azimuth } = sunAt(hour);
  const high = Math.sin(Math.max(elevation, LOWEST) * RAD);
  const heading: [number, number] = [Math.cos(azimuth * RAD), Math.sin(azimuth * RAD)];
  const night = Math.min(Math.max((-3 - elevation) / 6, 0), 1);
  const { table, sunlight, ambient } = scatter(high, elevation * RAD, night);
  const moon = sunAt((hour + 12) % 24);
  const lit = night > 0 ? { elevation: Math.max(moon.elevation, 25), azimuth: moon.azimuth } : { elevation, azimuth };
  const light = night > 0 ? (MOON.map((c) => c * night) as Rgb) : sunlight;
  const [e, a] = [Math.max(lit.elevation, 0.5) * RAD, lit.azimuth * RAD];
  const sun: Rgb = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
  const level = rgb((c) => light[c] * sun[2] + ambient[c]);
  const bright = LUMINANCE.reduce((sum, share, c) => sum + share * level[c], 0) / Math.PI;
  return {
    sun, sunlight: light, ambient, heading, table, disc: 1 - night,
    land: rgb((c) => (GROUND[c] / Math.PI) * level[c]),
    exposure: 1.68 * Math.max(bright, 1e-3) ** (-0.6 + 0.13 * night),
  };
}

function rgb(f: (c: number) => number): Rgb {
  return [f(0), f(1), f(2)];
}

function densities(height: number): Rgb {
  const fall = (scale: number) => Math.exp(Math.min(Math.max(-height / scale, -20), 20));
  return [fall(AIR_HEIGHT), fall(HAZE_HEIGHT), Math.max(1 - Math.abs(height - 25) / 15, 0)];
}

function toTop(r: number, up: number): number {
  return Math.sqrt(Math.max(r * r * (up * up - 1) + TOP * TOP, 0)) - r * up;
}

/** Midpoints and widths of `n` steps over 0..1, short at first. */
function steps(n: number): [number, number][] {
  return Array.from({ length: n }, (_, k) => {
    const [a, b] = [(k / n) ** 2, ((k + 1) / n) ** 2];
    return [(a + b) / 2, b - a];
  });
}

const SUNWARD = steps(SUN_STEPS), AHEAD = steps(VIEW_STEPS);

function along(r: number, up: number, way: number): number {
  return Math.sqrt(r * r + way * (way + 2 * r * up));
}

/** What the air leaves of a sun at elevation sine `up` on its way to radius `r`. */
function throughAir(r: number, up: number): Rgb {
  const whole = toTop(r, up);
  const sum: Rgb = [0, 0, 0];
  for (const [at, width] of SUNWARD)
    densities(along(r, up, whole * at) - EARTH).forEach((rho, k) => (sum[k] += rho * width * whole));
  return rgb((c) => Math.exp(-(AIR[c] * sum[0] + HAZE_TAKES * sum[1] + OZONE[c] * sum[2])));
}

const LEVELS = 24, SINES = 64; // of the table of sunlight, which is made once
let sunTable: Float32Array | null = null;

function sunThrough(r: number, up: number): Rgb {
  if (!sunTable) {
    sunTable = new Float32Array(LEVELS * SINES * 3);
    for (let i = 0; i < LEVELS; i++)
      for (let j = 0; j < SINES; j++) {
        const s = (j / (SINES - 1)) * 2 - 1;
        sunTable.set(throughAir(EARTH + 100 * (i / (LEVELS - 1)) ** 2, s * Math.abs(s)), 3 * (i * SINES + j));
      }
  }
  const x = Math.sqrt(Math.min(Math.max((r - EARTH) / 100, 0), 1)) * (LEVELS - 1.001);
  const y = (Math.sign(up) * Math.sqrt(Math.min(Math.abs(up), 1)) + 1) / 2 * (SINES - 1.001);
  const i = Math.floor(x), j = Math.floor(y);
  const at = 3 * (i * SINES + j), t = sunTable;
  return rgb((c) => {
    const low = t[at + c] + (y - j) * (t[at + 3 + c] - t[at + c]);
    const high = t[at + 3 * SINES + c] + (y - j) * (t[at + 3 * SINES + 3 + c] - t[at + 3 * SINES + c]);
    return low + (x - i) * (high - low);
  });
}

/** Along a ray: what each step scatters of the sun and of all light, and what comes through. */
function march(r: number, up: number, gamma: number, high: number, whole: number,
               each: (height: number, air: number, haze: number, seen: Rgb, lit: Rgb) => void): Rgb {
  const tau: Rgb = [0, 0, 0];
  for (const [at, width] of AHEAD) {
    const s = whole * at, here = along(r, up, s);
    const [air, haze, ozone] = densities(here - EARTH).map((rho) => rho * width * whole);
    const takes = rgb((c) => AIR[c] * air + HAZE_TAKES * haze + OZONE[c] * ozone);
    const seen = rgb((c) => Math.exp(-tau[c] - takes[c] / 2));
    takes.forEach((t, c) => (tau[c] += t));
    const sun = sunThrough(here, (r * high + s * gamma) / here);
    each(here - EARTH, air, haze, seen, rgb((c) => seen[c] * sun[c]));
  }
  return rgb((c) => Math.exp(-tau[c]));
}

/** Mean radiance at each height of light scattered at least once, or by the ground.   Hillaire 2020 §5.5 */
function often(high: number): Rgb[] {
  return HEIGHTS.map((h) => {
    const r = EARTH + h;
    const first: Rgb = [0, 0, 0], back: Rgb = [0, 0, 0];
    for (let i = 0; i < 12; i++)
      for (let j = 0; j < 4; j++) {
        const up = (2 * i - 11) / 12, around = Math.cos((Math.PI * (j + 0.5)) / 4);
        const gamma = Math.sqrt(1 - up * up) * around * Math.sqrt(1 - high * high) + up * high;
        const ground2 = EARTH * EARTH + r * r * (up * up - 1);
        const down = up < 0 && ground2 > 0;
        const way = down ? -r * up - Math.sqrt(ground2) : toTop(r, up);
        const left = march(r, up, gamma, high, way, (_, air, haze, seen, lit) => {
          for (let c = 0; c < 3; c++) {
            const turns = AIR[c] * air + HAZE * haze;
            first[c] += (turns * lit[c]) / (4 * Math.PI);
            back[c] += turns * seen[c];
          }
        });
        if (!down) continue;
        const sunUp = Math.min(Math.max((r * high + way * gamma) / EARTH, 0), 1);
        const sun = sunThrough(EARTH, sunUp);
        for (let c = 0; c < 3; c++) {
          first[c] += (GROUND[c] * left[c] * sunUp * sun[c]) / Math.PI;
          back[c] += GROUND[c] * left[c];
        }
      }
    return rgb((c) => (SUN[c] * first[c]) / 48 / (1 - back[c] / 48));
  });
}

function scatter(high: number, elevation: number, night: number) {
  const even = often(high), low = Math.sqrt(1 - high * high);
  const table = new Float32Array(ROWS * COLUMNS * 4);
  const ambient: Rgb = [0, 0, 0];
  for (let row = 0; row < ROWS; row++) {
    const up = (row / (ROWS - 1)) ** 2;
    for (let column = 0; column < COLUMNS; column++) {
      const half = column / (COLUMNS - 1);
      const gamma = Math.sqrt(1 - up * up) * (1 - 2 * half * half) * low + up * high;
      const [byAir, byHaze] = phases(gamma);
      const light: Rgb = [0, 0, 0];
      march(EYE, up, gamma, high, toTop(EYE, up), (height, air, haze, seen, lit) => {
        const x = Math.sqrt(Math.min(Math.max(height / 80, 0), 1)) * 8.999, k = Math.floor(x);
        for (let c = 0; c < 3; c++) {
          const mean = even[k][c] + (x - k) * (even[k + 1][c] - even[k][c]);
          light[c] += SUN[c] * lit[c] * (AIR[c] * byAir * air + HAZE * byHaze * haze);
          light[c] += seen[c] * mean * (AIR[c] * air + HAZE * haze);
        }
      });
      const dark = night * (1.25 - 0.5 * Math.sqrt(up));
      for (let c = 0; c < 3; c++) light[c] += dark * NIGHT[c];
      table.set([...light, 1], 4 * (row * COLUMNS + column));
      // ∫ L sin e dω, dω = d(sin e) da, both tables uneven
      const wide = (k: number) => 2 * Math.asin(Math.min(Math.max(k, 0), COLUMNS - 1) / (COLUMNS - 1));
      const tall = (k: number) => (Math.min(Math.max(k, 0), ROWS - 1) / (ROWS - 1)) ** 2;
      const share = (wide(column + 1) - wide(column - 1)) * ((tall(row + 1) - tall(row - 1)) / 2) * up;
      for (let c = 0; c < 3; c++) ambient[c] += light[c] * share;
    }
  }
  const rise = Math.min(Math.max((elevation + 0.014) / 0.018, 0), 1);
  const sun = sunThrough(EYE, Math.max(high, 0));
  return { table, ambient, sunlight: rgb((c) => SUN[c] * rise * sun[c]) };
}

function phases(cos: number): [number, number] {
  const g = FORWARD, rest = 1 + cos * cos;
  const haze = (1 - g * g) / (2 + g * g) / (1 + g * g - 2 * g * cos) ** 1.5;
  return [(3 / (16 * Math.PI)) * rest, (3 / (8 * Math.PI)) * rest * haze];
}
