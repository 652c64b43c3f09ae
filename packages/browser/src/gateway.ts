// The WebSocket to the gateway: says hello, answers pings, and comes back by itself when it is lost,
// each time later, until a connection has held for a while. It knows nothing of tabs and tools:
// whoever owns it is told when it is welcomed anew, and says everything again then.
import { backoffMs, STEADY_MS } from "./backoff.js";
import type { ConnectionState } from "./messages.js";
import { type FromGateway, readFrame, type Refusal, SUBPROTOCOL, type Welcome } from "./wire.js";

/** Silence is death after so many heartbeats; a gateway that does not even say hello is left sooner. */
const HEARTBEATS_MISSED = 2.5;
const HELLO_MS = 15_000;
/** Between two attempts that are made because the person or the network came back. */
const HURRY_MS = 1_000;
/** The attempt that a gateway at its limits is met with: half a minute away. */
const PATIENT_ATTEMPT = 8;

const FINAL = new Set(["credentials", "expired", "origin", "4401", "4403"]);
const LIMITS = new Set(["limits", "4429"]);
/** A refusal is followed by the end of the connection; a gateway that forgets is not waited for. */
const REFUSED_MS = 2_000;

const LOST = "the connection to the gateway was lost";
/** A page is not told which of the two it is. */
const NEVER = "the gateway does not answer, or is not known by this host name (allowed_hosts)";

export interface GatewayListener {
  /** A connection begins. */
  welcomed(welcome: Welcome): void;
  received(frame: FromGateway): void;
  lost(reason: string): void;
  changed(state: ConnectionState): void;
}

export class GatewayLink {
  #socket: WebSocket | undefined;
  #token: string | undefined;
  #welcome: Welcome | undefined;
  #refusal: Refusal | undefined;
  #welcomedAt = 0;
  #attempt = 0;
  #attemptedAt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly address: string,
    readonly listener: GatewayListener,
  ) {}

  get welcome(): Welcome | undefined {
    return this.#welcome;
  }

  /** The credential that the next connection is opened with. */
  get token(): string | undefined {
    return this.#token;
  }

  set token(token: string | undefined) {
    this.#token = token;
  }

  /** A fresh connection, now. */
  open(): void {
    this.#drop("the connection is made anew");
    this.#attempt = 0;
    this.#connect();
  }

  /** The person or the network is back: no need to wait any longer. */
  hurry(): void {
    if (this.#retry !== undefined && Date.now() - this.#attemptedAt > HURRY_MS) this.#connect();
  }

  close(): void {
    this.#drop("the page closed the connection");
    this.listener.changed({ status: "closed" });
  }

  send(frame: object): void {
    if (this.#welcome) this.#socket?.send(JSON.stringify(frame));
  }

  /** A frame whose JSON is written already, or bytes. */
  sendRaw(frame: string | Uint8Array<ArrayBuffer>): void {
    if (this.#welcome) this.#socket?.send(frame);
  }

  #connect(): void {
    this.#stopTimers();
    this.#attemptedAt = Date.now();
    this.listener.changed({ status: this.#attempt === 0 ? "connecting" : "reconnecting" });
    const socket = new WebSocket(this.address, SUBPROTOCOL);
    this.#socket = socket;
    this.#expectWithin(HELLO_MS);
    socket.onopen = () => {
      const client = { name: "@resultant/browser", version: __VERSION__ };
      socket.send(JSON.stringify({ type: "hello", token: this.#token, client }));
    };
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (typeof event.data === "string") this.#receive(event.data);
    };
    socket.onclose = (event) => this.#ended(event.code, event.reason);
  }

  #receive(text: string): void {
    const frame = readFrame(text);
    if (this.#welcome && !this.#refusal) this.#expectWithin(this.#welcome.heartbeatMs * HEARTBEATS_MISSED);
    if (frame?.type === "welcome" && frame.id === undefined) this.#welcomed(frame);
    else if (frame?.type === "ping") this.send({ type: "pong" });
    else if (frame?.type === "refused" && frame.id === undefined && frame.tab === undefined) {
      this.#refusal = frame;
      this.#expectWithin(REFUSED_MS);
    } else if (frame) this.listener.received(frame);
  }

  #welcomed(welcome: Welcome): void {
    this.#welcome = welcome;
    this.#welcomedAt = Date.now();
    this.#expectWithin(welcome.heartbeatMs * HEARTBEATS_MISSED);
    this.listener.welcomed(welcome);
    this.listener.changed({ status: "connected", user: welcome.user });
  }

  #ended(code: number, closeReason: string): void {
    const refusal = this.#refusal;
    const reason = refusal?.reason || closeReason || (this.#welcome ? LOST : NEVER);
    if (this.#welcome && Date.now() - this.#welcomedAt >= STEADY_MS) this.#attempt = 0;
    this.#drop(reason);
    const why = { code: refusal?.code ?? String(code), reason, ...(refusal?.hint ? { hint: refusal.hint } : {}) };
    // A refusal stands until there is another credential: trying again would be refused again.
    if (FINAL.has(why.code) || FINAL.has(String(code))) return this.listener.changed({ status: "refused", ...why });
    if (LIMITS.has(why.code) || LIMITS.has(String(code))) this.#attempt = Math.max(this.#attempt, PATIENT_ATTEMPT);
    this.#retry = setTimeout(() => this.#connect(), backoffMs(this.#attempt, Math.random()));
    this.#attempt += 1;
    this.listener.changed({ status: "reconnecting", ...why });
  }

  #expectWithin(ms: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#ended(0, "the gateway fell silent"), ms);
  }

  #stopTimers(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    this.#retry = undefined;
  }

  /** Leaves the socket at once; what it still says is not heard. */
  #drop(reason: string): void {
    this.#stopTimers();
    const socket = this.#socket;
    const wasWelcome = this.#welcome !== undefined;
    this.#socket = this.#welcome = this.#refusal = undefined;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    if (wasWelcome) this.listener.lost(reason);
  }
}
