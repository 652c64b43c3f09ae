// The hub: all tabs that can reach one gateway. It lives in a SharedWorker, or in a tab that leads
// the others. Each user's tabs have a line, a connection of their own; usually there is one.
//
// Whose a token is, only the gateway knows. A tab with a new one asks on the line that there is: it
// stays when the user is the same, and gets a line of its own when it is another. Nothing new of a
// tab is said to anybody while that is not known.
import { type HubTab, Line, type LineOwner, stateOf } from "./line.js";
import type { ConnectionState, HubPort, OpenMessage, TabFacts, ToHub } from "./messages.js";

/** A line without tabs stays so long: a page that is mounted twice needs no second one. */
const LINGER_MS = 500;

export class Hub {
  readonly #tabs = new Map<string, HubTab>();
  readonly #lines = new Set<Line>();
  readonly #owner: LineOwner = {
    welcomed: (line) => this.#welcomed(line),
    changed: (line) => this.#changed(line),
    refused: (tab, state) => this.#refuse(tab, state),
  };
  #focusCount = 0;

  constructor(readonly address: string) {}

  /** Takes in a tab. The port is listened to from now on. */
  join(open: OpenMessage, port: HubPort): void {
    const tab: HubTab = {
      id: open.tab,
      port,
      tools: new Map(),
      facts: open.facts,
      activeAt: 0,
      token: open.token,
      user: undefined,
      line: undefined,
      aside: undefined,
      held: undefined,
    };
    this.#leave(this.#tabs.get(tab.id), "was opened again");
    this.#tabs.set(tab.id, tab);
    port.listen((message) => this.#heard(tab, message));
    if (open.lock !== undefined) {
      // The lock is ours only when the tab is no more.
      void navigator.locks.request(open.lock, () => this.#leave(tab, "was closed"));
    }
    this.#take(tab, open.facts);
    this.#place(tab);
    tab.line?.hurry();
  }

  /** No more connection, no more tabs: another hub takes over. */
  close(): void {
    this.#tabs.clear();
    for (const line of this.#lines) line.close("the tab that held the connection was closed");
    this.#lines.clear();
  }

  hurry(): void {
    for (const line of this.#lines) line.hurry();
  }

  #heard(tab: HubTab, message: ToHub): void {
    if (this.#tabs.get(tab.id) !== tab) return;
    switch (message.kind) {
      case "bye":
        return this.#leave(tab, "was closed");
      case "token":
        tab.token = message.token;
        tab.user = undefined;
        // What was said of the last token is not said of this one.
        tab.aside = undefined;
        tab.held ??= [];
        return this.#place(tab);
      case "facts":
      case "register":
      case "unregister":
        if (tab.held && tab.line) return void tab.held.push(() => this.#heard(tab, message));
        return this.#learn(tab, message);
      default:
        return tab.line?.heard(tab, message);
    }
  }

  #learn(tab: HubTab, message: ToHub): void {
    if (message.kind === "facts") this.#take(tab, message.facts);
    else if (message.kind === "register") {
      tab.tools.set(message.tool.name, message.tool);
      tab.line?.register(tab, message.tool);
    } else if (message.kind === "unregister") {
      tab.tools.delete(message.name);
      tab.line?.unregister(tab, message.name);
    }
  }

  /** Title, address and focus of a tab. The tab that has the focus is the active one until another gets it. */
  #take(tab: HubTab, facts: TabFacts): void {
    if (facts.active) tab.activeAt = this.#focusCount += 1;
    tab.facts = facts;
    tab.line?.facts(tab);
    if (facts.visible) tab.line?.hurry();
  }

  /** Finds the line of the user whose token a tab has. */
  #place(tab: HubTab): void {
    const { token } = tab;
    const lines = [...this.#lines];
    const known = lines.find((line) => line.knows(token));
    if (known) return this.#move(tab, known);
    const line = tab.line ?? lines.find((line) => line.isWelcome) ?? lines[0];
    if (!line) return this.#open(tab);
    tab.held ??= [];
    if (!line.isWelcome) {
      // There is nobody to ask until it is connected or refused, and it is not for this tab any more.
      line.remove(tab, "signed in anew");
      if (line.tabs.size === 0) {
        this.#lines.delete(line);
        line.close("the tab signed in anew");
        return this.#open(tab);
      }
      // One that its user has no room for may never be.
      return line.state.code === "limits" ? this.#open(tab) : this.#tell(tab);
    }
    line.ask(token, (refusal) => {
      if (!tab.held || tab.token !== token) return;
      if (!refusal) this.#move(tab, line);
      else if (refusal.code === "credentials") this.#refuse(tab, stateOf(refusal));
      else this.#open(tab);
    });
  }

  #open(tab: HubTab): void {
    const line = new Line(this.address, tab.token, this.#owner);
    this.#lines.add(line);
    this.#move(tab, line);
    line.open();
  }

  #move(tab: HubTab, line: Line): void {
    const before = tab.line;
    tab.aside = undefined;
    // What it said meanwhile is said to nobody but those of the new line, all at once.
    if (before !== line) before?.remove(tab, "signed in as another user");
    this.#release(tab);
    if (before !== line) line.add(tab);
    tab.user = line.user;
    this.#tell(tab);
    if (before !== line) this.#rest(before);
  }

  /** A tab that is on no line, and why; until it has another token, or there is room. */
  #refuse(tab: HubTab, state: ConnectionState): void {
    const { line } = tab;
    line?.remove(tab, "was refused");
    tab.aside = state;
    this.#release(tab);
    this.#tell(tab);
    this.#rest(line);
  }

  /** Does what waited. */
  #release(tab: HubTab): void {
    const held = tab.held ?? [];
    tab.held = undefined;
    for (const act of held) act();
  }

  /** Idempotent: a lock, a port and a last word may all say that the tab is gone. */
  #leave(tab: HubTab | undefined, how: string): void {
    if (!tab || this.#tabs.get(tab.id) !== tab) return;
    const { line } = tab;
    this.#tabs.delete(tab.id);
    line?.remove(tab, how);
    this.#release(tab);
    tab.port.close();
    this.#rest(line);
    for (const other of this.#tabs.values()) if (other.aside?.code === "limits") this.#place(other);
  }

  /** A line that nobody is on is given up, unless somebody comes soon. */
  #rest(line: Line | undefined): void {
    if (!line || line.tabs.size > 0) return;
    setTimeout(() => {
      if (line.tabs.size === 0 && this.#lines.has(line)) this.#end(line);
    }, LINGER_MS);
  }

  #end(line: Line): void {
    this.#lines.delete(line);
    line.close("the connection was given up");
    this.#placeAll();
  }

  /** Tabs that waited for a line may be told more now. */
  #placeAll(): void {
    for (const tab of this.#tabs.values()) if (tab.held) this.#place(tab);
  }

  #welcomed(line: Line): void {
    // Two lines of one user become one.
    const other = [...this.#lines].find((other) => other !== line && other.isWelcome && other.user === line.user);
    if (other) {
      for (const tab of [...line.tabs]) this.#move(tab, other);
      this.#end(line);
    } else this.#placeAll();
  }

  #changed(line: Line): void {
    if (!this.#lines.has(line)) return;
    if (line.state.status === "refused") return this.#refused(line);
    for (const tab of this.#tabs.values()) if (!tab.aside && (tab.line ?? line) === line) this.#tell(tab);
  }

  /** The gateway does not take a line's token. One of another of its tabs may do. */
  #refused(line: Line): void {
    const { state, token } = line;
    const others = [...line.tabs].filter((tab) => tab.token !== token);
    const isForAll = state.code === "origin" || state.code === "4403";
    for (const tab of [...line.tabs]) if (isForAll || tab.token === token) this.#refuse(tab, state);
    const [next] = isForAll ? [] : others;
    if (next) line.open(next.token);
    else this.#end(line);
  }

  #tell(tab: HubTab): void {
    const [first] = this.#lines;
    let state = tab.aside ?? (tab.line ?? first)?.state;
    // That is somebody's, and need not be this tab's.
    if (!tab.line && state?.status === "connected") state = { status: "connecting" };
    if (state && this.#tabs.has(tab.id)) tab.port.post({ kind: "state", state });
  }
}
