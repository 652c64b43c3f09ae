// A line: one connection to the gateway for one user's tabs. It knows which of its tabs has which
// tool, sends each call to the right one, and answers for a tab that is gone. Which tabs are on which
// line is the hub's to say.
import { GatewayLink } from "./gateway.js";
import { type ConnectionState, type HubPort, randomId, type TabFacts, type ToHub } from "./messages.js";
import { isSameDefinition, type ToolDefinition } from "./registry.js";
import { route } from "./routing.js";
import { HEADER_BYTES } from "./stream.js";
import type { FromGateway, Refusal, Welcome } from "./wire.js";

/** What stands around a definition in its frame, at most. */
const FRAME_BYTES_BESIDE = 1024;

/** A longer message of a call's progress is cut: nobody reads it, and a frame has its limit. */
const PROGRESS_CHARACTERS_MAX = 4096;

export interface HubTab {
  readonly id: string;
  readonly port: HubPort;
  readonly tools: Map<string, ToolDefinition>;
  facts: TabFacts;
  activeAt: number;
  token: string | undefined;
  /** Whose token that is, once the gateway has said so. */
  user: string | undefined;
  line: Line | undefined;
  /** Why it is on none. */
  aside: ConnectionState | undefined;
  /** What is done when it is known whose its token is; there is nothing while that is known. */
  held: (() => void)[] | undefined;
}

type CallFrame = FromGateway & { readonly type: "call" };

interface LineCall {
  readonly tab: HubTab;
  readonly name: string;
  /** What the gateway calls it. */
  readonly call: string;
  stream: number | undefined;
}

export interface LineOwner {
  /** It is known whose it is. */
  welcomed(line: Line): void;
  changed(line: Line): void;
  /** A tab cannot be on it. */
  refused(tab: HubTab, state: ConnectionState): void;
}

/** Where a tab stands that this was said to. */
export function stateOf({ code, reason, hint }: Refusal): ConnectionState {
  return { status: "refused", code, reason, ...(hint ? { hint } : {}) };
}

export class Line {
  readonly tabs = new Set<HubTab>();
  state: ConnectionState = { status: "connecting" };
  /** Whose it is, once the gateway has said so. */
  user: string | undefined;
  readonly #owner: LineOwner;
  readonly #link: GatewayLink;
  /** Tabs that the gateway has been told of, on the connection that there is. */
  readonly #known = new Set<HubTab>();
  /** By ids of their own: each user's calls are counted from one, and a tab may come to be another's. */
  readonly #calls = new Map<string, LineCall>();
  /** Calls that wait until it is known whose a tab is, by what the gateway calls them. */
  readonly #held = new Map<string, CallFrame>();
  /** What is to be answered, by its number: without a refusal it was taken. */
  readonly #asked = new Map<number, (refusal?: Refusal) => void>();
  #number = 0;

