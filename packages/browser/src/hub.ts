// The hub: one connection to one gateway for all tabs that can reach it. It lives in a SharedWorker,
// or in a tab that leads the others. It knows which tab has which tool, sends each call to the right
// one, and answers for a tab that is gone.
import { GatewayLink } from "./gateway.js";
import type { ConnectionState, HubPort, OpenMessage, TabFacts, ToHub } from "./messages.js";
import { isSameDefinition, type ToolDefinition } from "./registry.js";
import { route } from "./routing.js";
import { HEADER_BYTES } from "./stream.js";
import type { FromGateway, Refusal, Welcome } from "./wire.js";

/** A connection without tabs stays so long: a page that is mounted twice needs no second one. */
const LINGER_MS = 500;

/** What stands around a definition in its frame, at most. */
const FRAME_BYTES_BESIDE = 1024;

/** A longer message of a call's progress is cut: nobody reads it, and a frame has its limit. */
const PROGRESS_CHARACTERS_MAX = 4096;

interface HubTab {
  readonly id: string;
  readonly port: HubPort;
  readonly tools: Map<string, ToolDefinition>;
  readonly has: (tool: string) => boolean;
  facts: TabFacts;
  activeAt: number;
  token: string | undefined;
  /** Whose token that is, once the gateway has said so. */
  user: string | undefined;
  /** Whether the gateway has been told of it, on the connection that there is. */
  isKnown: boolean;
  /** Why nothing of it is shown, while other tabs are: its token was refused, or is another user's. */
  aside: ConnectionState | undefined;
}

interface HubCall {
  readonly tab: HubTab;
  readonly name: string;
  stream: number | undefined;
}

export class Hub {
  readonly #tabs = new Map<string, HubTab>();
  readonly #calls = new Map<string, HubCall>();
  /** Registrations whose answer is to come, by their number. */
  readonly #asked = new Map<number, { readonly tab: HubTab; readonly name: string }>();
  readonly #link: GatewayLink;
  #state: ConnectionState = { status: "connecting" };
  #token: string | undefined;
  #user: string | undefined;
  /** The last token that was welcome; there is none before that. */
  #good: { readonly token: string | undefined } | undefined;
  #focusCount = 0;
  #number = 0;
  #linger: ReturnType<typeof setTimeout> | undefined;

