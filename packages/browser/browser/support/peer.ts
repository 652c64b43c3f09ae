// A peer that speaks `resultant.page.v1` as a gateway does, and shows what it was told: for what a
// real gateway does not let a test see (which frames, in which order) or do (fall silent, be broken).
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket as NetSocket } from "node:net";
import { accept, type Socket } from "./socket.js";

export interface Told {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface Answer {
  readonly result?: {
    content: Record<string, unknown>[];
    structuredContent?: unknown;
    isError?: boolean;
    _meta?: unknown;
  };
  readonly failed?: string;
  /** How the result came: its frames, and how far they ran ahead of what was acknowledged. */
  readonly frames: number;
  readonly unacknowledgedMax: number;
}

interface Pending {
  readonly settle: (answer: Answer) => void;
  readonly chunks: Buffer[];
  readonly onProgress: ((progress: Told) => void) | undefined;
  stream?: number;
  frames: number;
  bytes: number;
  acknowledged: number;
  ahead: number;
}

const isRegistrationOf = (frame: Told, tool: string) =>
  frame.type === "register" && (frame["tool"] as { name: string }).name === tool;

/** Tokens open the door for the user they name: `user-a:1`. No token is the user `local`. */
const userOf = (token: unknown) => (token === undefined ? undefined : String(token).split(":")[0]);

export class Peer {
  readonly told: Told[] = [];
  readonly sockets = new Set<Socket>();
  /** What the next welcomes say. */
  heartbeatMs = 60_000;
  resultBytesMax = 1024 * 1024 * 1024;
  refusedTokens = new Set<string>();
  /** Who somebody without a token is. */
  local = "local";
  /** More tabs than these are refused. */
  tabsMax = Infinity;
  /** Whether acknowledgements are sent as frames come. */
  acknowledges = true;
  connections = 0;
  #calls = new Map<string, Pending>();
  /** Whose a connection is, which tabs it has, and who has registered a tool last. */
  #users = new Map<Socket, string>();
  #tabs = new Map<Socket, Set<unknown>>();
  #owners = new Map<string, Socket>();
  #tellers = new WeakMap<Told, string>();
  #number = 0;
  #watchers = new Set<() => void>();
  #server: Server | undefined;
  #lines = new Set<NetSocket>();
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<this> {
    const server = createServer((_request, response) => response.writeHead(404).end());
    server.on("connection", (line) => {
      this.#lines.add(line);
      line.on("close", () => this.#lines.delete(line));
    });
    server.on("upgrade", (request, stream) => this.#serve(accept(request, stream, "resultant.page.v1")));
    await new Promise<void>((done) => server.listen(this.#port, "127.0.0.1", done));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    for (const line of this.#lines) line.destroy();
    await new Promise((done) => this.#server?.close(done));
  }

  /** Waits for a frame (already there or to come) that `matches`; looks again when a connection ends. */
  async heard(matches: (frame: Told) => boolean): Promise<Told> {
    for (;;) {
      const found = this.told.find(matches);
      if (found) return found;
      await new Promise<void>((done) => {
        const watcher = () => {
          this.#watchers.delete(watcher);
          done();
        };
        this.#watchers.add(watcher);
      });
    }
  }

  registered(name: string, user?: string): Promise<Told> {
    return this.heard((frame) => isRegistrationOf(frame, name) && (user ?? this.userOf(frame)) === this.userOf(frame));
  }

  /** Whose connection a frame came by. */
  userOf(frame: Told): string | undefined {
    return this.#tellers.get(frame);
  }

  /** As whom a tool was registered so far. */
  usersOf(tool: string): Set<string | undefined> {
    return new Set(this.told.filter((frame) => isRegistrationOf(frame, tool)).map((frame) => this.userOf(frame)));
  }

  call(
    name: string,
    args: object = {},
    tab?: string,
    onProgress?: (progress: Told) => void,
  ): { id: string; answer: Promise<Answer> } {
    const id = `call-${(this.#number += 1)}`;
    const answer = new Promise<Answer>((settle) => {
      this.#calls.set(id, { settle, chunks: [], onProgress, frames: 0, bytes: 0, acknowledged: 0, ahead: 0 });
    });
    const wantsProgress = onProgress !== undefined;
    const frame = { type: "call", call: id, name, arguments: args, tab, deadline_ms: 60_000, progress: wantsProgress };
    const owner = this.#owners.get(name);
    const socket = owner && this.sockets.has(owner) ? owner : [...this.sockets][0];
    socket?.send(JSON.stringify(frame));
    return { id, answer };
  }

  say(frame: object): void {
    for (const socket of this.sockets) socket.send(JSON.stringify(frame));
  }

  #serve(socket: Socket): void {
    this.sockets.add(socket);
    this.connections += 1;
    socket.onClose = () => {
      this.sockets.delete(socket);
      this.#notify();
    };
    socket.onText = (text) => this.#read(socket, JSON.parse(text) as Told);
    socket.onBytes = (bytes) => this.#stream(socket, bytes);
  }

  #read(socket: Socket, frame: Told): void {
    const reply = (answer: object) => socket.send(JSON.stringify(answer));
    const pending = this.#calls.get(String(frame["call"]));
    if (frame.type === "hello" || frame.type === "token") this.#admit(socket, frame, reply);
    else if (frame.type === "tab") this.#tab(socket, frame["tab"], reply);
    else if (frame.type === "tab_closed") this.#tabs.get(socket)?.delete(frame["tab"]);
    else if (frame.type === "register") {
      this.#owners.set((frame["tool"] as { name: string }).name, socket);
      reply({ type: "registered", id: frame["id"] });
    } else if (frame.type === "progress") pending?.onProgress?.(frame);
    else if (frame.type === "failed") this.#settle(String(frame["call"]), { failed: String(frame["message"]) });
    else if (frame.type === "result" && frame["stream"] !== undefined) {
      if (pending) pending.stream = Number(frame["stream"]);
    } else if (frame.type === "result")
      this.#settle(String(frame["call"]), { result: frame["result"] as Answer["result"] & {} });
    this.#tellers.set(frame, this.#users.get(socket) ?? "");
    this.told.push(frame);
    this.#notify();
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #tab(socket: Socket, tab: unknown, reply: (answer: object) => void): void {
    const tabs = this.#tabs.get(socket) ?? new Set();
    this.#tabs.set(socket, tabs);
    if (tabs.size < this.tabsMax) tabs.add(tab);
    if (!tabs.has(tab)) reply({ type: "refused", tab, code: "limits", reason: "too many tabs", hint: "close some" });
  }

  #admit(socket: Socket, { type, id, token }: Told, reply: (answer: object) => void): void {
    const about = type === "token" ? { id } : {};
    if (this.refusedTokens.has(String(token))) {
      const words = { reason: "this token is not known", hint: "sign in again" };
      reply({ ...about, type: "refused", code: "credentials", ...words });
      return type === "token" ? undefined : socket.close(4401);
    }
    const user = userOf(token) ?? this.local;
    if (type === "token" && this.#users.get(socket) !== user) {
      return reply({ ...about, type: "refused", code: "another_user", reason: "this is another user's" });
    }
    this.#users.set(socket, user);
    const limits = { frame_bytes_max: 262_144, result_bytes_max: this.resultBytesMax, tools_max: 100, calls_max: 100 };
    reply({
      ...about,
      type: "welcome",
      connection: `c${this.connections}`,
      // Two users may have one name.
      user: user.split("-")[0],
      user_id: `id of ${user}`,
      limits,
      heartbeat_ms: this.heartbeatMs,
    });
  }

  #stream(socket: Socket, bytes: Buffer): void {
    const number = bytes.readUInt32BE(0);
    for (const [id, pending] of this.#calls) {
      if (pending.stream !== number) continue;
      const body = bytes.subarray(5);
      pending.chunks.push(body);
      pending.frames += 1;
      pending.bytes += body.length;
      pending.ahead = Math.max(pending.ahead, pending.bytes - pending.acknowledged);
      if (this.acknowledges) this.acknowledge(id, socket);
      if (bytes[4] === 1)
        this.#settle(id, { result: JSON.parse(Buffer.concat(pending.chunks).toString()) as Answer["result"] & {} });
    }
    this.#notify();
  }

  /** How many bytes of a call's stream have come. */
  received(id: string): number {
    return this.#calls.get(id)?.bytes ?? 0;
  }

  acknowledge(id: string, socket = [...this.sockets][0]): void {
    const pending = this.#calls.get(id);
    if (!pending || !socket) return;
    pending.acknowledged = pending.bytes;
    socket.send(JSON.stringify({ type: "ack", stream: pending.stream, bytes: pending.bytes }));
  }

  #settle(id: string, answer: { result?: Answer["result"] & {}; failed?: string }): void {
    const pending = this.#calls.get(id);
    this.#calls.delete(id);
    pending?.settle({ ...answer, frames: pending.frames, unacknowledgedMax: pending.ahead });
  }
}
