import type { View } from "./draw/view";
import type { Link } from "./link";
import type { Stats, ToServer, Welcome, WorldInfo } from "./messages";
import { TOOLS, type Tool } from "./tools";

/** What parts of the page tell each other about. */
interface Events {
  welcome: Welcome;
  world: WorldInfo;
  epoch: WorldInfo; // another world than before
  stats: Stats;
  tool: Tool;
  brush: Brush;
  look: undefined;
}

export interface Brush {
  share: number; // of the way from the smallest to the largest, 0 … 1
  strength: number; // 0.1 … 10
}

/** What the page knows; its parts listen to what changes. */
export class App {
  welcome: Welcome | null = null;
  world: WorldInfo | null = null;
  stats: Stats | null = null;
  tool: Tool = TOOLS[1];
  brush: Brush = { share: 0.5, strength: 1 };
  say: (text: string, level?: "info" | "error") => void = () => {};
  private readonly listeners = new Map<string, ((value: never) => void)[]>();

  constructor(
    readonly view: View,
    readonly link: Link,
  ) {}

  on<K extends keyof Events>(event: K, listener: (value: Events[K]) => void): void {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }

  tell<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const listener of this.listeners.get(event) ?? []) listener(value as never);
  }

  send(message: ToServer): void {
    this.link.send(message);
  }

  choose(tool: Tool): void {
    this.tool = tool;
    this.tell("tool", tool);
  }

  setBrush(brush: Partial<Brush>): void {
    const share = Math.min(1, Math.max(0, brush.share ?? this.brush.share));
    const strength = Math.min(10, Math.max(0.1, brush.strength ?? this.brush.strength));
    this.brush = { share, strength };
    this.tell("brush", this.brush);
  }

  /** The brush's radius [m]: from a cell to a quarter of the world, by equal ratios. */
  get radius(): number {
    if (!this.world) return 1;
    const { nx, ny, cell } = this.world;
    const least = cell, most = Math.max(2 * cell, (Math.max(nx, ny) * cell) / 4);
    return least * (most / least) ** this.brush.share;
  }

  /** How large what is dropped is, 0.2 … 5, 1 at the middle. */
  get size(): number {
    return 5 ** (2 * this.brush.share - 1);
  }
}
