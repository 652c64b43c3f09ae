// A page's connection: what it registers, who answers its calls, and where it stands. Everything is
// said anew whenever there is a new hub, so a page registers once and need not care.
import { pageAddress } from "./address.js";
import { backoffMs, STEADY_MS } from "./backoff.js";
import { type Callable, Calls, type Handler, type Send } from "./calls.js";
import { holdLock, openLink, type Way } from "./link.js";
import { type ConnectionState, randomId, type TabFacts, type TabPort, type ToTab } from "./messages.js";
import { Cell, type Observable } from "./observable.js";
import { difference, type JsonObject, type Registration, Registry, type ToolDefinition } from "./registry.js";
import { type ArgumentsOf, type SchemaSource, toJsonSchema, type ToJsonSchema } from "./schema.js";

/** A token, or where to get one: it is asked again when the gateway does not take the last. */
export type TokenSource = string | (() => string | undefined | Promise<string | undefined>);

export interface ConnectOptions {
  /** The gateway, such as `https://tools.example.org`; a path counts. */
  readonly url: string;
  readonly token?: TokenSource | undefined;
  /** Makes the SharedWorker, where the page's policy asks for its own way; `false`: without one. */
  readonly worker?: (() => SharedWorker) | false;
  /** `z.toJSONSchema`, for schemas that have no such method themselves. */
  readonly toJSONSchema?: ToJsonSchema;
  /** Told what is odd; the console is, by default. */
  readonly onWarning?: (message: string) => void;
}

export interface ToolOptions {
  readonly title?: string | undefined;
  readonly outputSchema?: SchemaSource | undefined;
  readonly annotations?: JsonObject | undefined;
}

export interface Connection {
  /** This tab, as callers may name it. */
  readonly tab: string;
  readonly state: Observable<ConnectionState>;
  /** How the gateway is reached: by a worker, through the leading tab, or from this tab alone. */
  readonly way: Observable<Way | undefined>;
  /** Registers a tool; gives back how to unregister it. */
  registerTool<S extends SchemaSource = JsonObject>(
    name: string,
    description: string,
    inputSchema: S | undefined,
    handler: Handler<ArgumentsOf<S>>,
    options?: ToolOptions,
  ): () => void;
  /** Takes back the newest registration of this name; says whether there was one. */
  unregisterTool(name: string): boolean;
  /** Another credential, from now on. The connection stays where the user is the same. */
  setToken(token: TokenSource | undefined): void;
  close(): void;
}

/** What another token may mend. */
const RENEWED = /* @__PURE__ */ new Set(["credentials", "expired", "4401"]);

export function connect(options: ConnectOptions): Connection {
  const connection = new PageConnection(options);
  connection.begin();
  return connection;
}

class PageConnection implements Connection {
  readonly tab = randomId();
  readonly state = new Cell<ConnectionState>({ status: "connecting" });
  readonly way = new Cell<Way | undefined>(undefined);
  readonly #gateway: string;
  readonly #registry = new Registry<Callable>();
  readonly #calls = new Calls(this.tab);
  readonly #closed = new AbortController();
  #told = new Map<string, ToolDefinition>();
  #port: TabPort | undefined;
  #source: TokenSource | undefined;
  #token: string | undefined;
  #refusals = 0;
  #connectedAt = Infinity;
  #openings = 0;
  #isFlushDue = false;
  /** Counts how often another token was set; while one is awaited, nothing is registered. */
  #signIn = 0;
  #isSigningIn = false;
  /** Ends the link and lets go of the tab's lock. */
  #present: AbortController | undefined;

  constructor(readonly options: ConnectOptions) {
    this.#gateway = pageAddress(options.url, globalThis.document?.baseURI);
    this.#source = options.token;
  }

