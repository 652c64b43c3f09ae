// A dashboard: a page of a server's own, framed where the configuration allows its origin. It gets a token by a
// message to that origin alone, and may say what the person did in it, which is kept in the gateway's log.

import { useEffect, useRef, useState, type ReactElement } from "react";
import { addressOf, api, part, type Schemas } from "../api/client";
import type { DashboardTab } from "../state/canvas";
import { useStore } from "../state/store";
import { workspace } from "../state/workspace";
import { copy } from "../ui/format";
import { IconCopy, IconPin, IconRefresh, IconWarning } from "../ui/icons";
import { Badge, Button, IconButton, Spinner, toast, toastError } from "../ui/ui";
import { makeFrame } from "./frame-element";
import { allowingLines, judge, originOf, type Verdict } from "./origins";
import { Rate } from "./rate";
import { MoveButton, Toolbar } from "./tools";

const LOADED_MS_MAX = 20_000;
const READY_MS_MAX = 8_000;
const ACTION_BYTES_MAX = 4096;
const ACTIONS_MAX = 10;
const ACTIONS_WITHIN_MS = 10_000;
const RENEW_BEFORE_MS = 30_000;
const RENEW_MS_MIN = 15_000;

type State = "loading" | "live" | "stale" | "failed";

const STATE_WORDS: Record<State | "refused", string> = {
  loading: "loading",
  live: "live",
  stale: "has not answered",
  failed: "not loaded",
  refused: "not shown",
};

export function DashboardView({ tab, steps }: { tab: DashboardTab; steps: ReactElement }): ReactElement {
  const settings = useStore(workspace, (all) => all.settings);
  const connection = useStore(workspace, (all) => all.connection);
  const [state, setState] = useState<State>("loading");
  const [attempt, setAttempt] = useState(0);
  const { origins } = settings.dashboards;
  const ours = [addressOf("/"), ...(settings.sandbox_url ? [settings.sandbox_url] : [])];
  const verdict: Verdict =
    tab.type === "iframe"
      ? judge(tab.url, origins, ours)
      : { kind: "refused", reason: `It is of the type “${tab.type}”, and only “iframe” is known here.` };
  const retry = (): void => {
    setState("loading");
    setAttempt(attempt + 1);
  };
  const shownState = verdict.kind === "refused" ? "refused" : state;
  return (
    <>
      <Toolbar label={`Tools for ${tab.title}`}>
        {steps}
        <span className="canvas-state" data-state={shownState} role="status">
          {STATE_WORDS[shownState]}
        </span>
        {verdict.kind === "allowed" && <span className="canvas-toolbar-title">{verdict.origin}</span>}
        <span className="canvas-gap" />
        {tab.persistence === "pinned" && <Badge title="There in every session, and after a restart"><IconPin size={12} /> pinned</Badge>}
        {verdict.kind === "allowed" && <IconButton icon={IconRefresh} label="Load again" isSmall onClick={retry} />}
        <MoveButton tab={tab} />
      </Toolbar>
      {verdict.kind === "allowed" && state === "stale" && (
        <p className="canvas-note" role="status">
          <span>The dashboard has not asked for its token. Its server may be gone; call the tool again, or load it again.</span>
          <Button isSmall icon={IconRefresh} onClick={retry}>Load again</Button>
        </p>
      )}
      {connection === "waiting" && (
        <p className="canvas-note" role="status">
          <span>The gateway does not answer; the dashboard’s token cannot be renewed until it does.</span>
        </p>
      )}
      {verdict.kind === "refused" ? (
        <Refused tab={tab} verdict={verdict} patterns={origins} />
      ) : (
        <DashboardFrame key={`${verdict.address} ${attempt}`} tab={tab} address={verdict.address} origin={verdict.origin} state={state} setState={setState} retry={retry} />
      )}
    </>
  );
}

function Refused({ tab, verdict, patterns }: { tab: DashboardTab; verdict: Extract<Verdict, { kind: "refused" }>; patterns: readonly string[] }): ReactElement {
  const lines = verdict.origin ? allowingLines(verdict.origin, patterns) : undefined;
  return (
    <div className="canvas-live">
      <div className="canvas-card" role="alert">
        <IconWarning size={24} />
        <h3>“{tab.title}” is not shown</h3>
        <p>{verdict.reason}</p>
        {tab.url && <p className="ui-quiet">It asked for <code>{tab.url}</code>.</p>}
        {lines && (
          <>
            <p>If you trust it, put this into the gateway’s configuration:</p>
            <div className="canvas-card-code">
              <pre>{lines}</pre>
              <IconButton icon={IconCopy} label="Copy these lines" isSmall onClick={() => void copy(lines).then(() => toast("The lines are copied."), toastError)} />
            </div>
          </>
        )}
      </div>
    </div>
  );
}

