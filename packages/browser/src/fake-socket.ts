// A WebSocket whose other end is a unit test. What a real one does is seen in the tests in a browser.

export class FakeSocket {
  static all: FakeSocket[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  readonly sent: (string | Uint8Array)[] = [];

  constructor() {
    FakeSocket.all.push(this);
  }

  static latest(): FakeSocket {
    return FakeSocket.all.at(-1) as FakeSocket;
  }

  send(frame: string | Uint8Array): void {
    this.sent.push(frame);
  }

  close(): void {}

  says(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  welcome(user = "anna"): void {
    this.onopen?.();
    this.says({ type: "welcome", user, heartbeat_ms: 3_600_000 });
  }

  end(code = 1006): void {
    this.onclose?.({ code, reason: "" });
  }

  /** The frames of a type that it was sent. */
  heard(type: string): Record<string, unknown>[] {
    const texts = this.sent.filter((frame) => typeof frame === "string");
    return texts.map((text) => JSON.parse(text) as Record<string, unknown>).filter((frame) => frame["type"] === type);
  }
}
