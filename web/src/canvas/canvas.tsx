// The canvas: one pane, or two beside each other. Dashboards and apps stay mounted while another tab is shown, so
// that they go on; files are opened again, which is cheap.

import { lazy, Suspense, useEffect, type KeyboardEvent, type ReactElement } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import { activeTab, hasSplit, tabsOf, type Pane, type Tab } from "../state/canvas";
import { layout } from "../state/layout";
import { go } from "../state/place";
import { preferences } from "../state/preferences";
import { useStore } from "../state/store";
import { workspace } from "../state/workspace";
import { IconClose, IconFullScreen, IconFullScreenExit, IconPanelRight, IconPlay } from "../ui/icons";
import { Button, EmptyState, IconButton, Spinner } from "../ui/ui";
import { DashboardView } from "./dashboard";
import { FileView } from "./file-view";
import { canvas, change, startCanvas } from "./live";
import { Strip, tabDomId } from "./strip";
import { StepButtons } from "./tools";
import "./canvas.css";

const AppView = lazy(async () => ({ default: (await import("./app-view")).AppView }));

export function Canvas(): ReactElement {
  useEffect(startCanvas, []);
  const state = useStore(canvas, (all) => all);
  const isSplit = hasSplit(state);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && layout.get().isCanvasFull && !event.defaultPrevented) setFull(false);
  };
  if (state.tabs.length === 0) return <EmptyCanvas />;
  return (
    <div className="canvas" onKeyDown={onKeyDown}>
      <Group className="canvas-panes" orientation="horizontal" resizeTargetMinimumSize={{ coarse: 24, fine: 9 }}>
        <Panel id="canvas-main" minSize="12rem" className="canvas-panel">
          <OnePane pane="main" isLast={!isSplit} />
        </Panel>
        {isSplit && <Separator className="shell-separator" aria-label="Width of the second pane" />}
        {isSplit && (
          <Panel id="canvas-side" minSize="12rem" className="canvas-panel">
            <OnePane pane="side" isLast />
          </Panel>
        )}
      </Group>
    </div>
  );
}

function setFull(isFull: boolean): void {
  change((state) => ({ ...state, isFull }));
}

function PanelControls(): ReactElement {
  const isFull = useStore(layout, (state) => state.isCanvasFull);
  return (
    <>
      <IconButton
        icon={isFull ? IconFullScreenExit : IconFullScreen}
        label={isFull ? "Leave full screen" : "Full screen"}
        onClick={() => setFull(!isFull)}
      />
      <IconButton
        icon={IconClose}
        label="Close the canvas"
        onClick={() => change((state) => ({ ...state, isOpen: false, isFull: false }))}
      />
    </>
  );
}

function OnePane({ pane, isLast }: { pane: Pane; isLast: boolean }): ReactElement {
  const state = useStore(canvas, (all) => all);
  const tabs = tabsOf(state, pane);
  const active = activeTab(state, pane);
  const focus = (): void => {
    if (canvas.get().focused !== pane) canvas.set({ focused: pane });
  };
  return (
    <section className="canvas-pane" aria-label={pane === "main" ? "Main pane" : "Second pane"} onFocus={focus} onPointerDown={focus}>
      <header className="canvas-head">
        <Strip pane={pane} tabs={tabs} active={active?.id} />
        {isLast && <PanelControls />}
      </header>
      {tabs.map((tab) => {
        const isShown = tab.id === active?.id;
        if (!isShown && tab.kind === "file") return null;
        return (
          <div
            key={tab.id}
            role="tabpanel"
            id={`${tabDomId(tab.id)}-panel`}
            aria-labelledby={tabDomId(tab.id)}
            className="canvas-body"
            hidden={!isShown}
          >
            <TabView tab={tab} steps={<StepButtons pane={pane} count={tabs.length} />} />
          </div>
        );
      })}
      {state.leftOut > 0 && pane === "main" && (
        <p className="canvas-left-out" role="note">
          {state.leftOut} more files of this result are in the list of files.
        </p>
      )}
    </section>
  );
}

function TabView({ tab, steps }: { tab: Tab; steps: ReactElement }): ReactElement {
  switch (tab.kind) {
    case "file":
      return <FileView tab={tab} steps={steps} />;
    case "dashboard":
      return <DashboardView tab={tab} steps={steps} />;
    case "app":
      return (
        <Suspense fallback={<div className="canvas-waiting"><Spinner label="Loading the app's host" /></div>}>
          <AppView tab={tab} steps={steps} />
        </Suspense>
      );
  }
}

/** Tools whose results are good to see first. */
const FIRST_TOOLS = ["gallery", "every_file", "sales_report"];

function EmptyCanvas(): ReactElement {
  const tools = useStore(workspace, (state) => state.tools);
  const opensItself = useStore(preferences, (state) => state.canvasOpensItself);
  const first = FIRST_TOOLS.map((name) => tools.find((tool) => tool.name === name)).find((tool) => tool !== undefined);
  return (
    <div className="canvas canvas-empty">
      <header className="canvas-head canvas-head-empty">
        <span className="canvas-head-title">Canvas</span>
        <PanelControls />
      </header>
      <EmptyState
        icon={IconPanelRight}
        title="Nothing here yet"
        actions={
          first && (
            <Button icon={IconPlay} onClick={() => go({ kind: "tool", server: first.server, tool: first.name })}>
              Try {first.title}
            </Button>
          )
        }
      >
        <p>Files that tools return are shown here: pictures, PDF, pages, tables, code and more. Dashboards and apps of servers have their place here too.</p>
        <p>Call a tool, or choose a file on the left.</p>
      </EmptyState>
      <label className="canvas-auto">
        <input
          type="checkbox"
          checked={opensItself}
          onChange={(event) => preferences.set({ canvasOpensItself: event.target.checked })}
        />
        Open by itself when a result has something to show
      </label>
    </div>
  );
}
