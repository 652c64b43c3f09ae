// How a tab gets to a hub: through a SharedWorker; where there is none (or a content security policy
// or another origin's script forbids it), through the tab that leads by a Web Lock, over
// BroadcastChannels; and where there are no locks either, through a hub of its own.
//
// A hub may die, and another tab may come to lead: `opened` is then called again with a new port, and
// the tab says everything anew.
import type { Host } from "./host.js";
import { LINK_VERSION, portOf, portOfChannel, randomId, type TabPort, type ToHub, type ToTab } from "./messages.js";

export type Way = "worker" | "leader" | "tab";

export interface LinkOptions {
  readonly gateway: string;
  readonly tab: string;
  /** Makes the worker; `false`: there is to be none. */
  readonly worker: (() => SharedWorker) | false;
  /** Aborted when the tab leaves. */
  readonly signal: AbortSignal;
  readonly opened: (port: TabPort, way: Way) => void;
}

/** A worker that has not answered by then is not going to: it could not be loaded, and did not say so. */
const WORKER_MS = 5_000;

/** The hub's code is in the worker; a tab loads it only when it must have a hub itself. */
const newHost = async (): Promise<Host> => new (await import("./host.js")).Host();

const locksOf = () => (navigator as { locks?: LockManager }).locks;

export async function openLink(options: LinkOptions): Promise<void> {
  const { signal } = options;
  if (options.worker && (await throughWorker(options, options.worker, signal))) return;
  if (signal.aborted) return;
  const locks = locksOf();
  if (locks && typeof BroadcastChannel === "function") throughLeader(options, locks, signal);
  else {
    const host = await newHost();
    if (!signal.aborted) throughOwn(options, host, signal);
  }
}

/** Whether there is a worker that answers. */
function throughWorker(options: LinkOptions, make: () => SharedWorker, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    let worker: SharedWorker;
    try {
      worker = make();
    } catch {
      return resolve(false);
    }
    const port: TabPort = portOf(worker.port);
    const giveUp = () => {
      clearTimeout(timer);
      port.close();
      resolve(false);
    };
    const timer = setTimeout(giveUp, WORKER_MS);
    worker.onerror = giveUp;
    signal.addEventListener("abort", giveUp);
    port.listen((message) => {
      if (message.kind === "unfit") return giveUp();
      if (message.kind !== "ready") return;
      clearTimeout(timer);
      worker.onerror = null;
      options.opened(port, "worker");
      resolve(true);
      if (message.lock) whenFree(message.lock, signal, () => void openLink(options));
    });
    port.post({ kind: "hail", version: LINK_VERSION });
  });
}

function throughLeader(options: LinkOptions, locks: LockManager, signal: AbortSignal): void {
  const { gateway, tab } = options;
  const base = `resultant:${LINK_VERSION}:${gateway}`;
  const news = new BroadcastChannel(base);
  const own = `${base}:${tab}`;
  const port = portOfChannel<ToHub, ToTab>(own);
  const join = () => news.postMessage({ join: tab });
  const onReady = (message: ToTab) => {
    if (message.kind === "ready") options.opened(port, "leader");
  };
  port.listen(onReady);
  news.onmessage = (event: MessageEvent<{ leader?: string }>) => {
    if (event.data.leader === undefined) return;
    port.listen(onReady);
    join();
  };
  signal.addEventListener("abort", () => {
    news.close();
    port.close();
  });
  join();
  const lead = async () => {
    const host = await newHost();
    if (!signal.aborted) await new Promise<void>((release) => leadTabs(base, host, signal, release));
  };
  locks.request(`${base}:leader`, { signal }, lead).catch(() => undefined);
}

/** This tab leads: its hub is every tab's, also its own, which comes over a channel like the others. */
function leadTabs(base: string, host: Host, signal: AbortSignal, release: () => void): void {
  const news = new BroadcastChannel(base);
  const hurry = () => host.hurry();
  const joined = new Set<string>();
  news.onmessage = (event: MessageEvent<{ join?: string }>) => {
    const { join } = event.data;
    if (join === undefined || joined.has(join)) return;
    joined.add(join);
    const port = portOfChannel<ToTab, ToHub>(`${base}:${join}`);
    const close = port.close;
    host.accept({
      ...port,
      close: () => {
        joined.delete(join);
        close();
      },
    });
    port.post({ kind: "ready", lock: undefined });
  };
  addEventListener("online", hurry);
  signal.addEventListener("abort", () => {
    removeEventListener("online", hurry);
    host.close();
    news.close();
    release();
  });
  news.postMessage({ leader: randomId() });
}

function throughOwn(options: LinkOptions, host: Host, signal: AbortSignal): void {
  const { port1, port2 } = new MessageChannel();
  const hurry = () => host.hurry();
  host.accept(portOf<ToTab, ToHub>(port1));
  addEventListener("online", hurry);
  signal.addEventListener("abort", () => {
    removeEventListener("online", hurry);
    host.close();
    port2.close();
  });
  options.opened(portOf(port2), "tab");
}

/** Calls `then` when whoever holds the lock is no more. */
function whenFree(lock: string, signal: AbortSignal, then: () => void): void {
  locksOf()
    ?.request(lock, { signal }, () => then())
    .catch(() => undefined);
}

/** Holds a lock until `signal` says otherwise; `undefined` where there are no locks. */
export function holdLock(name: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const locks = locksOf();
    if (!locks) return resolve(undefined);
    const held = () =>
      new Promise<void>((release) => {
        signal.addEventListener("abort", () => release());
        resolve(name);
      });
    locks.request(name, { signal }, held).catch(() => resolve(undefined));
  });
}