interface DashboardFrameProps {
  tab: DashboardTab;
  address: string;
  origin: string;
  state: State;
  setState: (state: State) => void;
  retry: () => void;
}

function DashboardFrame({ tab, address, origin, state, setState, retry }: DashboardFrameProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const renewRef = useRef<() => void>(() => undefined);
  const { session, dashboard, server, title, round } = tab;
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const frame = makeFrame({ address, title, sandbox: "allow-scripts allow-same-origin allow-forms", className: "canvas-live-frame" });
    const path = `/api/sessions/${part(session)}/dashboards/${part(dashboard)}`;
    const rate = new Rate(ACTIONS_MAX, ACTIONS_WITHIN_MS);
    const asked = new Rate(ACTIONS_MAX, ACTIONS_WITHIN_MS);
    let isReady = false;
    let isGone = false;
    let wasTold = false;
    let renewal: ReturnType<typeof setTimeout> | undefined;
    let timer = setTimeout(() => setState("failed"), LOADED_MS_MAX);

    const sendToken = async (): Promise<void> => {
      clearTimeout(renewal);
      const given = await api.send<Schemas["DashboardToken"]>("POST", `${path}/token`, undefined, { query: { server } });
      // A later result may have moved the dashboard, and its token is for the place that it names.
      if (isGone || originOf(given.url) !== origin) return;
      frame.contentWindow?.postMessage({ type: "resultant/dashboard-token", token: given.token }, origin);
      setState("live");
      const left = Date.parse(given.expires_at ?? "") - Date.now() - RENEW_BEFORE_MS;
      // A token of the server's own has the end that the server gave it; asking again does not make it longer.
      if (Number.isFinite(left) && left > 0) renewal = setTimeout(renew, Math.max(left, RENEW_MS_MIN));
    };
    const renew = (): void => {
      if (!isReady || isGone) return;
      sendToken().catch((error: unknown) => {
        toastError(error, `“${title}” gets no token`);
        setState("stale");
      });
    };
    const onAction = (action: unknown): void => {
      const text = JSON.stringify(action) ?? "null";
      if (!rate.take(Date.now()) || text.length > ACTION_BYTES_MAX) {
        if (!wasTold) toast(`“${title}” reports more than is kept; the rest is left out.`);
        wasTold = true;
        return;
      }
      api.send("POST", `${path}/actions`, { action }, { query: { server } }).then(
        () => toast(`Noted: ${typeof action === "string" ? action.slice(0, 80) : `something done in “${title}”`}`),
        (error: unknown) => toastError(error, "What was done in the dashboard could not be noted"),
      );
    };
    const onMessage = (event: MessageEvent): void => {
      if (event.source !== frame.contentWindow || event.origin !== origin) return;
      const message: unknown = event.data;
      if (typeof message !== "object" || message === null || !("type" in message)) return;
      if (message.type === "resultant/dashboard-ready") {
        if (!asked.take(Date.now())) return;
        clearTimeout(timer);
        isReady = true;
        renew();
      } else if (message.type === "resultant/dashboard-action" && "action" in message) {
        onAction(message.action);
      }
    };
    const onLoad = (): void => {
      if (isReady) return;
      clearTimeout(timer);
      timer = setTimeout(() => setState("stale"), READY_MS_MAX);
      reveal(frame);
    };
    frame.addEventListener("load", onLoad);
    addEventListener("message", onMessage);
    parent.append(frame);
    renewRef.current = renew;
    return () => {
      isGone = true;
      clearTimeout(timer);
      clearTimeout(renewal);
      removeEventListener("message", onMessage);
      frame.remove();
    };
  }, [address, origin, session, server, dashboard]);
  // Another result of the tool: the frame stays, and gets the new token.
  useEffect(() => {
    if (round > 1) renewRef.current();
  }, [round]);
  return (
    <div className="canvas-live">
      <div ref={place} className="canvas-live-holder" />
      {state === "loading" && (
        <div className="canvas-live-over canvas-live-passing">
          <Spinner label={`Loading ${title}`} size={20} />
          <span>Loading {title}</span>
        </div>
      )}
      {state === "failed" && (
        <div className="canvas-live-over">
          <IconWarning size={24} />
          <span>The dashboard did not load.</span>
          <Button icon={IconRefresh} onClick={retry}>Load again</Button>
        </div>
      )}
    </div>
  );
}

/** A page that does not know our messages is shown when it has loaded. */
function reveal(frame: HTMLIFrameElement): void {
  frame.closest(".canvas-live")?.classList.add("canvas-live-loaded");
}
