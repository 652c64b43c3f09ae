// Follows the scrolling of a list of equal rows, and says which of them to draw. The state changes only
// when the drawn rows do, so most scroll events cost nothing.
import { useCallback, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import { HEIGHT_MAX, scrollTopFor, shownRows, type Shown } from "./window";

/** Rows are drawn in steps of this many. */
const STEP = 4;
const OVERSCAN = 10;

export interface RowWindow {
  scroller: RefObject<HTMLDivElement | null>;
  shown: Shown;
  /** How many whole rows fit, for Page Up and Page Down. */
  page: number;
  onScroll: () => void;
  reveal: (row: number) => void;
}

/** `inset` is what sticks to the top of the scroller and hides that much of the rows. */
export function useWindow(count: number, rowHeight: number, inset = 0): RowWindow {
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const drawn = useRef(0);
  const [height, setHeight] = useState(600);
  const isSqueezed = count * rowHeight > HEIGHT_MAX;

  const onScroll = useCallback(() => {
    const top = scroller.current?.scrollTop ?? 0;
    const step = STEP * rowHeight;
    const next = isSqueezed ? top : Math.floor(top / step) * step;
    if (next === drawn.current) return;
    drawn.current = next;
    // Drawn before this frame is painted; otherwise fast scrolling would show empty places.
    flushSync(() => setScrollTop(next));
  }, [isSqueezed, rowHeight]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => setHeight(Math.max(rowHeight, element.clientHeight - inset));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight, inset]);

  const shown = useMemo(
    () => shownRows(count, rowHeight, { scrollTop, height: height + (isSqueezed ? 0 : STEP * rowHeight) }, OVERSCAN),
    [count, rowHeight, scrollTop, height, isSqueezed],
  );
  const reveal = useCallback(
    (row: number) => {
      const element = scroller.current;
      if (!element) return;
      const viewport = { scrollTop: element.scrollTop, height: element.clientHeight - inset };
      // The scroll event that this causes draws the rows.
      element.scrollTop = scrollTopFor(row, count, rowHeight, viewport);
    },
    [count, rowHeight, inset],
  );
  return { scroller, shown, page: Math.max(1, Math.floor(height / rowHeight) - 1), onScroll, reveal };
}
