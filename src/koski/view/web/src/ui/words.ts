/** Numbers as people say them. */

export function metres(value: number): string {
  if (value >= 1000) return `${short(value / 1000)} km`;
  return value < 1 ? `${short(value * 100)} cm` : `${short(value)} m`;
}

export function cubic(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${short(value / 1e9)} km³`;
  if (size >= 1e6) return `${short(value / 1e6)} million m³`;
  return size < 1 && size > 0 ? `${short(value * 1000)} l` : `${grouped(value)} m³`;
}

/** Three figures, without a tail of noughts. */
export function short(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace("e+", "e");
  return size >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** Thousands apart. */
export function grouped(value: number): string {
  if (Math.abs(value) < 100) return short(value);
  return value.toFixed(0).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

/** Minutes and seconds of the water's time. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds), minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${String(whole % 60).padStart(2, "0")}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`;
}

/** "river-dam" as a title. */
export function title(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
