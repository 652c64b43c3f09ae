// Buttons that several kinds of tabs have.

import type { ReactElement, ReactNode } from "react";
import { keep, moveToOther, step, tabsOf, type Pane, type Tab } from "../state/canvas";
import { useStore } from "../state/store";
import { IconChevronLeft, IconChevronRight, IconColumns, IconStar } from "../ui/icons";
import { IconButton } from "../ui/ui";
import { canvas, change } from "./live";

export function StepButtons({ pane, count }: { pane: Pane; count: number }): ReactElement {
  const go = (by: 1 | -1): void => change((state) => step({ ...state, focused: pane }, by));
  return (
    <>
      <IconButton icon={IconChevronLeft} label="Previous" isSmall disabled={count < 2} onClick={() => go(-1)} />
      <IconButton icon={IconChevronRight} label="Next" isSmall disabled={count < 2} onClick={() => go(1)} />
    </>
  );
}

/** Puts a tab into the other pane; the only tab of the main one has nowhere to go. */
export function MoveButton({ tab }: { tab: Tab }): ReactElement {
  const canMove = useStore(canvas, (state) => tab.pane === "side" || tabsOf(state, "main").length > 1);
  const label = tab.pane === "main" ? "Show beside the others" : "Move to the main pane";
  return <IconButton icon={IconColumns} label={label} isSmall disabled={!canMove} onClick={() => change((state) => moveToOther(state, tab.id))} />;
}

export function KeepButton({ tab }: { tab: Tab }): ReactElement {
  const label = tab.isKept ? "Kept when results replace the canvas" : "Keep when results replace the canvas";
  return <IconButton icon={IconStar} label={label} isSmall isPressed={tab.isKept} onClick={() => change((state) => keep(state, tab.id, !tab.isKept))} />;
}

export function Toolbar({ label, children }: { label: string; children: ReactNode }): ReactElement {
  return (
    <div className="canvas-toolbar" role="toolbar" aria-label={label}>
      {children}
    </div>
  );
}
