// What is in the water: decadic absorption a and scattering k [1/m], as in koski/render/light.py.
//   through  10^(−a c l) · e^(−k l) = e^(−κ l),  κ = a c ln 10 + k                Maes 2006 eq. 10–11

export type Water = "pure" | "lake" | "chlorophyll" | "silt" | "glacier";

interface Medium { absorption: number[]; scattering: number[]; concentration: number }

const MEDIA: Record<Water, Medium> = {
  pure: { absorption: [0.648, 0.053, 0.036], scattering: [0, 0, 0], concentration: 1 },
  lake: { absorption: [0.648, 0.053, 0.036], scattering: [0.03, 0.036, 0.042], concentration: 0.2 },
  chlorophyll: { absorption: [0.8, 0.21, 0.49], scattering: [0.11, 0.11, 0.11], concentration: 0.5 },
  silt: { absorption: [0.3, 0.45, 1.44], scattering: [2.1, 2.1, 2.1], concentration: 1 },
  glacier: { absorption: [0.648, 0.053, 0.076], scattering: [0.5, 0.8, 0.9], concentration: 1 },
};

/** κ and k of a water [1/m]. */
export function medium(water: Water): { takes: number[]; scatters: number[] } {
  const { absorption, scattering, concentration } = MEDIA[water];
  const takes = absorption.map((a, c) => a * concentration * Math.LN10 + scattering[c]);
  return { takes, scatters: scattering };
}
