// The SharedWorker: one for all tabs of an origin. A file of its own, since a worker from a blob
// would be another one in every tab.
import { Host } from "./host.js";
import { portOf, randomId, type ToHub, type ToTab } from "./messages.js";

const { locks } = navigator as { locks?: LockManager };
const lock = locks && `resultant:worker:${randomId()}`;
const host = new Host(lock);

/** Tabs wait for the lock to learn that the worker is gone, so it must be ours before they hear of it. */
const isReady = new Promise<void>((ready) => {
  if (!lock) return ready();
  locks.request(lock, () => new Promise<never>(() => ready())).catch(() => ready());
});

// The names of a SharedWorker's global scope are in a library that a page's types cannot have beside them.
const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void };
scope.onconnect = (event) => {
  const [port] = event.ports;
  if (port) void isReady.then(() => host.accept(portOf<ToTab, ToHub>(port)));
};
addEventListener("online", () => host.hurry());
