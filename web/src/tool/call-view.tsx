// A call: how it goes while it runs, what the server asks, and its result in the end.

import { lazy, Suspense, useEffect, useRef, useState, type ReactElement, type RefObject } from "react";
import { cancel, type Call } from "../state/calls";
import { callerOf, isFailed } from "../state/call";
import { go } from "../state/place";
import { clock, copy, duration, number } from "../ui/format";
import { IconCheck, IconClose, IconLink, IconStop, IconWarning } from "../ui/icons";
import { announce, Button, ErrorNote, IconButton, ProgressBar, Spinner, toast, toastError } from "../ui/ui";
import { writeAddress } from "../shell/address";
import { QuestionCard } from "./question";
import { reveal, revealWhileItGrows } from "./reveal";

const PREPARE_AFTER_MS = 800;

const loadResultView = async (): Promise<{ default: typeof import("../result/result").ResultView }> => ({
  default: (await import("../result/result")).ResultView,
});
const ResultView = lazy(loadResultView);

/** Gets the result view ready before there is a result, so that the first one is not kept waiting. */
export function prepareResults(): void {
  setTimeout(() => void loadResultView().catch(() => undefined), PREPARE_AFTER_MS);
}

/** `isFresh`: the person has started it on this screen, and wants to see what comes of it. */
export function CallView({ call, isFresh = false }: { call: Call; isFresh?: boolean }): ReactElement {
  const box = useRef<HTMLElement>(null);
  const isRunning = call.state === "running";
  useReveal(box, call.id, isFresh, isRunning);
  useAnnouncements(call);
  return (
    <section ref={box} className="tool-call" aria-label="Call" aria-busy={isRunning}>
      <CallHead call={call} />
      {isRunning && <Running call={call} />}
      {call.questions.map((question) => (
        <QuestionCard key={question.question} call={call} question={question} />
      ))}
      {call.log.length > 0 && <Log call={call} />}
      {!isRunning && call.ending === "cancelled" && (
        <p className="ui-quiet">The call was cancelled{call.message ? `: ${call.message}` : "."}</p>
      )}
      {!isRunning && (call.ending === "failed" || call.ending === "refused") && call.message && (
        <ErrorNote error={new Error(call.message)} />
      )}
      {!isRunning && call.ending !== "cancelled" && (
        <Suspense fallback={<Spinner label="Loading the result" />}>
          <ResultView key={call.id} callId={call.id} />
        </Suspense>
      )}
    </section>
  );
}

/** How long after its end a call may still grow: its result is asked for and drawn then. */
const GROWS_AFTER_END_MS = 3000;

function useReveal(box: RefObject<HTMLElement | null>, id: string, isFresh: boolean, isRunning: boolean): void {
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (!box.current) return;
    if (!isFresh) return reveal(box.current);
    stop.current = revealWhileItGrows(box.current);
    return () => stop.current();
  }, [id, isFresh]);
  useEffect(() => {
    if (isRunning) return;
    const timer = setTimeout(() => stop.current(), GROWS_AFTER_END_MS);
    return () => clearTimeout(timer);
  }, [id, isRunning]);
}

function useAnnouncements(call: Call): void {
  const before = useRef({ id: call.id, state: call.state });
  useEffect(() => {
    const { id, state } = before.current;
    before.current = { id: call.id, state: call.state };
    if (id === call.id && state === "running" && call.state === "over") {
      announce(
        `${call.tool} ${endingWords(call)}${call.durationMs === undefined ? "" : ` after ${duration(call.durationMs)}`}`,
      );
    }
  }, [call]);
}

export function endingWords(call: Pick<Call, "state" | "ending">): string {
  if (call.state === "running") return "is running";
  switch (call.ending) {
    case "ok":
      return "succeeded";
    case "tool_error":
      return "said that it failed";
    case "cancelled":
      return "was cancelled";
    case "refused":
      return "was refused";
    default:
      return "failed";
  }
}

export function CallIcon({ call }: { call: Pick<Call, "state" | "ending"> }): ReactElement {
  if (call.state === "running") return <Spinner label="running" size={14} />;
  const failed = isFailed(call);
  const Picture = failed ? IconWarning : call.ending === "cancelled" ? IconStop : IconCheck;
  return (
    <span className={`tool-mark ${failed ? "tool-mark-bad" : call.ending === "cancelled" ? "" : "tool-mark-good"}`}>
      <Picture size={14} />
      <span className="ui-hidden">{endingWords(call)}</span>
    </span>
  );
}

function CallHead({ call }: { call: Call }): ReactElement {
  const share = async (): Promise<void> => {
    await copy(location.href.split("#")[0] + writeAddress({ kind: "call", id: call.id }));
    toast("Link copied", { kind: "good" });
  };
  return (
    <header className="tool-call-head">
      <CallIcon call={call} />
      <span className="tool-call-title">
        {call.tool} {endingWords(call)}
      </span>
      <span className="tool-call-facts">
        {call.state === "running" && (
          <>
            <Elapsed since={call.startedAt} /> ·{" "}
          </>
        )}
        {callerOf(call) && <>{callerOf(call)} · </>}
        {clock(call.startedAt)}
      </span>
      <span className="tool-space" />
      <IconButton
        icon={IconLink}
        isSmall
        label="Copy a link to this call's record"
        onClick={() => void share().catch(toastError)}
      />
      <IconButton
        icon={IconClose}
        isSmall
        label="Close this call"
        onClick={() => go({ kind: "tool", server: call.server, tool: call.tool })}
      />
    </header>
  );
}

function Elapsed({ since }: { since: number }): ReactElement {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return <span className="tool-elapsed">{duration(Math.max(1, now - since))}</span>;
}

function Running({ call }: { call: Call }): ReactElement {
  const { progress } = call;
  const isKnown = progress?.total !== undefined && progress.total > 0;
  return (
    <div className="tool-running">
      <div className="tool-running-line">
        <span className="tool-running-message" aria-live="polite">
          {call.isCancelling ? "Cancelling…" : (progress?.message ?? "Running…")}
        </span>
        {progress && (
          <span className="ui-quiet tool-elapsed">
            {isKnown ? `${number(progress.progress)} of ${number(progress.total ?? 0)}` : number(progress.progress)}
          </span>
        )}
        {call.isOwn && (
          <Button icon={IconStop} isSmall disabled={call.isCancelling} onClick={() => cancel(call).catch(toastError)}>
            Cancel
          </Button>
        )}
      </div>
      <ProgressBar label={`Progress of ${call.tool}`} done={progress?.progress} total={progress?.total} />
    </div>
  );
}

function Log({ call }: { call: Call }): ReactElement {
  return (
    <details className="tool-log">
      <summary>Log of the server ({call.log.length})</summary>
      <ol>
        {call.log.map((line, i) => (
          <li key={i}>
            <span className="ui-quiet">{line.level}</span> {line.text}
          </li>
        ))}
      </ol>
    </details>
  );
}