  constructor(address: string) {
    this.#link = new GatewayLink(address, {
      welcomed: (welcome, token) => this.#welcomed(welcome, token),
      received: (frame) => this.#received(frame),
      lost: (reason) => this.#lost(reason),
      changed: (state) => this.#changed(state),
    });
  }

  /** Takes in a tab. The port is listened to from now on. */
  join(open: OpenMessage, port: HubPort): void {
    const tools = new Map<string, ToolDefinition>();
    const tab: HubTab = {
      id: open.tab,
      port,
      tools,
      has: (tool) => tab.isKnown && tools.has(tool),
      facts: open.facts,
      activeAt: 0,
      token: open.token,
      user: this.#good && open.token === this.#good.token ? this.#user : undefined,
      isKnown: false,
      aside: undefined,
    };
    clearTimeout(this.#linger);
    this.#leave(this.#tabs.get(tab.id), "was opened again");
    const isFirst = this.#tabs.size === 0;
    this.#tabs.set(tab.id, tab);
    port.listen((message) => this.#heard(tab, message));
    if (open.lock !== undefined) {
      // The lock is ours only when the tab is no more.
      void navigator.locks.request(open.lock, () => this.#leave(tab, "was closed"));
    }
    port.post({ kind: "state", state: this.#state });
    this.#take(tab, open.facts);
    if (isFirst && this.#state.status !== "connected") this.#open(open.token);
    else if (open.token !== undefined && open.token !== this.#token) this.#open(open.token);
    else if (this.#link.welcome) this.#reconcile();
    else this.#link.hurry();
  }

  /** No more connection, no more tabs: another hub takes over. */
  close(): void {
    clearTimeout(this.#linger);
    for (const [id, { name }] of this.#calls) {
      this.#fail(id, `the tab that held the connection was closed while ${name} was running`);
    }
    this.#tabs.clear();
    this.#link.close();
  }

  hurry(): void {
    this.#link.hurry();
  }

  #heard(tab: HubTab, message: ToHub): void {
    if (this.#tabs.get(tab.id) !== tab) return;
    switch (message.kind) {
      case "facts":
        return this.#take(tab, message.facts);
      case "token":
        tab.token = message.token;
        tab.user = undefined;
        tab.aside = undefined;
        return this.#open(message.token);
      case "register":
        return this.#register(tab, message.tool);
      case "unregister":
        tab.tools.delete(message.name);
        return this.#sendOf(tab, { type: "unregister", tab: tab.id, name: message.name });
      case "bye":
        return this.#leave(tab, "was closed");
      case "progress":
        if (this.#calls.has(message.call)) {
          const { call, progress, total, message: text } = message;
          this.#link.send({ type: "progress", call, progress, total, message: text?.slice(0, PROGRESS_CHARACTERS_MAX) });
        }
        return;
      case "result":
        if (this.#calls.delete(message.call)) {
          this.#link.sendRaw(`{"type":"result","call":${JSON.stringify(message.call)},"result":${message.json}}`);
        }
        return;
      case "failed":
        return this.#fail(message.call, message.message);
      case "frame":
        return this.#forward(message.call, message.frame, message.isLast);
    }
  }

  #open(token: string | undefined): void {
    this.#token = token;
    this.#link.open(token);
  }

  /** Title, address and focus of a tab. The tab that has the focus is the active one until another gets it. */
  #take(tab: HubTab, facts: TabFacts): void {
    if (facts.active) tab.activeAt = this.#focusCount += 1;
    tab.facts = facts;
    this.#sendTab(tab);
    if (facts.visible) this.#link.hurry();
  }

  #sendTab(tab: HubTab): void {
    this.#sendOf(tab, { type: "tab", tab: tab.id, ...tab.facts });
  }

  #register(tab: HubTab, tool: ToolDefinition): void {
    const first = [...this.#tabs.values()].find((other) => other !== tab && other.has(tool.name));
    const listed = first?.tools.get(tool.name);
    if (listed && !isSameDefinition(listed, tool)) {
      const message = `another tab has registered ${tool.name} otherwise; its definition is listed until it goes`;
      tab.port.post({ kind: "warn", message });
    }
    tab.tools.set(tool.name, tool);
    this.#sendTool(tab, tool);
  }

  #sendTool(tab: HubTab, tool: ToolDefinition): void {
    if (!tab.isKnown) return;
    const { frameBytesMax = Infinity } = this.#link.welcome ?? {};
    if (new TextEncoder().encode(JSON.stringify(tool)).length > frameBytesMax - FRAME_BYTES_BESIDE) {
      // The gateway ends a connection whose frames are too long, and with it everybody's tools.
      return tab.port.post({ kind: "warn", message: `the tool ${tool.name} is too long to be registered` });
    }
    const id = (this.#number += 1);
    this.#asked.set(id, { tab, name: tool.name });
    this.#link.send({ type: "register", id, tab: tab.id, tool });
  }

  #sendOf(tab: HubTab, frame: object): void {
    if (tab.isKnown) this.#link.send(frame);
  }

  /** Idempotent: a lock, a port and a last word may all say that the tab is gone. */
  #leave(tab: HubTab | undefined, how: string): void {
    if (!tab || this.#tabs.get(tab.id) !== tab) return;
    this.#tabs.delete(tab.id);
    const title = tab.facts.title || tab.facts.url;
    for (const [id, call] of this.#calls) {
      if (call.tab === tab) this.#fail(id, `the tab "${title}" ${how} while ${call.name} was running`);
    }
    this.#sendOf(tab, { type: "tab_closed", tab: tab.id });
    tab.port.close();
    if (this.#tabs.size === 0) this.#linger = setTimeout(() => this.#rest(), LINGER_MS);
  }

  /** Nobody is here any more; whoever comes next comes anew. */
  #rest(): void {
    this.#user = this.#good = undefined;
    this.#link.close();
  }

  #welcomed({ user }: Welcome, token: string | undefined): void {
    const before = this.#user ?? user;
    this.#user = user;
    this.#good = { token };
    if (before !== user) this.#cancelAll(`${user} signed in`);
    const reason = `another tab of this page signed in as ${user}`;
    for (const tab of this.#tabs.values()) {
      if (tab.token === token) {
        tab.user = user;
        tab.aside = undefined;
      } else if (before !== user) {
        // A tab that has shown no token of its own was the last user's.
        const isOurs = (tab.user ?? before) === user;
        tab.aside = isOurs ? undefined : { status: "refused", code: "another_user", reason };
      }
    }
    this.#tell(this.#state);
    this.#reconcile();
  }

  /** Tells the gateway of tabs that it does not know, and takes back those that are not this user's. */
  #reconcile(): void {
    for (const tab of this.#tabs.values()) {
      const isShown = !tab.aside && (tab.token === undefined || tab.user === this.#user);
      if (tab.isKnown === isShown) continue;
      if (!isShown) this.#sendOf(tab, { type: "tab_closed", tab: tab.id });
      tab.isKnown = isShown;
      this.#sendTab(tab);
      for (const tool of tab.tools.values()) this.#sendTool(tab, tool);
    }
  }

  #received(frame: FromGateway): void {
    switch (frame.type) {
      case "call": {
        const found = route(this.#tabs.values(), frame.name, frame.tab);
        if ("failure" in found) return this.#link.send({ type: "failed", call: frame.call, message: found.failure });
        this.#calls.set(frame.call, { tab: found.tab, name: frame.name, stream: undefined });
        const { call, name, arguments: given, wantsProgress } = frame;
        const { frameBytesMax = 0, resultBytesMax = 0 } = this.#link.welcome ?? {};
        return found.tab.port.post({
          kind: "call",
          call,
          name,
          arguments: given,
          wantsProgress,
          frameBytesMax,
          resultBytesMax,
        });
      }
      case "cancel":
        return this.#cancel(frame.call, frame.reason);
      case "ack":
        for (const [call, { tab, stream }] of this.#calls) {
          if (stream === frame.stream) tab.port.post({ kind: "ack", call, bytes: frame.bytes });
        }
        return;
      case "registered":
        if (frame.id !== undefined) this.#asked.delete(frame.id);
        return;
      case "refused":
        return this.#refused(frame);
      default:
        return;
    }
  }

  #refused({ id = 0, reason, hint }: Refusal): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    const message = `the gateway refused the tool ${asked?.name}: ${reason}${hint ? ` (${hint})` : ""}`;
    asked?.tab.port.post({ kind: "warn", message });
  }

  #cancel(id: string, reason: string): void {
    this.#calls.get(id)?.tab.port.post({ kind: "cancel", call: id, reason });
    this.#calls.delete(id);
  }

  #fail(id: string, message: string): void {
    if (this.#calls.delete(id)) this.#link.send({ type: "failed", call: id, message });
  }

  #forward(id: string, frame: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    const call = this.#calls.get(id);
    if (!call) return;
    if (call.stream === undefined) {
      call.stream = this.#number += 1;
      this.#link.send({ type: "result", call: id, stream: call.stream });
    }
    const header = new DataView(frame.buffer, frame.byteOffset, HEADER_BYTES);
    header.setUint32(0, call.stream);
    header.setUint8(4, isLast ? 1 : 0);
    this.#link.sendRaw(frame);
    if (isLast) this.#calls.delete(id);
  }

  #lost(reason: string): void {
    this.#asked.clear();
    for (const tab of this.#tabs.values()) tab.isKnown = false;
    this.#cancelAll(reason);
  }

  #cancelAll(reason: string): void {
    for (const id of [...this.#calls.keys()]) this.#cancel(id, reason);
  }

  #changed(state: ConnectionState): void {
    // One tab's bad token is not to take the connection from the others, which had a good one.
    const good = this.#good;
    if (state.status === "refused" && good && good.token !== this.#token) {
      for (const tab of this.#tabs.values()) if (tab.token === this.#token) tab.aside = state;
      this.#tell({ status: "reconnecting" });
      return this.#open(good.token);
    }
    if (state.status === "refused") this.#good = undefined;
    this.#tell(state);
  }

  #tell(state: ConnectionState): void {
    this.#state = state;
    for (const tab of this.#tabs.values()) tab.port.post({ kind: "state", state: tab.aside ?? state });
  }
}
