// Any file as bytes. Only the pages in sight are read, so the size does not matter.
import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { bytes as formatBytes } from "../../ui/format";
import { Button } from "../../ui/ui";
import { Bar, Failed, useFrame } from "../frame";
import { useWindow } from "../use-window";
import { hexLine, hexOffset, LINE_BYTES, readOffset } from "./lines";
import "./hex.css";

const ROW_HEIGHT = 20;
const PAGE_BYTES = 64 * 1024;
const PAGES_KEPT = 64;

export function HexViewer(): ReactElement {
  const { file, source } = useFrame();
  const count = Math.ceil(source.size / LINE_BYTES);
  const { scroller, shown, onScroll, reveal } = useWindow(count, ROW_HEIGHT);
  const { pageAt, error } = usePages(shown.first * LINE_BYTES, shown.end * LINE_BYTES);
  const [typed, setTyped] = useState("");
  const [marked, setMarked] = useState(-1);
  const offset = readOffset(typed, source.size);

  const jump = (): void => {
    if (offset === undefined) return;
    setMarked(Math.floor(offset / LINE_BYTES));
    reveal(Math.floor(offset / LINE_BYTES));
    scroller.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") jump();
  };

  if (error !== undefined) return <Failed error={error} />;
  return (
    <>
      <Bar label="Bytes">
        <input
          className="viewer-field hex-field"
          aria-label="Offset to go to, such as 1024, 0x400 or -16"
          placeholder="Offset, e.g. 0x400"
          value={typed}
          aria-invalid={typed.trim() !== "" && offset === undefined}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Button isSmall kind="quiet" disabled={offset === undefined} onClick={jump}>Go</Button>
        <span className="viewer-count">{formatBytes(source.size)}</span>
      </Bar>
      <div className="viewer-body">
        <div ref={scroller} className="viewer-scroller hex" tabIndex={0} role="region" aria-label={`Bytes of ${file.name}`} onScroll={onScroll}>
          <div className="viewer-rows" style={{ height: shown.height }}>
            <div className="viewer-rows-shown" style={{ transform: `translateY(${shown.top}px)` }}>
              {Array.from({ length: shown.end - shown.first }, (_, at) => {
                const line = shown.first + at;
                return <Line key={line} line={line} size={source.size} page={pageAt(line * LINE_BYTES)} isMarked={line === marked} />;
              })}
            </div>
          </div>
          {source.size === 0 && <p className="hex-empty">The file is empty.</p>}
        </div>
      </div>
    </>
  );
}

interface LineProps {
  line: number;
  size: number;
  page: Uint8Array | undefined;
  isMarked: boolean;
}

function Line({ line, size, page, isMarked }: LineProps): ReactElement {
  const start = line * LINE_BYTES;
  const { hex, ascii } = page ? hexLine(page, start % PAGE_BYTES) : { hex: [], ascii: "" };
  return (
    <div className={isMarked ? "hex-line hex-marked" : "hex-line"}>
      <span className="hex-offset">{hexOffset(start, size)}</span>
      <span className="hex-bytes">{`${hex.slice(0, 8).join(" ")}  ${hex.slice(8).join(" ")}`.padEnd(48)}</span>
      <span className="hex-ascii">{ascii}</span>
    </div>
  );
}

/** The pages around what is in sight; the oldest are forgotten. */
function usePages(start: number, end: number): { pageAt: (offset: number) => Uint8Array | undefined; error: unknown } {
  const { source } = useFrame();
  const pages = useRef(new Map<number, Uint8Array | "asked">());
  const [, redraw] = useState(0);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const known = pages.current;
    for (let page = Math.floor(start / PAGE_BYTES); page * PAGE_BYTES < Math.min(end, source.size); page += 1) {
      if (known.has(page)) continue;
      known.set(page, "asked");
      source.range(page * PAGE_BYTES, (page + 1) * PAGE_BYTES).then(
        (bytes) => {
          known.set(page, bytes);
          for (const old of known.keys()) {
            if (known.size <= PAGES_KEPT) break;
            known.delete(old);
          }
          redraw((times) => times + 1);
        },
        (problem: unknown) => {
          known.delete(page);
          setError(problem);
        },
      );
    }
  }, [source, start, end]);
  const pageAt = useCallback((offset: number) => {
    const page = pages.current.get(Math.floor(offset / PAGE_BYTES));
    return page === "asked" ? undefined : page;
  }, []);
  return { pageAt, error };
}
