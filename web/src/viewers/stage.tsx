// The page's side of the stage: fetches a file's bytes and hands them to a frame on the sandbox origin, which
// shows them. The frame is known by its window, the talk goes over a port of its own, and a frame that does not
// answer in time is taken away.

import { useEffect, useRef, useState, type ReactElement } from "react";
import { makeFrame, shellAddress } from "../canvas/frame-element";
import { useTheme } from "../canvas/theme";
import type { Facts, FromShell, StageViewer, Theme, ToShell } from "../../sandbox/protocol";
import { useStore } from "../state/store";
import { workspace } from "../state/workspace";
import { bytes, counted, duration, number } from "../ui/format";
import { IconPlay, IconRefresh, IconStop } from "../ui/icons";
import { Button, ErrorNote, tip } from "../ui/ui";
import { Bar, Download, useFrame, Waiting } from "./frame";
import type { ViewedFile, ViewerKind } from "./kind";
import { SHOWN_BYTES_MAX } from "./limits";
import type { Source } from "./source";
import "./stage.css";

/** How long the shell may take to load, and then to show something. */
const READY_MS_MAX = 10_000;
const SHOWN_MS_MAX = 45_000;

export interface StageProps {
  file: ViewedFile;
  source: Source;
  kind: ViewerKind;
}

export function Stage({ file, source, kind }: StageProps): ReactElement {
  const [isRunning, setRunning] = useState(false);
  const [facts, setFacts] = useState<Facts>({});
  return (
    <div className={isRunning ? "stage stage-running" : "stage"}>
      <Bar label="View">
        {kind === "html" ? (
          <RunControls isRunning={isRunning} removed={facts.removed} setRunning={setRunning} />
        ) : (
          <span className="stage-words">{wordsOf(facts)}</span>
        )}
      </Bar>
      <Shown key={`${file.key} ${kind} ${isRunning}`} file={file} source={source} kind={kind} shell={isRunning ? "run" : "stage"} onFacts={setFacts} />
    </div>
  );
}

function wordsOf({ width, height, pages, seconds }: Facts): string {
  const words = [
    width && height ? `${number(width)} × ${number(height)}` : undefined,
    pages ? counted(pages, "page") : undefined,
    seconds ? duration(seconds * 1000) : undefined,
  ];
  return words.filter(Boolean).join(" · ");
}

/** These stand in the page, so that nothing in the frame can paint over them. */
function RunControls({ isRunning, removed, setRunning }: { isRunning: boolean; removed?: string; setRunning: (isRunning: boolean) => void }): ReactElement {
  if (isRunning) {
    return (
      <>
        <Button isSmall icon={IconStop} onClick={() => setRunning(false)}>Stop</Button>
        <span className="stage-words" role="status">This page runs its own scripts, without network.</span>
      </>
    );
  }
  return (
    <>
      <Button isSmall icon={IconPlay} onClick={() => setRunning(true)}>Run scripts</Button>
      <span className="stage-words" {...(removed ? tip(`Left out: ${removed}`) : {})}>
        Shown without scripts{removed ? `; left out: ${removed}` : ""}.
      </span>
    </>
  );
}

interface ShownProps extends StageProps {
  shell: "stage" | "run";
  onFacts: (facts: Facts) => void;
}

function Shown({ file, source, kind, shell, onFacts }: ShownProps): ReactElement {
  const sandbox = useStore(workspace, (state) => state.settings.sandbox_url);
  const theme = useTheme();
  const { fail } = useFrame();
  const place = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<"waiting" | "shown" | { error: unknown }>("waiting");
  const lineRef = useRef<Line | undefined>(undefined);

  useEffect(() => {
    const parent = place.current;
    if (!parent || sandbox === null) return;
    setState("waiting");
    const line = openLine({
      frame: makeFrame({ address: shellAddress(sandbox, shell), title: file.name, sandbox: "allow-scripts", className: "stage-frame" }),
      parent,
      load: (signal) => load(file, source, kind, signal),
      theme,
      onShown: (facts) => {
        setState("shown");
        onFacts(facts);
      },
      // What the bytes do not allow another viewer may; what did not work may work again.
      onRefused: fail,
      onError: (error) => setState({ error }),
    });
    lineRef.current = line;
    return () => line.close();
    // The theme is told to a frame that is there; it does not make a new one.
  }, [file, source, kind, shell, sandbox, attempt]);
  useEffect(() => lineRef.current?.send({ kind: "theme", theme }), [theme]);

  if (sandbox === null) return <NoSandbox />;
  return (
    <div className="stage-place">
      <div ref={place} className="stage-holder" hidden={typeof state === "object"} />
      {state === "waiting" && <div className="stage-over"><Waiting label={`Opening ${file.name}`} /></div>}
      {typeof state === "object" && (
        <div className="viewer-failed">
          <ErrorNote error={state.error}>
            <div className="viewer-failed-actions">
              <Button isSmall icon={IconRefresh} onClick={() => setAttempt(attempt + 1)}>Try again</Button>
              <Download />
            </div>
          </ErrorNote>
        </div>
      )}
    </div>
  );
}