  constructor(address: string, token: string | undefined, owner: LineOwner) {
    this.#owner = owner;
    this.#link = new GatewayLink(address, {
      welcomed: (welcome) => this.#welcomed(welcome),
      received: (frame) => this.#received(frame),
      lost: (reason) => this.#lost(reason),
      changed: (state) => {
        this.state = state;
        owner.changed(this);
      },
    });
    this.#link.token = token;
  }

  get token(): string | undefined {
    return this.#link.token;
  }

  get isWelcome(): boolean {
    return this.#link.welcome !== undefined;
  }

  open(token = this.token): void {
    this.#link.token = token;
    this.#link.open();
  }

  hurry(): void {
    this.#link.hurry();
  }

  close(reason: string): void {
    for (const [id, { name }] of [...this.#calls]) this.#fail(id, `${reason} while ${name} was running`);
    this.#link.close();
  }

  /** Whether this token is its user's, as far as is known here. */
  knows(token: string | undefined): boolean {
    return token === this.token || [...this.tabs].some((tab) => !tab.held && tab.token === token);
  }

  /** Asks whether a token is its user's. One that is counts from now on. */
  ask(token: string | undefined, then: (refusal?: Refusal) => void): void {
    const id = (this.#number += 1);
    this.#asked.set(id, (refusal) => {
      if (!refusal) this.#link.token = token;
      then(refusal);
    });
    this.#link.send({ type: "token", id, token });
  }

  add(tab: HubTab): void {
    this.tabs.add(tab);
    tab.line = this;
    tab.user = this.user;
    if (this.isWelcome) this.#show(tab);
  }

  /** `how` it came to leave, for those who called it. */
  remove(tab: HubTab, how: string): void {
    if (!this.tabs.delete(tab)) return;
    tab.line = undefined;
    const title = tab.facts.title || tab.facts.url;
    for (const [id, call] of this.#calls) {
      if (call.tab !== tab) continue;
      const reason = `the tab "${title}" ${how} while ${call.name} was running`;
      tab.port.post({ kind: "cancel", call: id, reason });
      this.#fail(id, reason);
    }
    if (this.#known.delete(tab)) this.#link.send({ type: "tab_closed", tab: tab.id });
  }

  facts(tab: HubTab): void {
    this.#sendOf(tab, { type: "tab", tab: tab.id, ...tab.facts });
  }

  register(tab: HubTab, tool: ToolDefinition): void {
    const first = [...this.tabs].find((other) => other !== tab && other.tools.has(tool.name));
    const listed = first?.tools.get(tool.name);
    if (listed && !isSameDefinition(listed, tool)) {
      const message = `another tab has registered ${tool.name} otherwise; its definition is listed until it goes`;
      tab.port.post({ kind: "warn", message });
    }
    this.#sendTool(tab, tool);
  }

  unregister(tab: HubTab, name: string): void {
    this.#sendOf(tab, { type: "unregister", tab: tab.id, name });
  }

  /** What a tab says of a call. Only the tab that has it is listened to. */
  heard(tab: HubTab, message: ToHub): void {
    if (!("call" in message)) return;
    const id = message.call;
    const running = this.#calls.get(id);
    if (running?.tab !== tab) return;
    const { call } = running;
    switch (message.kind) {
      case "progress": {
        const { progress, total } = message;
        const text = message.message?.slice(0, PROGRESS_CHARACTERS_MAX);
        return this.#link.send({ type: "progress", call, progress, total, message: text });
      }
      case "result":
        this.#calls.delete(id);
        return this.#link.sendRaw(`{"type":"result","call":${JSON.stringify(call)},"result":${message.json}}`);
      case "failed":
        return this.#fail(id, message.message);
      case "frame":
        this.#forward(running, message.frame, message.isLast);
        if (message.isLast) this.#calls.delete(id);
    }
  }

  #show(tab: HubTab): void {
    this.#known.add(tab);
    this.facts(tab);
    for (const tool of tab.tools.values()) this.#sendTool(tab, tool);
  }

  #sendTool(tab: HubTab, tool: ToolDefinition): void {
    if (!this.#known.has(tab)) return;
    const { frameBytesMax = Infinity } = this.#link.welcome ?? {};
    if (new TextEncoder().encode(JSON.stringify(tool)).length > frameBytesMax - FRAME_BYTES_BESIDE) {
      // The gateway ends a connection whose frames are too long, and with it everybody's tools.
      return tab.port.post({ kind: "warn", message: `the tool ${tool.name} is too long to be registered` });
    }
    const id = (this.#number += 1);
    this.#asked.set(id, (refusal) => {
      // Of a tab that is not taken at all that is told, and not of each of its tools.
      if (!refusal || !this.#known.has(tab)) return;
      const { reason, hint } = refusal;
      const message = `the gateway refused the tool ${tool.name}: ${reason}${hint ? ` (${hint})` : ""}`;
      tab.port.post({ kind: "warn", message });
    });
    this.#link.send({ type: "register", id, tab: tab.id, tool });
  }

  #sendOf(tab: HubTab, frame: object): void {
    if (this.#known.has(tab)) this.#link.send(frame);
  }

  #welcomed({ user, userId }: Welcome): void {
    this.user = userId;
    const reason = `${user} signed in meanwhile`;
    for (const tab of [...this.tabs]) {
      // Who vouches for a page without a token may come to vouch for somebody else.
      if (tab.user !== undefined && tab.user !== userId) {
        this.#owner.refused(tab, { status: "refused", code: "another_user", reason });
      } else {
        tab.user = userId;
        this.#show(tab);
      }
    }
    this.#owner.welcomed(this);
  }

  #received(frame: FromGateway): void {
    switch (frame.type) {
      case "call": {
        const tabs = [...this.#known].map((tab) => ({
          id: tab.id,
          activeAt: tab.activeAt,
          has: (tool: string) => tab.tools.has(tool),
          tab,
        }));
        const found = route(tabs, frame.name, frame.tab);
        if ("failure" in found) return this.#link.send({ type: "failed", call: frame.call, message: found.failure });
        return this.#call(found.tab.tab, frame);
      }
      case "cancel":
        this.#held.delete(frame.call);
        for (const [id, { call }] of this.#calls) if (call === frame.call) this.#cancel(id, frame.reason);
        return;
      case "ack":
        for (const [id, { tab, stream }] of this.#calls) {
          if (stream === frame.stream) tab.port.post({ kind: "ack", call: id, bytes: frame.bytes });
        }
        return;
      case "welcome":
      case "registered":
        return this.#answered(frame.id);
      case "refused": {
        if (frame.tab === undefined) return this.#answered(frame.id, frame);
        const tab = [...this.#known].find((tab) => tab.id === frame.tab);
        if (tab) this.#owner.refused(tab, stateOf(frame));
        return;
      }
      default:
        return;
    }
  }

  #answered(id = 0, refusal?: Refusal): void {
    const then = this.#asked.get(id);
    this.#asked.delete(id);
    then?.(refusal);
  }

  #call(tab: HubTab, frame: CallFrame): void {
    const { call, name, arguments: given, wantsProgress } = frame;
    if (tab.held) {
      // It may be another user's tab in a moment.
      this.#held.set(call, frame);
      tab.held.push(() => {
        // Nobody waits for one that was cancelled, or whose connection was lost.
        if (this.#held.get(call) !== frame) return;
        this.#held.delete(call);
        this.#received(frame);
      });
      return;
    }
    const id = randomId();
    this.#calls.set(id, { tab, name, call, stream: undefined });
    const { frameBytesMax = 0, resultBytesMax = 0 } = this.#link.welcome ?? {};
    tab.port.post({ kind: "call", call: id, name, arguments: given, wantsProgress, frameBytesMax, resultBytesMax });
  }

  #cancel(id: string, reason: string): void {
    this.#calls.get(id)?.tab.port.post({ kind: "cancel", call: id, reason });
    this.#calls.delete(id);
  }

  #fail(id: string, message: string): void {
    const call = this.#calls.get(id)?.call;
    if (this.#calls.delete(id)) this.#link.send({ type: "failed", call, message });
  }

  #forward(running: LineCall, frame: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    const stream = (running.stream ??= this.#begin(running.call));
    const header = new DataView(frame.buffer, frame.byteOffset, HEADER_BYTES);
    header.setUint32(0, stream);
    header.setUint8(4, isLast ? 1 : 0);
    this.#link.sendRaw(frame);
  }

  /** A result that comes in frames of this number. */
  #begin(call: string): number {
    const stream = (this.#number += 1);
    this.#link.send({ type: "result", call, stream });
    return stream;
  }

  #lost(reason: string): void {
    // Tokens whose answer is lost are asked about again; tools are registered again.
    this.#asked.clear();
    this.#known.clear();
    this.#held.clear();
    // Whose a tab is that waits for such an answer is not known: it is not shown here again.
    for (const tab of this.tabs) if (tab.held) this.remove(tab, "signed in anew");
    for (const id of [...this.#calls.keys()]) this.#cancel(id, reason);
  }
}
