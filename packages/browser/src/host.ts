// Whoever has hubs, and the ports that come to them: the SharedWorker has one for each gateway, a tab
// without one has its own.
import { Hub } from "./hub.js";
import { type HubPort, LINK_VERSION } from "./messages.js";

export class Host {
  readonly #hubs = new Map<string, Hub>();

  /** `lock` is held as long as this host lives; it says so to those who wait for it. */
  constructor(readonly lock?: string) {}

  accept(port: HubPort): void {
    port.listen((message) => {
      if (message.kind === "hail") {
        port.post(message.version === LINK_VERSION ? { kind: "ready", lock: this.lock } : { kind: "unfit" });
      } else if (message.kind === "open") {
        const hub = this.#hubs.get(message.gateway) ?? new Hub(message.gateway);
        this.#hubs.set(message.gateway, hub);
        hub.join(message, port);
      }
    });
  }

  hurry(): void {
    for (const hub of this.#hubs.values()) hub.hurry();
  }

  close(): void {
    for (const hub of this.#hubs.values()) hub.close();
    this.#hubs.clear();
  }
}