function NoSandbox(): ReactElement {
  return (
    <div className="viewer-failed">
      <ErrorNote error={new Error("The gateway has no second origin, and content of strangers is shown from nowhere else.")}>
        <p className="ui-quiet">Take <code>"sandbox_listen": "off"</code> out of the configuration, or set <code>sandbox_url</code>.</p>
        <div className="viewer-failed-actions"><Download /></div>
      </ErrorNote>
    </div>
  );
}

async function load(file: ViewedFile, source: Source, kind: ViewerKind, signal: AbortSignal): Promise<Extract<ToShell, { kind: "show" }>> {
  const limit = SHOWN_BYTES_MAX[kind];
  if (source.size > limit) throw new Error(`The file has ${bytes(source.size)}; up to ${bytes(limit)} are shown.`);
  const blob = await source.blob(signal);
  if (blob.size > limit) throw new Error(`The file has ${bytes(blob.size)}; up to ${bytes(limit)} are shown.`);
  return { kind: "show", viewer: kind as StageViewer, name: file.name, mime: file.mime, blob, theme: "light" };
}

interface Line {
  send(message: ToShell): void;
  close(): void;
}

interface LineSpec {
  frame: HTMLIFrameElement;
  parent: HTMLElement;
  theme: Theme;
  load: (signal: AbortSignal) => Promise<Extract<ToShell, { kind: "show" }>>;
  onShown: (facts: Facts) => void;
  onRefused: (reason: string) => void;
  onError: (error: unknown) => void;
}

/** Puts the frame into the page and talks with it until it is closed. */
function openLine({ frame, parent, theme: first, load, onShown, onRefused, onError }: LineSpec): Line {
  const gone = new AbortController();
  const content = load(gone.signal);
  // It is awaited when the shell is ready; until then a failure is not unhandled.
  content.catch(() => undefined);
  let port: MessagePort | undefined;
  let theme = first;
  let timer = setTimeout(() => giveUp(new Error("The sandbox does not answer. Is its port reachable from this browser?")), READY_MS_MAX);

  const close = (): void => {
    gone.abort();
    clearTimeout(timer);
    removeEventListener("message", onMessage);
    port?.close();
    frame.remove();
  };
  const giveUp = (error: unknown): void => {
    if (gone.signal.aborted) return;
    close();
    onError(error);
  };
  const onMessage = (event: MessageEvent): void => {
    if (event.source !== frame.contentWindow || event.data?.type !== "resultant/ready" || port) return;
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(new Error("It could not be shown in time.")), SHOWN_MS_MAX);
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data }: MessageEvent<FromShell>) => hear(data);
    // The frame's origin is opaque, which only "*" means; what is posted here says nothing.
    frame.contentWindow?.postMessage({ type: "resultant/show" }, "*", [channel.port2]);
    content.then((message) => port?.postMessage({ ...message, theme }), giveUp);
  };
  const hear = (message: FromShell): void => {
    if (message.kind === "shown") {
      clearTimeout(timer);
      onShown(message.facts);
    } else if (message.kind === "failed") {
      close();
      onRefused(String(message.message).slice(0, 500));
    } else if (message.kind === "key") {
      const { key, ctrlKey, metaKey, shiftKey } = message;
      const isPalette = (ctrlKey || metaKey) && key.toLowerCase() === "k";
      // What is shown there must not press the page's other keys.
      if (key !== "Escape" && !isPalette) return;
      frame.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true }));
    }
  };
  addEventListener("message", onMessage);
  parent.append(frame);
  return {
    send: (message) => {
      if (message.kind === "theme") theme = message.theme;
      port?.postMessage(message);
    },
    close,
  };
}
