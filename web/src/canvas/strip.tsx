// The row of tabs of a pane. Arrow keys walk and show, Delete closes; one tab is in the order of the Tab key.

import { useEffect, useRef, type KeyboardEvent, type MouseEvent, type ReactElement } from "react";
import { activeTab, moveToOther, show, type Pane, type Tab } from "../state/canvas";
import { IconAudio, IconBraces, IconChevronDown, IconClose, IconCode, IconFile, IconImage, IconPin, IconScreen, IconTable, IconTool, IconVideo, type Icon } from "../ui/icons";
import { Menu } from "../ui/ui";
import { chooseKind, type ViewerKind } from "../viewers/kind";
import { canvas, change, closeTab } from "./live";

const MENU_FROM = 4;

const KIND_ICONS: Partial<Record<ViewerKind, Icon>> = {
  image: IconImage, svg: IconImage, table: IconTable, json: IconBraces, code: IconCode, html: IconCode, audio: IconAudio, video: IconVideo,
};

export function iconOf(tab: Tab): Icon {
  if (tab.kind === "dashboard") return IconScreen;
  if (tab.kind === "app") return IconTool;
  const shown = tab.versions[tab.shown];
  return (shown && KIND_ICONS[chooseKind(shown)]) ?? IconFile;
}

export function tabDomId(id: string): string {
  return `canvas-${id.replace(/[^\w-]/g, (sign) => `_${sign.codePointAt(0)?.toString(16)}`)}`;
}

export function Strip({ pane, tabs, active }: { pane: Pane; tabs: Tab[]; active: string | undefined }): ReactElement {
  const row = useRef<HTMLDivElement>(null);
  const focusOn = (id: string | undefined): void => {
    if (id) requestAnimationFrame(() => document.getElementById(tabDomId(id))?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === active);
    if (event.key === "Delete" && active) {
      event.preventDefault();
      closeTab(active);
      const left = canvas.get();
      focusOn((activeTab(left, pane) ?? activeTab(left, "main"))?.id);
      return;
    }
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    change((state) => show(state, next.id));
    focusOn(next.id);
  };
  useEffect(() => {
    if (active) row.current?.querySelector(`#${CSS.escape(tabDomId(active))}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const items = tabs.map((tab) => ({
    id: tab.id,
    label: tab.title,
    icon: iconOf(tab),
    isChosen: tab.id === active,
    onChoose: () => change((state) => show(state, tab.id)),
  }));
  return (
    <div className="canvas-strip">
      <div role="tablist" aria-label={pane === "main" ? "On the canvas" : "In the second pane"} ref={row} className="canvas-tabs" onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <StripTab key={tab.id} tab={tab} isActive={tab.id === active} />
        ))}
      </div>
      {tabs.length >= MENU_FROM && (
        <Menu label={`All ${tabs.length} tabs`} groups={[items]}>
          <IconChevronDown />
        </Menu>
      )}
    </div>
  );
}

function StripTab({ tab, isActive }: { tab: Tab; isActive: boolean }): ReactElement {
  const Picture = iconOf(tab);
  const onAuxClick = (event: MouseEvent): void => {
    if (event.button !== 1) return;
    event.preventDefault();
    closeTab(tab.id);
  };
  return (
    <div className="canvas-tab" data-active={isActive} role="presentation" onAuxClick={onAuxClick}>
      <button
        type="button"
        role="tab"
        id={tabDomId(tab.id)}
        aria-selected={isActive}
        aria-controls={isActive ? `${tabDomId(tab.id)}-panel` : undefined}
        tabIndex={isActive ? 0 : -1}
        aria-keyshortcuts="Delete"
        data-tip={tab.title}
        onClick={() => change((state) => show(state, tab.id))}
        onDoubleClick={() => change((state) => moveToOther(state, tab.id))}
      >
        {tab.kind === "dashboard" && tab.persistence === "pinned" ? <IconPin size={14} /> : <Picture size={14} />}
        <span>{tab.title}</span>
      </button>
      {/* For the pointer alone: a row of tabs has nothing but tabs in it, and the keyboard has Delete. */}
      <span className="canvas-tab-close" aria-hidden="true" title={`Close ${tab.title} (Delete)`} onClick={() => closeTab(tab.id)}>
        <IconClose size={12} />
      </span>
    </div>
  );
}
