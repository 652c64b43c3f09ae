// A call's result: what a person sees, what a model sees, what a program gets, what the server said, and what
// was odd about it. Each tab asks for what it needs when it is opened.
import { useEffect, useId, useState, type ReactElement } from "react";
import { loadCall, useCall, type Call } from "../state/calls";
import { Badge, Button, EmptyState, ErrorNote, panelProps, ProgressBar, Spinner, Tabs, type Tab } from "../ui/ui";
import { IconStop, IconWarning } from "../ui/icons";
import { ResultHeader } from "./header";
import { loadRecord, useLoaded, type CallRecord } from "./load";
import { ModelTab } from "./model";
import { NotesTab } from "./notes";
import { OutcomeTab } from "./outcome";
import { RawTab } from "./raw";
import { StructuredTab } from "./structured";
import "./result.css";

type TabId = "result" | "model" | "structured" | "raw" | "notes";

export function ResultView({ callId }: { callId: string }): ReactElement {
  const call = useCall(callId);
  const [problem, setProblem] = useState<unknown>(undefined);
  const isKnown = call !== undefined;
  useEffect(() => {
    setProblem(undefined);
    if (!isKnown) loadCall(callId).catch(setProblem);
  }, [callId, isKnown]);
  const isOver = call?.state === "over";
  const record = useLoaded(isOver ? callId : undefined, () => loadRecord(callId));

  if (!call) {
    if (problem !== undefined) return <div className="result-message"><ErrorNote error={problem} /></div>;
    return <div className="result-message"><Spinner label="Loading the call" /></div>;
  }
  return (
    <section className="result" aria-label={`Result of ${call.tool}`}>
      <ResultHeader call={call} record={record.state === "ready" ? record.value.record : undefined} />
      {!isOver && <Running call={call} />}
      {isOver && record.state === "failed" && <div className="result-message"><ErrorNote error={record.error}><Button isSmall onClick={record.again}>Try again</Button></ErrorNote></div>}
      {isOver && record.state !== "failed" && <Tabbed key={callId} call={call} record={record.state === "ready" ? record.value : undefined} />}
    </section>
  );
}

function Running({ call }: { call: Call }): ReactElement {
  const { progress } = call;
  return (
    <div className="result-running" aria-live="polite">
      <ProgressBar label="Progress of the call" done={progress?.progress} total={progress?.total} />
      <p className="ui-quiet">{call.isCancelling ? "Cancelling…" : (progress?.message ?? "The tool is at work.")}</p>
    </div>
  );
}

function Tabbed({ call, record }: { call: Call; record: CallRecord | undefined }): ReactElement {
  const prefix = useId();
  const [chosen, setChosen] = useState<TabId>("result");
  const notes = record?.notes ?? [];
  const tabs: Tab[] = [
    { id: "result", label: "Result" },
    { id: "model", label: "Model" },
    { id: "structured", label: "Structured" },
    { id: "raw", label: "Raw" },
    { id: "notes", name: notes.length > 0 ? `Notes, ${notes.length}` : "Notes", label: <>Notes {notes.length > 0 && <Badge tone="wait">{notes.length}</Badge>}</> },
  ];
  const hasResult = call.ending === "ok" || call.ending === "tool_error";
  return (
    <>
      <Tabs label="Views of the result" tabs={tabs} chosen={chosen} prefix={prefix} onChoose={(id) => setChosen(id as TabId)} />
      <div {...panelProps(prefix, chosen)} className="result-panel" tabIndex={0}>
        {!hasResult && chosen !== "notes" && chosen !== "raw" ? <NoResult call={call} /> : <Panel chosen={chosen} call={call} record={record} />}
      </div>
    </>
  );
}

function Panel({ chosen, call, record }: { chosen: TabId; call: Call; record: CallRecord | undefined }): ReactElement {
  switch (chosen) {
    case "result": return <OutcomeTab call={call} record={record} />;
    case "model": return <ModelTab call={call} />;
    case "structured": return <StructuredTab callId={call.id} />;
    case "raw": return <RawTab callId={call.id} record={record?.record} />;
    case "notes": return <NotesTab notes={record?.notes} callId={call.id} />;
  }
}

/** A call that ended without a result says why, in the words of whoever ended it. */
function NoResult({ call }: { call: Call }): ReactElement {
  if (call.ending === "cancelled") return <EmptyState icon={IconStop} title="Cancelled">{call.message ?? "The call was taken back before it had a result."}</EmptyState>;
  return (
    <div className="result-error" role="alert">
      <IconWarning size={18} />
      <div>
        <h3>{call.ending === "refused" ? "The call was not let through" : "The call has no result"}</h3>
        <p className="result-error-text">{call.message ?? "Nothing is known about why."}</p>
      </div>
    </div>
  );
}
