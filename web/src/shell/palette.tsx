// The command palette: tools, files, sessions, saved calls and actions by a few letters.

import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { byName, iconOfCategory } from "../left/files";
import { search } from "../left/fuzzy";
import { sessionTitle, withCurrent } from "../left/sessions";
import { draftOf, setDraft } from "../state/drafts";
import { layout } from "../state/layout";
import { go } from "../state/place";
import { preferences } from "../state/preferences";
import { saved } from "../state/saved";
import { useStore } from "../state/store";
import { toolId } from "../state/tool";
import { createSession, enterSession, showFile, signOut, workspace } from "../state/workspace";
import { parse } from "../json/json";
import { bytes } from "../ui/format";
import {
  IconKeyboard,
  IconMoon,
  IconPanelLeft,
  IconPanelRight,
  IconPlus,
  IconScreen,
  IconSearch,
  IconSessions,
  IconSignOut,
  IconStar,
  IconSun,
  IconTool,
  type Icon,
} from "../ui/icons";
import { Dialog, toastError } from "../ui/ui";
import { closeOverlay, openHelp } from "./overlay";
import "./palette.css";

const SHOWN_MAX = 60;

interface Entry {
  id: string;
  group: string;
  label: string;
  detail: string;
  icon: Icon;
  /** Searched as well, but not shown. */
  also?: string;
  act: () => void;
}

export function Palette(): ReactElement {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const entries = useEntries();
  const found = useMemo(
    () =>
      search(query, entries, (entry) => [
        { text: entry.label, weight: 1.2 },
        { text: entry.detail, weight: 1 },
        { text: entry.also ?? "", weight: 0.4, isProse: true },
      ]).slice(0, SHOWN_MAX),
    [query, entries],
  );
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  useEffect(() => setAt(0), [query]);
  // Newer browsers give a promise back, which is nothing for an effect to return.
  useEffect(
    () => void list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [at, found],
  );
  const choose = (entry: Entry | undefined): void => {
    if (!entry) return;
    closeOverlay();
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (event.key === "Enter") {
      event.preventDefault();
      choose(found[at]);
    }
    if (to === undefined || found.length === 0) return;
    event.preventDefault();
    setAt((to + found.length) % found.length);
  };
  return (
    <Dialog title="Command palette" isOpen onClose={closeOverlay} className="shell-palette" hasHiddenTitle>
      <div className="shell-palette-search">
        <IconSearch />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
          aria-label="Search tools, files, sessions and actions"
          placeholder="Tools, files, sessions, actions"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul ref={list} role="listbox" id={`${id}-list`} aria-label="Found" className="shell-palette-list">
        {found.map((entry, i) => {
          const isFirst = found[i - 1]?.group !== entry.group;
          return (
            <li
              key={entry.id}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              className="shell-palette-row"
              onPointerMove={() => setAt(i)}
              onClick={() => choose(entry)}
            >
              <entry.icon />
              <span className="shell-palette-label">{entry.label}</span>
              <span className="shell-palette-detail">{entry.detail}</span>
              <span className="shell-palette-group">{isFirst || query !== "" ? entry.group : ""}</span>
            </li>
          );
        })}
      </ul>
      {found.length === 0 && <p className="shell-palette-none">Nothing is like “{query}”.</p>}
    </Dialog>
  );
}

function useEntries(): Entry[] {
  const { tools, files, sessions, session } = useStore(workspace, ({ tools, files, sessions, session }) => ({
    tools,
    files,
    sessions,
    session,
  }));
  const kept = useStore(saved, (state) => state.saved);
  return useMemo(() => {
    const toolEntries = tools.map((tool): Entry => ({
      id: `tool ${tool.id}`,
      group: "Tool",
      label: tool.title,
      detail: `${tool.server}/${tool.name}`,
      also: tool.description.slice(0, 300),
      icon: IconTool,
      act: () => go({ kind: "tool", server: tool.server, tool: tool.name }),
    }));
    const fileEntries = byName(files).map(({ newest }): Entry => ({
      id: `file ${newest.key}`,
      group: "File",
      label: newest.name,
      detail: bytes(newest.size),
      icon: iconOfCategory(newest.category),
      act: () => showFile.emit(newest),
    }));
    const sessionEntries = withCurrent(sessions, session)
      .filter((one) => one.id !== session)
      .map((one): Entry => ({
        id: `session ${one.id}`,
        group: "Session",
        label: sessionTitle(one),
        detail: one.kind,
        icon: IconSessions,
        act: () => enterSession(one.id),
      }));
    const savedEntries = kept.map((one): Entry => ({
      id: `saved ${one.id}`,
      group: "Saved",
      label: one.name,
      detail: `${one.server}/${one.tool}`,
      icon: IconStar,
      act: () => {
        setDraft(toolId(one.server, one.tool), draftOf(parse(one.args)));
        go({ kind: "tool", server: one.server, tool: one.tool });
      },
    }));
    return [...savedEntries, ...toolEntries, ...actions(), ...fileEntries, ...sessionEntries];
  }, [tools, files, sessions, session, kept]);
}

function actions(): Entry[] {
  const action = (label: string, icon: Icon, act: () => void, detail = ""): Entry => ({
    id: `action ${label}`,
    group: "Action",
    label,
    detail,
    icon,
    act,
  });
  return [
    action("New session", IconPlus, () => void createSession("").catch(toastError)),
    action(
      "Show or hide the canvas",
      IconPanelRight,
      () => layout.set((state) => ({ isCanvasOpen: !state.isCanvasOpen, view: "canvas" })),
      "]",
    ),
    action(
      "Show or hide the left column",
      IconPanelLeft,
      () => layout.set((state) => ({ isLeftOpen: !state.isLeftOpen })),
      "[",
    ),
    action("Theme: light", IconSun, () => preferences.set({ theme: "light" })),
    action("Theme: dark", IconMoon, () => preferences.set({ theme: "dark" })),
    action("Theme: as the system", IconScreen, () => preferences.set({ theme: "system" })),
    action("Arguments as JSON", IconTool, () => preferences.set({ argumentsAs: "json" })),
    action("Arguments as a form", IconTool, () => preferences.set({ argumentsAs: "form" })),
    action("Keyboard shortcuts", IconKeyboard, openHelp, "?"),
    action("Sign out", IconSignOut, () => void signOut()),
  ];
}
