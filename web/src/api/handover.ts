// A tab that is opened beside others of this page asks them for their token, so that a link opens signed in.
// The token still lives in tabs alone: it is written nowhere, and gone with the last of them.

import { token } from "./client";

const CHANNEL = "resultant.tabs";
const WAIT_MS = 150;

type Message = { kind: "ask" } | { kind: "token"; token: string };

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null) return false;
  const kind: unknown = Reflect.get(value, "kind");
  return kind === "ask" || (kind === "token" && typeof Reflect.get(value, "token") === "string");
}

/** Answers other tabs, as long as this one is signed in. */
export function startHandover(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const known = token.get();
    if (isMessage(data) && data.kind === "ask" && known !== null)
      channel.postMessage({ kind: "token", token: known } satisfies Message);
  });
}

/** Takes the token of another tab, where there is one. */
export async function takeOver(): Promise<void> {
  const channel = new BroadcastChannel(CHANNEL);
  try {
    const given = await new Promise<string | null>((resolve) => {
      setTimeout(() => resolve(null), WAIT_MS);
      channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
        if (isMessage(data) && data.kind === "token") resolve(data.token);
      });
      channel.postMessage({ kind: "ask" } satisfies Message);
    });
    if (given !== null) token.set(given);
  } finally {
    channel.close();
  }
}