  begin(): void {
    const { signal } = this.#closed;
    const look = () => this.#send({ kind: "facts", facts: factsOf() });
    addEventListener("focus", look, { signal });
    addEventListener("blur", look, { signal });
    document.addEventListener("visibilitychange", look, { signal });
    addEventListener("pagehide", () => this.#leave("the page was left"), { signal });
    addEventListener("pageshow", () => void this.#enter(), { signal });
    void this.#enter();
  }

  registerTool<S extends SchemaSource = JsonObject>(
    name: string,
    description: string,
    inputSchema: S | undefined,
    handler: Handler<ArgumentsOf<S>>,
    options: ToolOptions = {},
  ): () => void {
    const definition = this.#define(name, description, inputSchema, options);
    const call: Callable["call"] = (args, context) => handler(args as ArgumentsOf<S>, context);
    const registration: Registration<Callable> = { definition, handler: { call, schema: inputSchema } };
    if (this.#registry.add(registration) === "differs") {
      this.#warn(`${name} is registered already with another definition; the first one stays until it goes`);
    }
    this.#flushSoon();
    return () => {
      this.#registry.remove(registration);
      this.#flushSoon();
    };
  }

  unregisterTool(name: string): boolean {
    const was = this.#registry.removeNewest(name);
    this.#flushSoon();
    return was;
  }

  setToken(token: TokenSource | undefined): void {
    // What was registered so far is told as who this was, and what follows as who this will be.
    this.#flush();
    this.#source = token;
    this.#refusals = 0;
    void this.#renewToken(true);
  }

  close(): void {
    this.#closed.abort();
    this.#leave("the connection was closed");
    this.state.set({ status: "closed" });
  }

  #define(
    name: string,
    description: string,
    inputSchema: SchemaSource | undefined,
    options: ToolOptions,
  ): ToolDefinition {
    const convert = this.options.toJSONSchema;
    const { title, outputSchema, annotations } = options;
    return {
      name,
      ...(title === undefined ? {} : { title }),
      description,
      inputSchema: toJsonSchema(inputSchema ?? {}, "input", convert),
      ...(outputSchema === undefined ? {} : { outputSchema: toJsonSchema(outputSchema, "output", convert) }),
      ...(annotations === undefined ? {} : { annotations }),
    };
  }

  /** The page is there, for the first time or again: finds a hub. */
  async #enter(): Promise<void> {
    if (this.#present || this.#closed.signal.aborted) return;
    const present = new AbortController();
    this.#present = present;
    this.#openings += 1;
    const [lock, token] = await Promise.all([
      holdLock(`resultant:tab:${this.tab}:${this.#openings}`, present.signal),
      this.#newToken(),
    ]);
    if (present.signal.aborted) return;
    this.#token = token;
    void openLink({
      gateway: this.#gateway,
      tab: this.tab,
      worker: this.options.worker ?? packagedWorker,
      signal: present.signal,
      opened: (port, way) => this.#opened(port, way, lock),
    });
  }

  #leave(reason: string): void {
    this.#send({ kind: "bye" });
    this.#present?.abort();
    this.#present = this.#port = undefined;
    this.#calls.cancelAll(reason);
  }

  #opened(port: TabPort, way: Way, lock: string | undefined): void {
    this.#calls.cancelAll("the connection moved to another tab");
    this.#port = port;
    this.way.set(way);
    port.listen((message) => this.#received(port, message));
    this.#send({ kind: "open", gateway: this.#gateway, tab: this.tab, facts: factsOf(), token: this.#token, lock });
    this.#told.clear();
    this.#flush();
  }

  #received(port: TabPort, message: ToTab): void {
    if (port !== this.#port) return;
    switch (message.kind) {
      case "state":
        return this.#stands(message.state);
      case "call": {
        const send: Send = (answer, transfer) => port.post(answer, transfer);
        return void this.#calls.run(message, this.#registry.head(message.name), send);
      }
      case "cancel":
        return this.#calls.cancel(message.call, message.reason);
      case "ack":
        return this.#calls.acknowledged(message.call, message.bytes);
      case "warn":
        return this.#warn(message.message);
      default:
        return;
    }
  }

  #stands(state: ConnectionState): void {
    const was = this.state.get().status;
    this.state.set(state);
    if (state.status === "connected") this.#connectedAt = was === "connected" ? this.#connectedAt : Date.now();
    else if (Date.now() - this.#connectedAt >= STEADY_MS) this.#refusals = 0;
    if (state.status !== "connected") this.#connectedAt = Infinity;
    // A token that has run out is no news where the page can make another.
    const canRenew = state.status === "refused" && RENEWED.has(state.code ?? "") && typeof this.#source === "function";
    if (!canRenew) return;
    setTimeout(() => void this.#renewToken(false), this.#refusals === 0 ? 0 : backoffMs(this.#refusals, Math.random()));
    this.#refusals += 1;
  }

  async #renewToken(isWanted: boolean): Promise<void> {
    if (isWanted) this.#signIn += 1;
    const signIn = this.#signIn;
    this.#isSigningIn ||= isWanted;
    const token = await this.#newToken();
    if (signIn !== this.#signIn) return;
    this.#isSigningIn = false;
    if (!isWanted && token === this.#token) {
      // None could be had, or only the one that was refused: later there may be another.
      if (this.state.get().status === "refused") this.#stands(this.state.get());
      return;
    }
    this.#token = token;
    this.#send({ kind: "token", token });
    this.#flush();
  }

  async #newToken(): Promise<string | undefined> {
    const source = this.#source;
    if (typeof source !== "function") return source;
    try {
      return await source();
    } catch (error) {
      this.#warn(`no token could be had: ${error instanceof Error ? error.message : String(error)}`);
      return this.#token;
    }
  }

  /** Says what changed at the end of this turn, so that a change that is taken back is not said. */
  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    queueMicrotask(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (!this.#port || this.#isSigningIn) return;
    const now = this.#registry.definitions();
    const { register, unregister } = difference(this.#told, now);
    for (const name of unregister) this.#send({ kind: "unregister", name });
    for (const tool of register) this.#send({ kind: "register", tool });
    this.#told = now;
  }

  #send: Send = (message, transfer) => this.#port?.post(message, transfer);

  #warn(message: string): void {
    if (this.options.onWarning) this.options.onWarning(message);
    else console.warn(`resultant: ${message}`);
  }
}

function factsOf(): TabFacts {
  const { origin, pathname } = location;
  const visible = document.visibilityState === "visible";
  return { title: document.title, url: origin + pathname, active: visible && document.hasFocus(), visible };
}

/** The worker beside this file. The build puts its address in words that bundlers understand. */
function packagedWorker(): SharedWorker {
  return new SharedWorker(__WORKER__, { type: "module", name: "resultant" });
}
