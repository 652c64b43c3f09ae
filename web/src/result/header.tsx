// The line above a result: how it ended, how long it took, and how much became how little.
import type { ReactElement } from "react";
import type { Schemas } from "../api/client";
import type { Call } from "../state/calls";
import { bytes, duration, number } from "../ui/format";
import { Badge, type Tone } from "../ui/ui";
import { savedShare } from "./view";

const ENDINGS: Readonly<Record<Schemas["EndingWord"], { word: string; tone: Tone }>> = {
  ok: { word: "Done", tone: "good" },
  tool_error: { word: "Tool error", tone: "bad" },
  failed: { word: "Failed", tone: "bad" },
  refused: { word: "Refused", tone: "bad" },
  cancelled: { word: "Cancelled", tone: "wait" },
};

export function ResultHeader({ call, record }: { call: Call; record: Schemas["Call"] | undefined }): ReactElement {
  const ending = call.ending ? ENDINGS[call.ending] : undefined;
  const bytesIn = record?.bytes_in ?? call.bytesIn;
  const bytesOut = record?.bytes_out ?? call.bytesOut;
  const tokensIn = record?.tokens_in ?? call.tokensIn;
  const tokensOut = record?.tokens_out ?? call.tokensOut;
  const ms = record?.duration_ms ?? call.durationMs;
  const saved = savedShare(tokensIn, tokensOut);
  return (
    <div className="result-header">
      <span role="status">
        {call.state === "running" ? <Badge tone="accent">Running</Badge> : <Badge tone={ending?.tone ?? "plain"}>{ending?.word ?? "Over"}</Badge>}
      </span>
      {ms !== undefined && <span className="result-fact">{duration(ms)}</span>}
      {bytesIn !== undefined && bytesIn > 0 && <Change label="Size" before={bytes(bytesIn)} after={bytes(bytesOut ?? 0)} />}
      {tokensIn !== undefined && tokensIn > 0 && <Change label="Tokens" before={number(tokensIn)} after={`${number(tokensOut ?? 0)} tokens`} />}
      {saved !== undefined && saved >= 0.01 && <Badge tone="good" title="Tokens that the model did not have to read">{percent(saved)} saved</Badge>}
    </div>
  );
}

function Change({ label, before, after }: { label: string; before: string; after: string }): ReactElement {
  return (
    <span className="result-fact" title={`${label}: from the server → to the model`}>
      <span className="ui-hidden">{label}: </span>
      {before} <span aria-label="became">→</span> {after}
    </span>
  );
}

/** `99.8 %` rather than a hundred that is not one. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value > 99 && value < 100 ? Math.min(99.9, Math.floor(value * 10) / 10) : Math.round(value)} %`;
}
