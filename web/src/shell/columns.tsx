// The three columns. On a wide screen they stand side by side and can be resized; on a narrow one, one is seen
// at a time. The canvas stays mounted while it is closed, so that its frames keep what they show.

import { useEffect, useState, type ReactElement, type ReactNode } from "react";
import { Group, Panel, Separator, usePanelRef } from "react-resizable-panels";
import { layout, type NarrowView } from "../state/layout";
import { preferences } from "../state/preferences";
import { useStore } from "../state/store";
import { IconColumns, IconPanelRight, IconTool } from "../ui/icons";
import "./columns.css";

export const NARROW = "(max-width: 899px)";

export function useMedia(query: string): boolean {
  const [isSo, setSo] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = (): void => setSo(list.matches);
    list.addEventListener("change", onChange);
    onChange();
    return () => list.removeEventListener("change", onChange);
  }, [query]);
  return isSo;
}

interface ColumnsProps {
  left: ReactNode;
  middle: ReactNode;
  canvas: ReactNode;
}

export function Columns(props: ColumnsProps): ReactElement {
  const isNarrow = useMedia(NARROW);
  return isNarrow ? <NarrowColumns {...props} /> : <WideColumns {...props} />;
}

function WideColumns({ left, middle, canvas }: ColumnsProps): ReactElement {
  const { isLeftOpen, isCanvasOpen, isCanvasFull } = useStore(layout, (state) => state);
  const [kept] = useState(() => preferences.get().columns);
  const leftPanel = usePanelRef();
  const canvasPanel = usePanelRef();
  // Sizes are told late: what counts then is how the panels are now, not how they were.
  useEffect(() => {
    if (isLeftOpen) leftPanel.current?.expand();
    else leftPanel.current?.collapse();
  }, [isLeftOpen, leftPanel]);
  useEffect(() => {
    const panel = canvasPanel.current;
    if (!panel) return;
    if (!isCanvasOpen) panel.collapse();
    else if (panel.isCollapsed()) panel.resize(`${preferences.get().columns["canvas"] ?? 42}%`);
  }, [isCanvasOpen, canvasPanel]);
  return (
    <Group
      className="shell-columns"
      orientation="horizontal"
      resizeTargetMinimumSize={{ coarse: 24, fine: 9 }}
      onLayoutChanged={(sizes) => {
        const columns = { ...preferences.get().columns };
        for (const [id, size] of Object.entries(sizes)) if (size > 0) columns[id] = Math.round(size * 10) / 10;
        preferences.set({ columns });
      }}
    >
      <Panel
        id="left"
        panelRef={leftPanel}
        className="shell-column shell-left"
        defaultSize={isLeftOpen ? `${kept["left"] ?? 19}%` : "0%"}
        minSize="13rem"
        maxSize="40%"
        collapsible
        collapsedSize={0}
        onResize={() => layout.set({ isLeftOpen: !leftPanel.current?.isCollapsed() })}
      >
        <div className="shell-column-inside" inert={!isLeftOpen}>
          {left}
        </div>
      </Panel>
      <Separator className="shell-separator" aria-label="Width of the left column" />
      <Panel id="middle" className="shell-column shell-middle" minSize="20rem">
        <main className="shell-column-inside">{middle}</main>
      </Panel>
      <Separator
        className={`shell-separator ${isCanvasOpen ? "" : "shell-separator-idle"}`}
        aria-label="Width of the canvas"
        disabled={!isCanvasOpen}
      />
      <Panel
        id="canvas"
        panelRef={canvasPanel}
        className="shell-column shell-canvas"
        defaultSize="0%"
        minSize="18rem"
        collapsible
        collapsedSize={0}
        onResize={() => layout.set({ isCanvasOpen: !canvasPanel.current?.isCollapsed() })}
      >
        <aside
          className={isCanvasFull ? "shell-canvas-full" : "shell-column-inside"}
          aria-label="Canvas"
          inert={!isCanvasOpen}
        >
          {canvas}
        </aside>
      </Panel>
    </Group>
  );
}

const VIEWS: { id: NarrowView; label: string; icon: typeof IconTool }[] = [
  { id: "left", label: "Browse", icon: IconColumns },
  { id: "middle", label: "Call", icon: IconTool },
  { id: "canvas", label: "Canvas", icon: IconPanelRight },
];

function NarrowColumns({ left, middle, canvas }: ColumnsProps): ReactElement {
  const { view, isCanvasOpen, isCanvasFull } = useStore(layout, (state) => state);
  useEffect(() => {
    if (isCanvasOpen) layout.set({ view: "canvas" });
  }, [isCanvasOpen]);
  return (
    <div className="shell-narrow">
      <div className="shell-narrow-views">
        <div className="shell-column-inside" hidden={view !== "left"}>
          {left}
        </div>
        <main className="shell-column-inside" hidden={view !== "middle"}>
          {middle}
        </main>
        <aside
          className={isCanvasFull ? "shell-canvas-full" : "shell-column-inside"}
          aria-label="Canvas"
          hidden={view !== "canvas"}
        >
          {canvas}
        </aside>
      </div>
      <nav className="shell-narrow-bar" aria-label="Columns">
        {VIEWS.map(({ id, label, icon: Picture }) => (
          <button
            key={id}
            type="button"
            aria-current={view === id ? "page" : undefined}
            onClick={() => layout.set({ view: id })}
          >
            <Picture />
            {label}
          </button>
        ))}
      </nav>
    </div>
  );
}
