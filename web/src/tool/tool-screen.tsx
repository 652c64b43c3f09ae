// A tool: what it says of itself, its arguments as a form or as JSON, and the call that was made last.

import { lazy, Suspense, useEffect, useId, useMemo, useRef, useState, type ReactElement } from "react";
import { run, type Call } from "../state/calls";
import { draftOf, drafts, setDraft, typed } from "../state/drafts";
import { go } from "../state/place";
import { preferences } from "../state/preferences";
import { useStore } from "../state/store";
import type { Tool } from "../state/tool";
import { IconPlay } from "../ui/icons";
import { announce, Badge, Button, ErrorNote, Key, Spinner } from "../ui/ui";
import { COMMAND_KEY } from "../shell/header";
import { onRunKey } from "../shell/keys";
import { CallView } from "./call-view";
import { initialArguments } from "./form/initial";
import { SchemaForm } from "./form/schema-form";
import { pathLabel, validate } from "./form/validate";
import { ToolActions } from "./tool-actions";

const RawEditor = lazy(() => import("./raw-editor"));

export function ToolScreen({ tool, call }: { tool: Tool; call: Call | undefined }): ReactElement {
  const kept = useStore(drafts, (state) => state[tool.id]);
  const draft = useMemo(() => kept ?? draftOf(initialArguments(tool.inputSchema)), [kept, tool.inputSchema]);
  const as = useStore(preferences, (state) => state.argumentsAs);
  const [areTroublesShown, showTroubles] = useState(false);
  const [isStarting, setStarting] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [started, setStarted] = useState<string>();
  const form = useRef<HTMLDivElement>(null);
  const troubles = useMemo(() => validate(draft.node, tool.inputSchema), [draft.node, tool.inputSchema]);

  const start = async (isSure: boolean): Promise<void> => {
    if (isStarting) return;
    if (draft.wrong !== "" || (troubles.length > 0 && !isSure)) {
      showTroubles(true);
      announce(draft.wrong || `${troubles.length} arguments need attention`);
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    setFailure(null);
    setStarting(true);
    try {
      await run({ server: tool.server, tool: tool.name, args: draft.node }, (id) => {
        setStarting(false);
        showTroubles(false);
        announce(`${tool.title} is running`);
        setStarted(id);
        go({ kind: "call", id });
      });
    } catch (error) {
      setFailure(error);
    } finally {
      setStarting(false);
    }
  };
  const latest = useRef(start);
  latest.current = start;
  useEffect(() => onRunKey.listen(() => void latest.current(false)), []);

  const isBlocked = areTroublesShown && draft.wrong === "" && troubles.length > 0;
  return (
    <div className="tool-scroll">
      <article className="tool-screen" aria-labelledby="tool-title">
        <ToolHead tool={tool} />
        <section aria-label="Arguments" className="tool-arguments">
          <ArgumentsHead isJsonBroken={draft.wrong !== ""} />
          <div ref={form}>
            {as === "json" ? (
              <Suspense fallback={<Spinner label="Loading the editor" />}>
                <RawEditor
                  text={draft.text}
                  label="Arguments as JSON"
                  onChange={(text) => setDraft(tool.id, typed(draft, text))}
                  onRun={() => void start(false)}
                />
                {draft.wrong && (
                  <p className="form-trouble" role="status">
                    {draft.wrong}
                  </p>
                )}
              </Suspense>
            ) : (
              <SchemaForm
                schema={tool.inputSchema}
                value={draft.node}
                areTroublesShown={areTroublesShown}
                onChange={(node) => setDraft(tool.id, draftOf(node))}
              />
            )}
          </div>
        </section>
        <div className="tool-run">
          <Button kind="primary" icon={IconPlay} onClick={() => void start(false)} aria-disabled={isStarting}>
            Run
          </Button>
          <span className="tool-run-keys" aria-hidden="true">
            <Key>{COMMAND_KEY}</Key> <Key>↵</Key>
          </span>
          {isStarting && <Spinner label="Starting" />}
          <span className="tool-space" />
          <ToolActions tool={tool} draft={draft} />
        </div>
        {isBlocked && (
          <div className="tool-troubles" role="alert">
            <p>
              {troubles.length === 1 ? "One argument needs" : `${troubles.length} arguments need`} attention:{" "}
              {troubles
                .slice(0, 3)
                .map((trouble) => `${pathLabel(trouble.path)} ${trouble.message}`)
                .join("; ")}
              {troubles.length > 3 && "…"}
            </p>
            <Button isSmall onClick={() => void start(true)}>
              Run anyway
            </Button>
          </div>
        )}
        {failure !== null && <ErrorNote error={failure} />}
      </article>
      {call && <CallView call={call} isFresh={call.id === started} />}
    </div>
  );
}

function ToolHead({ tool }: { tool: Tool }): ReactElement {
  return (
    <header className="tool-head">
      <div className="tool-head-line">
        <h1 id="tool-title">{tool.title}</h1>
        {tool.isReadOnly && <Badge title="It says that it changes nothing">read only</Badge>}
        {tool.isDestructive && (
          <Badge tone="bad" title="It says that it may destroy something">
            destructive
          </Badge>
        )}
        {tool.app && <Badge tone="accent">app</Badge>}
      </div>
      <p className="tool-name">
        {tool.server} <span aria-hidden="true">/</span> {tool.name}
      </p>
      {tool.description && <Description text={tool.description} />}
    </header>
  );
}

const SHORT = 280;

function Description({ text }: { text: string }): ReactElement {
  const [isWhole, setWhole] = useState(false);
  const id = useId();
  const isShort = text.length <= SHORT;
  return (
    <div className="tool-description">
      <p id={id}>{isShort || isWhole ? text : `${text.slice(0, SHORT).trimEnd()}…`}</p>
      {!isShort && (
        <button
          type="button"
          className="tool-more"
          aria-expanded={isWhole}
          aria-controls={id}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Less" : "More"}
        </button>
      )}
    </div>
  );
}

function ArgumentsHead({ isJsonBroken }: { isJsonBroken: boolean }): ReactElement {
  const as = useStore(preferences, (state) => state.argumentsAs);
  return (
    <div className="tool-arguments-head">
      <h2>Arguments</h2>
      <div className="form-segments" role="radiogroup" aria-label="Arguments as">
        {(["form", "json"] as const).map((each) => (
          <label
            key={each}
            className="form-segment"
            data-tip={isJsonBroken && each === "form" ? "The JSON has to be right first" : undefined}
          >
            <input
              type="radio"
              className="form-segment-input"
              name="arguments-as"
              checked={as === each}
              disabled={isJsonBroken && each === "form" && as === "json"}
              onChange={() => preferences.set({ argumentsAs: each })}
            />
            {each === "form" ? "Form" : "JSON"}
          </label>
        ))}
      </div>
    </div>
  );
}
