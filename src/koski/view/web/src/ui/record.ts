const KINDS = ["video/mp4;codecs=avc1.42E01F", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
const FPS = 30, BITS = 8_000_000; // a second

/** Films what the canvas shows. */
export class Recorder {
  private recorder: MediaRecorder | null = null;
  private parts: Blob[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {}

  get running(): boolean {
    return this.recorder !== null;
  }

  /** Tell if this browser can. */
  start(): boolean {
    const kind = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((k) => MediaRecorder.isTypeSupported(k));
    if (!kind || !this.canvas.captureStream) return false;
    this.parts = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(FPS), { mimeType: kind, videoBitsPerSecond: BITS });
    this.recorder.ondataavailable = ({ data }) => this.parts.push(data);
    this.recorder.start(1000);
    return true;
  }

  stop(): Promise<{ film: Blob; ending: string }> {
    const recorder = this.recorder!;
    this.recorder = null;
    return new Promise((done) => {
      recorder.onstop = () => {
        const type = recorder.mimeType.split(";")[0];
        done({ film: new Blob(this.parts, { type }), ending: type.split("/")[1] });
      };
      recorder.stop();
    });
  }
}
