export interface FieldHeader { name: string; low: number; high: number; tiles: number[] }
export interface FrameHeader { epoch: number; seq: number; t: number; tile: number; bodies: number; poses: number; fields: FieldHeader[] }
export interface KnobInfo { path: string; label: string; value: number; low: number; high: number; step: number; unit: string; tip: string }
export interface EdgeInfo { side: string; kind: string; value: number }
export interface SceneInfo { name: string; about: string }
export interface PartInfo { shape: string; size: number[]; place: number[]; turn: number[]; vertices: number[]; faces: number[] }
export interface BodyInfo { key: number; kind: string; moves: boolean; color: number[]; material: string; parts: PartInfo[] }
export interface SpringInfo { index: number; x: number; y: number; discharge: number; radius: number }
export interface Welcome { type: "Welcome"; version: string; viewer: string; scenes: SceneInfo[]; solvers: string[]; couplings: string[] }
export interface WorldInfo { type: "WorldInfo"; epoch: number; scene: string; nx: number; ny: number; cell: number; solver: string; coupling: string; view: string; knobs: KnobInfo[]; edges: EdgeInfo[]; rain: number }
export interface Bodies { type: "Bodies"; epoch: number; version: number; bodies: BodyInfo[] }
export interface Springs { type: "Springs"; springs: SpringInfo[] }
export interface Stats { type: "Stats"; t: number; paused: boolean; speed: number; factor: number; fps: number; rtkc: number; cells: number; bodies: number; steps: number; start: number; came: number; went: number; now: number; drift: number; viewers: number; hand: boolean; taken: boolean; undo: number; redo: number }
export interface Notice { type: "Notice"; level: string; text: string }
