// Made from src/koski/view/messages.py by  python -m koski.view.typescript: edit that.

/** The part of the world in view [m], and what to lay over it. */
export interface Look {
  type: "Look";
  x0: number; // -1e+07 … 1e+07
  y0: number; // -1e+07 … 1e+07
  x1: number; // -1e+07 … 1e+07
  y1: number; // -1e+07 … 1e+07
  overlay: "" | "pressure" | "raw" | "blocked";
}

/** This frame was drawn. */
export interface Ack {
  type: "Ack";
  seq: number; // 0 … 9.0072e+15
}

/** A hand with a tool comes down, moves or goes up; while it is down the tool acts. */
export interface Touch {
  type: "Touch";
  tool: "pour" | "drain" | "rain" | "dig" | "raise" | "smooth" | "push" | "dye" | "grab" | "lift";
  phase: "down" | "move" | "up";
  x: number; // -1e+07 … 1e+07
  y: number; // -1e+07 … 1e+07
  z: number; // -1e+07 … 1e+07
  radius: number; // 0 … 1e+07
  strength: number; // 0.1 … 10
  body: number | null; // 0 … 9.0072e+15
}

/** Let a thing fall from a little above whatever is there. */
export interface Drop {
  type: "Drop";
  prop: "crate" | "log" | "boulder" | "ball" | "car" | "gate";
  x: number; // -1e+07 … 1e+07
  y: number; // -1e+07 … 1e+07
  size: number; // 0.2 … 5
  turn: number; // -100 … 100
}

/** A lasting spring, or a drain where the discharge [m³/s] is negative. */
export interface Spring {
  type: "Spring";
  x: number; // -1e+07 … 1e+07
  y: number; // -1e+07 … 1e+07
  discharge: number; // -1e+06 … 1e+06
  radius: number; // 0 … 1e+07
}

/** Stop the spring that is at a place. */
export interface Unspring {
  type: "Unspring";
  x: number; // -1e+07 … 1e+07
  y: number; // -1e+07 … 1e+07
}

/** Take a body away. */
export interface Unbody {
  type: "Unbody";
  body: number; // 0 … 9.0072e+15
}

/** Rain over all from now on [mm/h]. */
export interface Rain {
  type: "Rain";
  rate: number; // 0 … 100000
}

/** Take the last edit of the terrain back. */
export interface Undo {
  type: "Undo";
}

/** Make the last undone edit again. */
export interface Redo {
  type: "Redo";
}

/** Stop time, let it run, let one tick pass, or begin anew. */
export interface Clock {
  type: "Clock";
  action: "pause" | "play" | "step" | "reset";
}

/** Seconds of the water's time per second. */
export interface Speed {
  type: "Speed";
  factor: number; // 0.05 … 4
}

/** Go to another scene, with so many cells along its longer side. */
export interface Open {
  type: "Open";
  scene: string;
  cells: number | null; // 32 … 1024
}

/** Go on with another solver; the water carries over. */
export interface Solver {
  type: "Solver";
  name: string;
}

/** Let bodies and water meet in another way. */
export interface Coupling {
  type: "Coupling";
  name: string;
}

/** Turn a number of the solver, such as "friction" or "base.friction". */
export interface Knob {
  type: "Knob";
  path: string;
  value: number; // -1e+09 … 1e+09
}

/** Give a side of the world another rule; the value is a level [m] or a discharge [m³/s]. */
export interface Edge {
  type: "Edge";
  side: "west" | "east" | "south" | "north";
  kind: "wall" | "periodic" | "drain" | "level" | "inflow" | "absorbing";
  value: number; // -1e+06 … 1e+06
}

/** Ask for the tools, or give them up. */
export interface Hand {
  type: "Hand";
  want: boolean;
}

/** Remove all bodies that viewers dropped. */
export interface Clean {
  type: "Clean";
}

export interface SceneInfo {
  name: string;
  about: string;
}

/** The first that a viewer hears. */
export interface Welcome {
  type: "Welcome";
  version: string;
  viewer: string;
  scenes: SceneInfo[];
  solvers: string[];
  couplings: string[];
}

export interface KnobInfo {
  path: string;
  label: string;
  value: number;
  low: number;
  high: number;
  step: number;
  unit: string;
  tip: string;
}

export interface EdgeInfo {
  side: "west" | "east" | "south" | "north";
  kind: "wall" | "periodic" | "drain" | "level" | "inflow" | "absorbing";
  value: number;
}

/** The world but for what moves; a new epoch is another world. */
export interface WorldInfo {
  type: "WorldInfo";
  epoch: number;
  scene: string;
  nx: number;
  ny: number;
  cell: number;
  solver: string;
  coupling: string;
  view: string;
  knobs: KnobInfo[];
  edges: EdgeInfo[];
  rain: number;
}

/** A simple shape: box [x, y, z], sphere [radius], cylinder [radius, length over all], capsule [radius, length between the centres of its ends], axes along z; or a mesh. */
export interface PartInfo {
  shape: "box" | "sphere" | "cylinder" | "capsule" | "mesh";
  size: number[];
  place: number[];
  turn: number[];
  vertices: number[];
  faces: number[];
}

export interface BodyInfo {
  key: number;
  kind: string;
  moves: string;
  color: number[];
  material: string;
  parts: PartInfo[];
}

/** All bodies; the i-th pose of a frame with this version is that of the i-th body. */
export interface Bodies {
  type: "Bodies";
  epoch: number;
  version: number;
  bodies: BodyInfo[];
}

export interface SpringInfo {
  x: number;
  y: number;
  discharge: number;
  radius: number;
}

/** All springs and drains. */
export interface Springs {
  type: "Springs";
  springs: SpringInfo[];
}

/** How it goes; volumes in m³. */
export interface Stats {
  type: "Stats";
  t: number;
  paused: boolean;
  speed: number;
  factor: number;
  fps: number;
  rtkc: number;
  cells: number;
  bodies: number;
  steps: number;
  start: number;
  came: number;
  went: number;
  now: number;
  drift: number;
  viewers: number;
  hand: boolean;
  taken: boolean;
  undo: number;
  redo: number;
}

/** One sentence for people. */
export interface Notice {
  type: "Notice";
  level: "info" | "error";
  text: string;
}

export interface FieldHeader {
  name: string;
  low: number;
  high: number;
  tiles: number[];
}

/** What a binary frame begins with. */
export interface FrameHeader {
  epoch: number;
  seq: number;
  t: number;
  tile: number;
  bodies: number;
  poses: number;
  fields: FieldHeader[];
}

export type Tool = "pour" | "drain" | "rain" | "dig" | "raise" | "smooth" | "push" | "dye" | "grab" | "lift";

export type Prop = "crate" | "log" | "boulder" | "ball" | "car" | "gate";

export type Overlay = "" | "pressure" | "raw" | "blocked";

export type Side = "west" | "east" | "south" | "north";

export type EdgeKind = "wall" | "periodic" | "drain" | "level" | "inflow" | "absorbing";

export type ToServer = Look | Ack | Touch | Drop | Spring | Unspring | Unbody | Rain | Undo | Redo | Clock | Speed | Open | Solver | Coupling | Knob | Edge | Hand | Clean;

export type ToPage = Welcome | WorldInfo | Bodies | Springs | Stats | Notice;
