import type { App } from "../app";
import type { Stats } from "../messages";
import { el } from "./dom";
import { clock, cubic, grouped, short } from "./words";

const WIDE = 280, HIGH = 120, MOST = 240; // of the plot [px]; points kept
const LINES = [
  { name: "now", label: "now", colour: "#56b4e9", dash: "", of: (s: Stats) => s.now },
  { name: "came", label: "came", colour: "#f0e442", dash: "7 3", of: (s: Stats) => s.came },
  { name: "went", label: "went", colour: "#f4a582", dash: "2 3", of: (s: Stats) => s.went },
] as const;

/** The ledger of the water over time, and figures. */
export function ledger(app: App): HTMLElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("class", "plot");
  const figures = el("dl", { class: "figures" });
  let points: Stats[] = [], every = 1, count = 0;
  app.on("epoch", () => (points = []));
  app.on("stats", (stats) => {
    const last = points.at(-1);
    if (last && stats.t < last.t) points = [];
    if (!last || (stats.t > last.t && ++count % every === 0)) points.push(stats);
    if (points.length > MOST) {
      points = points.filter((_, i) => i % 2 === 0);
      every *= 2;
    }
    if (!figures.offsetParent) return; // folded away
    plot(svg, [...points, stats]);
    fill(figures, stats, app);
  });
  const keys = LINES.map(({ name, label, colour, dash }) => {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    line.setAttribute("viewBox", "0 0 24 8");
    line.innerHTML = `<path d="M0 4H24" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
    return el("span", { class: `key ${name}` }, line, label);
  });
  return el("div", { class: "ledger" }, el("div", { class: "keys" }, ...keys), svg, figures);
}

function plot(svg: SVGSVGElement, points: Stats[]): void {
  const from = points[0].t, to = Math.max(points.at(-1)!.t, from + 1e-9);
  const top = Math.max(1e-9, ...points.flatMap((s) => LINES.map(({ of }) => of(s)))) * 1.06;
  const x = (t: number) => ((t - from) / (to - from)) * WIDE;
  const y = (v: number) => HIGH - 14 - (v / top) * (HIGH - 24);
  const paths = LINES.map(({ of, colour, dash }) => {
    const d = points.map((s, i) => `${i ? "L" : "M"}${x(s.t).toFixed(1)} ${y(of(s)).toFixed(1)}`).join("");
    return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
  });
  svg.innerHTML =
    `<path d="M0 ${y(0)}H${WIDE}M0 ${y(top / 2)}H${WIDE}" class="grid"/>${paths.join("")}` +
    `<text x="2" y="10">${cubic(top / 1.06)}</text><text x="2" y="${HIGH - 2}">${clock(from)}</text>` +
    `<text x="${WIDE - 2}" y="${HIGH - 2}" text-anchor="end">${clock(to)}</text>`;
  svg.setAttribute("aria-label", `Water over time: ${cubic(points.at(-1)!.now)} now`);
}

function fill(list: HTMLElement, stats: Stats, app: App): void {
  const rows: [string, string][] = [
    ["water now", cubic(stats.now)],
    ["came", cubic(stats.came)],
    ["went", cubic(stats.went)],
    ["drift", stats.drift === 0 ? "0" : stats.drift.toExponential(1)],
    ["pictures", `${app.view.counters.fps.toFixed(0)} a second`],
    ["states", `${stats.fps.toFixed(0)} a second`],
    ["speed", `${short(stats.factor)} × real time`],
    ["rtkc", grouped(stats.rtkc)],
    ["cells", grouped(stats.cells)],
    ["bodies", String(stats.bodies)],
    ["steps", grouped(stats.steps)],
    ["viewers", String(stats.viewers)],
  ];
  list.replaceChildren(...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}
