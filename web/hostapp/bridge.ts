// The line to the host: JSON-RPC by messages between windows, as MCP Apps have it. The official package has the
// same with a schema for every message; it is several times as large as all of this app, and what comes from a
// host is narrowed where it is used.

export interface HostContext {
  theme?: string | undefined;
  displayMode?: string | undefined;
  availableDisplayModes?: unknown;
  styles?: unknown;
  containerDimensions?: unknown;
}

export interface Greeting {
  capabilities: Record<string, unknown>;
  context: HostContext;
}

/** What a host may tell. Each is told with the parameters as they came. */
export type Heard = (method: string, params: Record<string, unknown>) => void;

/** Where messages go and come from: a window in the app, anything in a test. */
export interface Line {
  post(message: unknown): void;
  listen(take: (message: unknown) => void): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const PROTOCOL = "2026-01-26";
const NO_METHOD = -32601;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The line to the window that framed this one, and to no other. */
export function parentLine(): Line {
  return {
    // A host's origin is not told to what it frames, and what is said here is for whoever holds the frame.
    post: (message) => window.parent.postMessage(message, "*"),
    listen: (take) =>
      window.addEventListener("message", (event) => {
        if (event.source === window.parent) take(event.data);
      }),
  };
}

export class Bridge {
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(
    private readonly line: Line,
    private readonly heard: Heard,
  ) {
    line.listen((message) => this.take(message));
  }

  /** Greets the host, and says that it may begin. */
  async greet(): Promise<Greeting> {
    const result = await this.ask("ui/initialize", {
      protocolVersion: PROTOCOL,
      appInfo: { name: "resultant-canvas", version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    const said = isRecord(result) ? result : {};
    this.tell("ui/notifications/initialized", {});
    return {
      capabilities: isRecord(said["hostCapabilities"]) ? said["hostCapabilities"] : {},
      context: isRecord(said["hostContext"]) ? said["hostContext"] : {},
    };
  }

  ask(method: string, params: Record<string, unknown>): Promise<unknown> {
    this.last += 1;
    const id = this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.line.post({ jsonrpc: "2.0", id, method, params });
    });
  }

  tell(method: string, params: Record<string, unknown>): void {
    this.line.post({ jsonrpc: "2.0", method, params });
  }

  private take(message: unknown): void {
    if (!isRecord(message) || message["jsonrpc"] !== "2.0") return;
    const { id, method, params } = message;
    if (typeof method === "string") {
      if (id === undefined) this.heard(method, isRecord(params) ? params : {});
      else this.answer(id, method);
      return;
    }
    const asked = typeof id === "number" ? this.waiting.get(id) : undefined;
    if (asked === undefined || typeof id !== "number") return;
    this.waiting.delete(id);
    const { error } = message;
    if (error === undefined) asked.resolve(message["result"]);
    else asked.reject(new Error(isRecord(error) && typeof error["message"] === "string" ? error["message"] : "the host refused"));
  }

  /** A host asks little of an app: whether it is there, and to come to an end. */
  private answer(id: unknown, method: string): void {
    const isKnown = method === "ping" || method === "ui/resource-teardown";
    const error = { code: NO_METHOD, message: `unknown method: ${method}` };
    this.line.post({ jsonrpc: "2.0", id, ...(isKnown ? { result: {} } : { error }) });
  }
}
