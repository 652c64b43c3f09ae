// Text with very long lines: rows of equal length, drawn as far as they are seen.
import { useMemo, type ReactElement } from "react";
import { Shown } from "../frame";
import { useWindow } from "../use-window";
import { rowStarts } from "./broken-lines";
import "./code.css";

const ROW_HEIGHT = 20;

export function LongText({ text, label }: { text: string; label: string }): ReactElement {
  const starts = useMemo(() => rowStarts(text), [text]);
  const { scroller, shown, onScroll } = useWindow(starts.length - 1, ROW_HEIGHT);
  return (
    <div ref={scroller} className="viewer-scroller code-long" tabIndex={0} role="region" aria-label={label} onScroll={onScroll}>
      <div className="viewer-rows" style={{ height: shown.height }}>
        <div className="viewer-rows-shown" style={{ transform: `translateY(${shown.top}px)` }}>
          {Array.from({ length: Math.max(0, shown.end - shown.first) }, (_, at) => {
            const row = shown.first + at;
            return <div key={row} className="code-long-row"><Shown text={text.slice(starts[row], starts[row + 1]).replace(/\r?\n$/, "")} /></div>;
          })}
        </div>
      </div>
    </div>
  );
}
