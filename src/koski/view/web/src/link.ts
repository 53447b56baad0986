import { decode, type Frame } from "./frame";
import type { ToPage, ToServer } from "./messages";

export type LinkState = "connecting" | "open" | "lost";

const FIRST_WAIT = 400; // before the second try [ms]; each try waits longer than the last
const LONGEST_WAIT = 8000;
const SILENCE = 30_000; // a server that says nothing for so long is gone, or we slept [ms]

/** The socket to the server: it comes back by itself, and keeps frames until they are drawn. */
export class Link {
  state: LinkState = "connecting";
  tries = 0;
  onmessage: (message: ToPage) => void = () => {};
  onstate: (state: LinkState) => void = () => {};
  readonly counters = { frames: 0, bytes: 0, opened: 0 };
  private socket: WebSocket | null = null;
  private shape = { nx: 0, ny: 0 };
  private frames: Frame[] = [];
  private heard = 0;
  private timer = 0;

  constructor(private readonly address: string) {
    addEventListener("online", () => this.again());
    document.addEventListener("visibilitychange", () => document.hidden || this.again());
    setInterval(() => this.listen(), 2000);
  }

  connect(): void {
    clearTimeout(this.timer);
    this.drop();
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.opened();
    socket.onmessage = ({ data }) => this.hear(data);
    socket.onclose = () => this.closed();
    this.socket = socket;
    this.heard = performance.now();
  }

  send(message: ToServer): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** The frames that came since the last call.  A frame holds only what changed: none is skipped. */
  take(): Frame[] {
    const taken = this.frames;
    this.frames = [];
    return taken;
  }

  /** Frames of another world than this one are of no use. */
  expect(shape: { nx: number; ny: number }): void {
    this.shape = shape;
  }

  private opened(): void {
    this.tries = 0;
    this.counters.opened++;
    this.tell("open");
  }

  private hear(data: string | ArrayBuffer): void {
    this.heard = performance.now();
    if (typeof data === "string") return this.onmessage(JSON.parse(data) as ToPage);
    this.counters.frames++;
    this.counters.bytes += data.byteLength;
    this.frames.push(decode(data, this.shape));
  }

  private closed(): void {
    this.drop();
    this.tries++;
    this.tell("lost");
    const longest = Math.min(FIRST_WAIT * 2 ** this.tries, LONGEST_WAIT);
    this.timer = window.setTimeout(() => this.connect(), longest * (0.5 + Math.random() / 2));
  }

  private drop(): void {
    if (!this.socket) return;
    this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.socket = null;
    this.frames = [];
  }

  private again(): void {
    if (this.state === "lost") this.connect();
  }

  private listen(): void {
    if (this.socket && performance.now() - this.heard > SILENCE) this.closed();
  }

  private tell(state: LinkState): void {
    this.state = state;
    this.onstate(state);
  }
}
