// An MCP App in its tab: loading, running or failed, and the questions that it makes the page ask.

import { useEffect, useRef, useState, type ReactElement } from "react";
import { addressOf } from "../api/client";
import type { AppTab } from "../state/canvas";
import { layout } from "../state/layout";
import { go } from "../state/place";
import { useStore } from "../state/store";
import { workspace } from "../state/workspace";
import { IconRefresh } from "../ui/icons";
import { Button, Dialog, ErrorNote, IconButton, Spinner, toast } from "../ui/ui";
import { saveBlob } from "../viewers/save";
import { openApp, readApp, type AppHost } from "./app-host";
import { linkOf, type AppCsp } from "./app-policy";
import { beforeClose, change, closeTab } from "./live";
import { useTheme } from "./theme";
import { KeepButton, MoveButton, Toolbar } from "./tools";

interface Question {
  title: string;
  text: string;
  action: string;
  answer: (isYes: boolean) => void;
}

type State = { kind: "loading" } | { kind: "live" } | { kind: "failed"; error: unknown };

export function AppView({ tab, steps }: { tab: AppTab; steps: ReactElement }): ReactElement {
  const sandboxUrl = useStore(workspace, (state) => state.settings.sandbox_url);
  const isFull = useStore(layout, (state) => state.isCanvasFull);
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const host = useRef<AppHost | undefined>(undefined);
  const [state, setState] = useState<State>({ kind: "loading" });
  const [csp, setCsp] = useState<AppCsp>({});
  const [attempt, setAttempt] = useState(0);
  const [question, setQuestion] = useState<Question | undefined>(undefined);

  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const gone = new AbortController();
    const fail = (error: unknown): void => {
      if (!gone.signal.aborted) setState({ kind: "failed", error });
    };
    // One question at a time: what a person is about to answer must not change below the pointer.
    let isAsking = false;
    const ask = async (title: string, text: string, action: string): Promise<boolean> => {
      if (isAsking) return false;
      isAsking = true;
      try {
        return await new Promise((resolve) => setQuestion({ title, text, action, answer: resolve }));
      } finally {
        isAsking = false;
      }
    };
    setState({ kind: "loading" });
    void (async () => {
      if (sandboxUrl === null) throw new Error("The gateway has no second origin, and apps are shown from nowhere else.");
      const app = await readApp(tab, [addressOf("/"), sandboxUrl], gone.signal);
      if (gone.signal.aborted) return;
      setCsp(app.csp);
      host.current = openApp(parent, tab, app, sandboxUrl, theme, {
        onReady: () => setState({ kind: "live" }),
        onError: fail,
        onLink: async (address) => {
          const url = linkOf(address);
          if (!url || !(await ask("Open a link?", `“${tab.title}” wants to open ${url.href}`, "Open"))) return false;
          window.open(url.href, "_blank", "noopener,noreferrer");
          return true;
        },
        onDownload: async (name, blob) => {
          if (!(await ask("Save a file?", `“${tab.title}” wants to save ${name}.`, "Save"))) return false;
          saveBlob(blob, name);
          return true;
        },
        onDisplayMode: (mode) => change((all) => ({ ...all, isFull: mode === "fullscreen" })),
        onClose: () => {
          toast(`“${tab.title}” has ended.`);
          closeTab(tab.id);
        },
      });
    })().catch(fail);
    const forget = beforeClose(tab.id, async () => host.current?.teardown());
    return () => {
      forget();
      gone.abort();
      host.current?.close();
      host.current = undefined;
    };
    // The theme is told to an app that is there; it does not start it again.
  }, [tab.id, sandboxUrl, attempt]);
  useEffect(() => host.current?.setTheme(theme), [theme]);
  useEffect(() => host.current?.setDisplayMode(isFull ? "fullscreen" : "inline"), [isFull]);

  const reached = [...new Set(Object.values(csp).flat())];
  return (
    <>
      <Toolbar label={`Tools for ${tab.title}`}>
        {steps}
        <span className="canvas-state" data-state={state.kind} role="status">
          {state.kind === "live" ? "app" : state.kind === "loading" ? "starting" : "failed"}
        </span>
        <span className="canvas-toolbar-title" data-tip={reached.join("\n")}>
          {tab.server} · {reached.length === 0 ? "no network" : `may reach ${reached.join(", ")}`}
        </span>
        <span className="canvas-gap" />
        <Button isSmall kind="quiet" onClick={() => go({ kind: "call", id: tab.call })}>Its call</Button>
        <IconButton icon={IconRefresh} label="Start again" isSmall onClick={() => setAttempt(attempt + 1)} />
        <KeepButton tab={tab} />
        <MoveButton tab={tab} />
      </Toolbar>
      <div className="canvas-live">
        <div ref={place} className="canvas-live-holder" />
        {state.kind === "loading" && (
          <div className="canvas-live-over">
            <Spinner label={`Starting ${tab.title}`} size={20} />
            <span>Starting {tab.title}</span>
          </div>
        )}
        {state.kind === "failed" && (
          <div className="canvas-live-over">
            <ErrorNote error={state.error}>
              <Button isSmall icon={IconRefresh} onClick={() => setAttempt(attempt + 1)}>Start again</Button>
            </ErrorNote>
          </div>
        )}
      </div>
      {question && <Ask question={question} close={() => setQuestion(undefined)} />}
    </>
  );
}

function Ask({ question, close }: { question: Question; close: () => void }): ReactElement {
  const answer = (isYes: boolean): void => {
    close();
    question.answer(isYes);
  };
  const actions = (
    <>
      <Button kind="quiet" onClick={() => answer(false)}>No</Button>
      <Button kind="primary" onClick={() => answer(true)}>{question.action}</Button>
    </>
  );
  return (
    <Dialog title={question.title} isOpen onClose={() => answer(false)} actions={actions}>
      <p className="ui-dialog-text">{question.text}</p>
    </Dialog>
  );
}
