// The middle column: a tool with its calls, or a call that was opened by its address.

import { useEffect, useRef, type ReactElement } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import { parse, type Node } from "../json/json";
import { loadCall, useCall, type Call } from "../state/calls";
import { fillDraft } from "../state/drafts";
import { go, place } from "../state/place";
import { useStore } from "../state/store";
import { toolId, type Tool } from "../state/tool";
import { enterSession, workspace } from "../state/workspace";
import { IconTool } from "../ui/icons";
import { Button, EmptyState, Spinner, toast } from "../ui/ui";
import { CallView, prepareResults } from "./call-view";
import { History } from "./history";
import { Home } from "./home";
import { ToolScreen } from "./tool-screen";
import "./tool.css";

export function Middle(): ReactElement {
  useEffect(prepareResults, []);
  return (
    <Group orientation="vertical" className="tool-group">
      <Panel id="work" className="tool-panel" minSize="25%">
        <Work />
      </Panel>
      <Separator className="tool-separator" aria-label="Height of the list of calls" />
      <Panel id="history" className="tool-panel" defaultSize="18%" minSize="2.25rem">
        <History />
      </Panel>
    </Group>
  );
}

function Work(): ReactElement {
  const here = useStore(place, (state) => state.place);
  const { tools, hasTools } = useStore(workspace, ({ tools, hasTools }) => ({ tools, hasTools }));
  const callId = here.kind === "call" ? here.id : undefined;
  const call = useCall(callId);
  useOpenedCall(callId, call);
  useLinkedArguments(here.kind === "tool" ? here : null);

  if (here.kind !== "tool" && here.kind !== "call") return <Home />;
  if (here.kind === "call" && !call) return <Loading id={here.id} />;
  const server = here.kind === "tool" ? here.server : (call?.server ?? "");
  const name = here.kind === "tool" ? here.tool : (call?.tool ?? "");
  const tool = tools.find((one) => one.id === toolId(server, name));
  if (tool) return <ToolScreen key={tool.id} tool={tool} call={call} />;
  if (!hasTools) return <Loading />;
  if (call) {
    return (
      <div className="tool-scroll">
        <CallView call={call} />
      </div>
    );
  }
  return (
    <EmptyState
      icon={IconTool}
      title={`There is no tool ${name} on ${server}`}
      actions={<Button onClick={() => go({ kind: "home" })}>Go home</Button>}
    >
      Its server may not be ready, or it has other tools now.
    </EmptyState>
  );
}

function Loading({ id }: { id?: string }): ReactElement {
  return (
    <div className="tool-loading">
      <Spinner label={id ? "Loading the call" : "Loading the tools"} size={20} />
    </div>
  );
}

/** A call that is opened brings its arguments and its session. */
function useOpenedCall(id: string | undefined, call: Call | undefined): void {
  const session = useStore(workspace, (state) => state.session);
  const filled = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (id === undefined || (call && (call.args || call.isOwn))) return;
    loadCall(id).then(
      (loaded) => {
        if (loaded.session && loaded.session !== workspace.get().session) enterSession(loaded.session);
      },
      () => {
        // One of an MCP client has no record before it is over; its events are all there is.
        if (call) return;
        toast("This call is not known any more", { kind: "bad" });
        go({ kind: "home" }, "replace");
      },
    );
  }, [id, call?.state]);
  useEffect(() => {
    if (!id || !call?.args || filled.current === id) return;
    filled.current = id;
    if (call.args.kind === "object") fillDraft(toolId(call.server, call.tool), call.args);
  }, [id, call]);
  useEffect(() => {
    if (call?.session && call.session !== session && call.state !== undefined && filled.current === id) {
      go({ kind: "tool", server: call.server, tool: call.tool }, "replace");
    }
  }, [session]);
}

/** A shared link brings arguments. They are shown, never sent: that is for the person to do. */
function useLinkedArguments(here: { server: string; tool: Tool["name"]; args?: string } | null): void {
  useEffect(() => {
    if (here?.args === undefined) return;
    let node: Node | undefined;
    try {
      node = parse(here.args);
    } catch {
      // Said below.
    }
    if (node?.kind === "object") fillDraft(toolId(here.server, here.tool), node);
    else toast("The arguments of this link cannot be read", { kind: "bad" });
    go({ kind: "tool", server: here.server, tool: here.tool }, "replace");
  }, [here?.args]);
}
