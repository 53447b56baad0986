import type { View } from "../draw/view";

/** Pointers that are down, and how they turn, move and bring the view nearer. */
export class Gestures {
  private readonly held = new Map<number, { x: number; y: number; dx: number; dy: number }>();
  private spread = 0;

  constructor(private readonly view: View) {}

  get count(): number {
    return this.held.size;
  }

  has(id: number): boolean {
    return this.held.has(id);
  }

  down(id: number, x: number, y: number): void {
    this.held.set(id, { x, y, dx: 0, dy: 0 });
    this.spread = this.apart();
  }

  /** Tell if it is down, and remember how far it went. */
  move(id: number, x: number, y: number): boolean {
    const old = this.held.get(id);
    if (!old) return false;
    this.held.set(id, { x, y, dx: x - old.x, dy: y - old.y });
    return true;
  }

  up(id: number): void {
    this.held.delete(id);
    this.spread = this.apart();
  }

  /** Move the camera as the pointer that just moved says. */
  turn(event: PointerEvent, looking: boolean): void {
    const { dx, dy } = this.held.get(event.pointerId)!;
    const n = this.count;
    const panning = n > 2 || (n === 2 && looking) || (n === 1 && (event.buttons === 4 || (event.buttons === 2 && event.shiftKey)));
    if (panning) this.view.pan(dx / n, dy / n);
    else if (n > 1 || looking || event.buttons === 2) this.view.orbit(dx / n, dy / n);
    if (n !== 2) return;
    const apart = this.apart();
    if (this.spread > 0 && apart > 0) this.view.zoom(this.spread / apart, ...this.middle());
    this.spread = apart;
  }

  private middle(): [number, number] {
    const all = [...this.held.values()];
    const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    return [mean(all.map(({ x }) => x)), mean(all.map(({ y }) => y))];
  }

  private apart(): number {
    const [a, b] = [...this.held.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }
}
