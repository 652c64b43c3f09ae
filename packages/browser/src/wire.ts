// The frames of `resultant.page.v1` that the gateway sends, read with care: a member of a wrong type
// is left out, a frame of an unknown type is passed over, so that a newer gateway breaks nothing.

export const SUBPROTOCOL = "resultant.page.v1";

export interface Welcome {
  readonly type: "welcome";
  /** Which credential is taken; none: the connection begins. */
  readonly id: number | undefined;
  readonly user: string;
  /** What tells users apart; their names need not differ. */
  readonly userId: string;
  readonly frameBytesMax: number;
  readonly resultBytesMax: number;
  readonly heartbeatMs: number;
}

export interface Refusal {
  readonly type: "refused";
  /** Which registration or credential is refused, or which tab; none: the connection is. */
  readonly id: number | undefined;
  readonly tab: string | undefined;
  readonly code: string;
  readonly reason: string;
  readonly hint: string | undefined;
}

export type FromGateway =
  | Welcome
  | Refusal
  | { readonly type: "registered"; readonly id: number | undefined }
  | {
      readonly type: "call";
      readonly call: string;
      readonly name: string;
      readonly arguments: Record<string, unknown>;
      readonly tab: string | undefined;
      readonly wantsProgress: boolean;
    }
  | { readonly type: "cancel"; readonly call: string; readonly reason: string }
  | { readonly type: "ack"; readonly stream: number; readonly bytes: number }
  | { readonly type: "ping" };

const FRAME_BYTES_MAX = 256 * 1024;
const HEARTBEAT_MS = 20_000;

type Members = Record<string, unknown>;

export function readFrame(text: string): FromGateway | undefined {
  const frame = parsed(text);
  const type = frame["type"];
  switch (type) {
    case "welcome":
      return welcomeOf(frame);
    case "refused":
      return {
        type,
        id: number(frame["id"]),
        tab: string(frame["tab"]),
        code: string(frame["code"]) ?? "refused",
        reason: string(frame["reason"]) ?? "the gateway refused and did not say why",
        hint: string(frame["hint"]),
      };
    case "registered":
      return { type, id: number(frame["id"]) };
    case "call":
      return {
        type,
        call: callOf(frame),
        name: string(frame["name"]) ?? "",
        arguments: members(frame["arguments"]),
        tab: string(frame["tab"]),
        wantsProgress: frame["progress"] === true,
      };
    case "cancel":
      return { type, call: callOf(frame), reason: string(frame["reason"]) ?? "the call was cancelled" };
    case "ack":
      return { type, stream: number(frame["stream"]) ?? 0, bytes: number(frame["bytes"]) ?? 0 };
    case "ping":
      return { type };
    default:
      return undefined;
  }
}

function welcomeOf(frame: Members): Welcome {
  const limits = members(frame["limits"]);
  const user = string(frame["user"]) ?? "";
  return {
    type: "welcome",
    id: number(frame["id"]),
    user,
    userId: string(frame["user_id"]) ?? user,
    frameBytesMax: number(limits["frame_bytes_max"]) ?? FRAME_BYTES_MAX,
    resultBytesMax: number(limits["result_bytes_max"]) ?? Number.MAX_SAFE_INTEGER,
    heartbeatMs: number(frame["heartbeat_ms"]) ?? HEARTBEAT_MS,
  };
}

function parsed(text: string): Members {
  try {
    return members(JSON.parse(text));
  } catch {
    return {};
  }
}

function members(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** A call is named by text; a number would do as well. */
function callOf(frame: Members): string {
  return String(frame["call"] ?? "");
}

function string(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
