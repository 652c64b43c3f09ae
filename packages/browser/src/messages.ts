// The words between a tab and its hub. They never leave the browser profile, and both ends come from
// one build of this package; `LINK_VERSION` tells an old worker from a new tab after a deployment.
import type { ToolDefinition } from "./registry.js";

export const LINK_VERSION = 2;

/** What the gateway is told about a tab. The address has neither query nor fragment. */
export interface TabFacts {
  readonly title: string;
  readonly url: string;
  readonly active: boolean;
  readonly visible: boolean;
}

/** Where a connection stands, as every tab of it sees it. */
export interface ConnectionState {
  readonly status: "connecting" | "connected" | "reconnecting" | "refused" | "closed";
  /** Whose tools these are, once the gateway has said so. */
  readonly user?: string;
  /** Why it is not connected, and what to try. */
  readonly code?: string;
  readonly reason?: string;
  readonly hint?: string;
}

/** The largest frame and the largest result that the gateway takes. */
export interface ResultLimits {
  readonly frameBytesMax: number;
  readonly resultBytesMax: number;
}

export interface CallMessage extends ResultLimits {
  readonly kind: "call";
  readonly call: string;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly wantsProgress: boolean;
}

export interface OpenMessage {
  readonly kind: "open";
  readonly gateway: string;
  readonly tab: string;
  readonly facts: TabFacts;
  readonly token: string | undefined;
  /** The name of a Web Lock that the tab holds while it lives. */
  readonly lock: string | undefined;
}

export type ToHub =
  | OpenMessage
  | { readonly kind: "hail"; readonly version: number }
  | { readonly kind: "facts"; readonly facts: TabFacts }
  | { readonly kind: "token"; readonly token: string | undefined }
  | { readonly kind: "register"; readonly tool: ToolDefinition }
  | { readonly kind: "unregister"; readonly name: string }
  | {
      readonly kind: "progress";
      readonly call: string;
      readonly progress: number;
      readonly total: number | undefined;
      readonly message: string | undefined;
    }
  | { readonly kind: "result"; readonly call: string; readonly json: string }
  | { readonly kind: "failed"; readonly call: string; readonly message: string }
  /** A frame of a large result: room for the header, then the bytes. */
  | { readonly kind: "frame"; readonly call: string; readonly frame: Uint8Array<ArrayBuffer>; readonly isLast: boolean }
  | { readonly kind: "bye" };

export type ToTab =
  | CallMessage
  | { readonly kind: "ready"; readonly lock: string | undefined }
  | { readonly kind: "unfit" }
  | { readonly kind: "state"; readonly state: ConnectionState }
  | { readonly kind: "cancel"; readonly call: string; readonly reason: string }
  | { readonly kind: "ack"; readonly call: string; readonly bytes: number }
  | { readonly kind: "warn"; readonly message: string };

/** One end of a way between a tab and a hub. */
export interface Port<Out, In> {
  post(message: Out, transfer?: Transferable[]): void;
  listen(receive: (message: In) => void): void;
  close(): void;
}

export type HubPort = Port<ToTab, ToHub>;
export type TabPort = Port<ToHub, ToTab>;

export function portOf<Out, In>(port: MessagePort): Port<Out, In> {
  return {
    post: (message, transfer = []) => port.postMessage(message, transfer),
    listen: (receive) => {
      port.onmessage = (event: MessageEvent<In>) => receive(event.data);
    },
    close: () => port.close(),
  };
}

export function portOfChannel<Out, In>(name: string): Port<Out, In> {
  const channel = new BroadcastChannel(name);
  return {
    post: (message) => channel.postMessage(message),
    listen: (receive) => {
      channel.onmessage = (event: MessageEvent<In>) => receive(event.data);
    },
    close: () => channel.close(),
  };
}

/** 22 characters that nobody else has; `crypto.randomUUID` is missing on plain http. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
