// The calls of the session as they happen, whoever makes them: this page, another tab, or an agent.

import { useMemo, useState, type ReactElement } from "react";
import { callerOf, callsOf } from "../state/call";
import { calls, type Call } from "../state/calls";
import { layout } from "../state/layout";
import { go, place } from "../state/place";
import { useStore } from "../state/store";
import { toolId } from "../state/tool";
import { workspace } from "../state/workspace";
import { clock, duration, number } from "../ui/format";
import { moveInRows } from "../ui/rows";
import { Badge, ProgressBar } from "../ui/ui";
import { CallIcon } from "./call-view";

const SHOWN_MAX = 200;

export function History(): ReactElement {
  const session = useStore(workspace, (state) => state.session);
  const all = useStore(calls, (state) => state.calls);
  const here = useStore(place, (state) => state.place);
  const [isNarrowed, setNarrowed] = useState(false);
  const listed = useMemo(() => callsOf(all, session), [all, session]);
  const open = here.kind === "call" ? all.get(here.id) : undefined;
  const tool =
    here.kind === "tool" ? toolId(here.server, here.tool) : open ? toolId(open.server, open.tool) : undefined;
  const shown = (isNarrowed && tool ? listed.filter((call) => toolId(call.server, call.tool) === tool) : listed).slice(
    0,
    SHOWN_MAX,
  );
  const running = listed.filter((call) => call.state === "running").length;
  return (
    <section className="tool-history" aria-labelledby="history-title">
      <header className="tool-history-head">
        <h2 id="history-title">Calls</h2>
        {listed.length > 0 && <Badge>{listed.length}</Badge>}
        {running > 0 && <Badge tone="accent">{running} running</Badge>}
        <span className="tool-space" />
        {tool && (
          <label className="form-check tool-history-filter">
            <input type="checkbox" checked={isNarrowed} onChange={(event) => setNarrowed(event.target.checked)} />
            this tool only
          </label>
        )}
      </header>
      <ul className="tool-history-list" aria-label="Calls, the newest first" onKeyDown={moveInRows}>
        {shown.map((call) => (
          <HistoryRow key={call.id} call={call} isOpen={here.kind === "call" && here.id === call.id} />
        ))}
        {shown.length === 0 && (
          <li className="tool-history-none">
            Calls appear here as they happen, also those of agents that use this session.
          </li>
        )}
      </ul>
    </section>
  );
}

function HistoryRow({ call, isOpen }: { call: Call; isOpen: boolean }): ReactElement {
  const title = useStore(
    workspace,
    (state) => state.tools.find((tool) => tool.server === call.server && tool.name === call.tool)?.title,
  );
  return (
    <li>
      <button
        type="button"
        data-row
        className="tool-history-row"
        aria-current={isOpen ? "true" : undefined}
        onClick={() => {
          go({ kind: "call", id: call.id });
          layout.set({ view: "middle" });
        }}
      >
        <CallIcon call={call} />
        <span className="tool-history-tool">{title ?? (call.tool || "A call")}</span>
        <span className="tool-history-message">{call.state === "running" ? call.progress?.message : call.message}</span>
        {callerOf(call) && <Badge title="Who called">{callerOf(call)}</Badge>}
        {call.state === "running" && call.progress?.total ? (
          <span className="tool-history-bar">
            <ProgressBar label={`Progress of ${call.tool}`} done={call.progress.progress} total={call.progress.total} />
          </span>
        ) : null}
        <span className="tool-history-fact">
          {call.tokensOut && call.state === "over" ? `${number(call.tokensOut)} tok` : ""}
        </span>
        <span className="tool-history-fact">{call.durationMs === undefined ? "" : duration(call.durationMs)}</span>
        <time className="tool-history-time" dateTime={new Date(call.startedAt).toISOString()}>
          {clock(call.startedAt)}
        </time>
      </button>
    </li>
  );
}
