// The tools of all servers, with search. A server's line says how it is, and why where it fails.

import { useDeferredValue, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { useCall } from "../state/calls";
import { layout } from "../state/layout";
import { go, place } from "../state/place";
import { preferences } from "../state/preferences";
import { useStore } from "../state/store";
import { toolId, type Tool } from "../state/tool";
import { workspace, type ServerInfo } from "../state/workspace";
import { IconChevronRight, IconClose, IconSearch, IconServer, IconWarning } from "../ui/icons";
import { moveInRows } from "../ui/rows";
import { Badge, Command, EmptyState, IconButton, Spinner, type Tone } from "../ui/ui";
import { search } from "./fuzzy";

/** The gateway's own tools have a server that is none of the configured ones. */
const OWN_SERVER = "resultant";

export function Tools(): ReactElement {
  const { tools, servers, hasTools } = useStore(workspace, ({ tools, servers, hasTools }) => ({
    tools,
    servers,
    hasTools,
  }));
  const [query, setQuery] = useState("");
  const asked = useDeferredValue(query);
  const groups = useMemo(() => groupTools(searchTools(asked, tools), servers, asked !== ""), [asked, tools, servers]);
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key === "Escape" && query !== "") {
      event.stopPropagation();
      setQuery("");
    } else if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      list.current?.querySelector<HTMLElement>(".left-tool")?.click();
    } else {
      moveInRows(event);
    }
  };
  return (
    <div className="left-tools" onKeyDown={onKeyDown}>
      <div className="left-search">
        <IconSearch size={14} />
        <input
          type="search"
          className="left-search-input"
          data-search-tools
          aria-label="Search tools"
          placeholder={tools.length > 0 ? `Search ${tools.length} tools` : "Search tools"}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {query && <IconButton icon={IconClose} label="Clear the search" isSmall onClick={() => setQuery("")} />}
      </div>
      <div ref={list} className="left-scroll">
        {groups.map((group) => (
          <ServerGroup key={group.server.name} group={group} isSearched={asked !== ""} />
        ))}
        {hasTools && asked !== "" && groups.length === 0 && (
          <EmptyState title={`No tool is like “${asked}”`}>Try fewer letters.</EmptyState>
        )}
        {!hasTools && (
          <div className="left-loading">
            <Spinner label="Loading tools" />
          </div>
        )}
        {hasTools && servers.length === 0 && asked === "" && (
          <EmptyState icon={IconServer} title="No servers yet">
            <p>A configuration with the servers of a client that you have is written by</p>
            <Command>resultant init</Command>
          </EmptyState>
        )}
      </div>
    </div>
  );
}

export function searchTools(query: string, tools: readonly Tool[]): Tool[] {
  return search(query, tools, (tool) => [
    { text: tool.name, weight: 1.2 },
    { text: tool.title, weight: 1 },
    { text: tool.server, weight: 0.5 },
    { text: tool.description.slice(0, 500), weight: 0.4, isProse: true },
  ]);
}

interface ToolGroup {
  server: ServerInfo;
  tools: Tool[];
}

/** Tools under their servers, in the servers' order; the gateway's own last. Nothing that is empty in a search. */
function groupTools(tools: readonly Tool[], servers: readonly ServerInfo[], isSearched: boolean): ToolGroup[] {
  const names = new Set(servers.map((server) => server.name));
  const others = [...new Set(tools.map((tool) => tool.server))].filter((name) => !names.has(name));
  const all: ServerInfo[] = [...servers, ...others.map((name): ServerInfo => ({ name, state: "ready" }))];
  return all
    .map((server) => ({ server, tools: tools.filter((tool) => tool.server === server.name) }))
    .filter((group) => group.tools.length > 0 || !isSearched);
}

function ServerGroup({
  group: { server, tools },
  isSearched,
}: {
  group: ToolGroup;
  isSearched: boolean;
}): ReactElement {
  const folded = useStore(preferences, (state) => state.folded.includes(server.name)) && !isSearched;
  const current = useCurrentTool();
  const fold = (): void =>
    preferences.set((state) => ({
      folded: state.folded.includes(server.name)
        ? state.folded.filter((one) => one !== server.name)
        : [...state.folded, server.name],
    }));
  const id = `server-${server.name}`;
  return (
    <section aria-labelledby={id}>
      <h3 className="left-server">
        <button type="button" id={id} data-row className="left-server-button" aria-expanded={!folded} onClick={fold}>
          <IconChevronRight size={12} className={folded ? "" : "left-open"} />
          <span className="left-server-name">
            {server.name === OWN_SERVER ? "Files of the session" : serverTitle(server)}
          </span>
          <ServerState server={server} count={tools.length} />
        </button>
      </h3>
      {server.state === "failing" && server.reason && (
        <p className="left-reason">
          <IconWarning size={14} />
          <span>{server.step ? `${server.step}: ${server.reason}` : server.reason}</span>
        </p>
      )}
      {!folded && (
        <ul>
          {tools.map((tool) => (
            <li key={tool.id}>
              <button
                type="button"
                data-row
                className="left-tool"
                aria-current={current === tool.id ? "page" : undefined}
                onClick={() => {
                  go({ kind: "tool", server: tool.server, tool: tool.name });
                  layout.set({ view: "middle" });
                }}
              >
                <span className="left-tool-title">{tool.title}</span>
                {tool.title !== tool.name && <span className="left-tool-name">{tool.name}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The tool that is open, by itself or by one of its calls. */
function useCurrentTool(): string | undefined {
  const here = useStore(place, (state) => state.place);
  const call = useCall(here.kind === "call" ? here.id : undefined);
  if (here.kind === "tool") return toolId(here.server, here.tool);
  return call ? toolId(call.server, call.tool) : undefined;
}

function serverTitle(server: ServerInfo): string {
  const title: unknown =
    typeof server.info === "object" && server.info !== null ? Reflect.get(server.info, "title") : undefined;
  return typeof title === "string" && title !== "" ? title : server.name;
}

const TONES: Record<ServerInfo["state"], Tone> = { idle: "plain", connecting: "wait", ready: "good", failing: "bad" };

function ServerState({ server, count }: { server: ServerInfo; count: number }): ReactElement {
  if (server.name === OWN_SERVER || server.state === "ready") {
    return (
      <span className="left-server-state" data-tip={server.protocol ? `ready, MCP ${server.protocol}` : "ready"}>
        <span className="left-dot left-dot-ready" />
        <span className="ui-hidden">ready, </span>
        {count}
      </span>
    );
  }
  return <Badge tone={TONES[server.state]}>{server.state}</Badge>;
}
