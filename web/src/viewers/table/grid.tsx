// The cells on the screen: rows and columns are drawn as far as they are seen. The header, with names,
// sort and filters, sticks to the top; the row numbers to the left.
import { memo, useCallback, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactElement } from "react";
import { copy, counted, number } from "../../ui/format";
import { toast, toastError } from "../../ui/ui";
import { hasHidden } from "../escapes";
import { Shown } from "../frame";
import { VALUE_CHARS_SHOWN } from "../limits";
import { useWindow } from "../use-window";
import { shownColumns } from "../window";
import { tsv } from "./export";
import { Header } from "./header";
import type { ColumnFacts, Sort } from "./order";
import { cellText, type Packed } from "./packed";
import { blockOf, moved, type Block, type Cell, type Selection } from "./selection";

export const ROW_HEIGHT = 26;
const NUMBER_WIDTH = 64;
const HEADER_HEIGHT = 30;
const FILTER_HEIGHT = 30;
const COPIED_CELLS_MAX = 2_000_000;

export interface GridProps {
  table: Packed;
  facts: ColumnFacts[];
  rows: Uint32Array;
  label: string;
  sort: Sort | undefined;
  setSort: (sort: Sort | undefined) => void;
  filters: ReadonlyMap<number, string>;
  setFilter: ((column: number, text: string) => void) | undefined;
  isInline?: boolean;
}

export function Grid({ table, facts, rows, label, sort, setSort, filters, setFilter, isInline = false }: GridProps): ReactElement {
  const headerHeight = HEADER_HEIGHT + (setFilter ? FILTER_HEIGHT : 0);
  const { scroller, shown, page, onScroll, reveal } = useWindow(rows.length, ROW_HEIGHT, headerHeight);
  const [widths, setWidths] = useState<number[]>(() => facts.map((one, column) => widthOf(one, table.columns[column] ?? "")));
  const edges = useMemo(() => edgesOf(widths), [widths]);
  const [across, setAcross] = useState({ left: 0, width: 1200 });
  const [selection, setSelection] = useState<Selection | undefined>(undefined);
  const block = useMemo(() => (selection ? blockOf(selection) : undefined), [selection]);
  const columns = useMemo(() => shownColumns(edges, across.left, across.width), [edges, across]);
  // Rows that leave at one end are used again at the other: changing a text is cheaper than a new element.
  const size = Math.max(0, shown.end - shown.first);
  const largest = useRef(0);
  largest.current = Math.max(largest.current, size);
  const pool = Math.max(1, largest.current);
  const totalWidth = NUMBER_WIDTH + (edges[edges.length - 1] ?? 0);

  const measureAcross = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const step = 64;
    const left = Math.max(0, Math.floor(element.scrollLeft / step) * step - step);
    const width = element.clientWidth + 3 * step;
    setAcross((before) => (before.left === left && before.width === width ? before : { left, width }));
  }, [scroller]);
  useLayoutEffect(() => {
    measureAcross();
    const observer = new ResizeObserver(measureAcross);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [measureAcross, scroller]);

  const show = (cell: Cell): void => {
    reveal(cell.row);
    const element = scroller.current;
    if (!element) return;
    const left = edges[cell.column] ?? 0;
    const right = edges[cell.column + 1] ?? left;
    const room = element.clientWidth - NUMBER_WIDTH;
    if (left < element.scrollLeft) element.scrollLeft = left;
    else if (right > element.scrollLeft + room) element.scrollLeft = Math.min(left, right - room);
  };
  const copySelection = (): void => {
    if (!block) return;
    const chosen = Array.from({ length: block.right - block.left + 1 }, (_, at) => block.left + at);
    if ((block.bottom - block.top + 1) * chosen.length > COPIED_CELLS_MAX) {
      toast(`At most ${number(COPIED_CELLS_MAX)} cells are copied at once; export the table instead.`, { kind: "bad" });
      return;
    }
    const isMany = block.bottom > block.top && block.right > block.left;
    const text = tsv(table, { rows: rows.subarray(block.top, block.bottom + 1), columns: chosen }, isMany);
    void copy(text).then(() => toast(`${counted(chosen.length * (block.bottom - block.top + 1), "cell")} copied`), toastError);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.target as Element).closest("input, button")) return;
    if (event.key === "c" && (event.ctrlKey || event.metaKey)) {
      copySelection();
      event.preventDefault();
      return;
    }
    const from = selection ?? { anchor: { row: 0, column: 0 }, focus: { row: -1, column: 0 } };
    const next = moved(from, event, { rows: rows.length, columns: table.columns.length, page });
    if (!next) return;
    event.preventDefault();
    setSelection(next);
    if (event.key !== "a") show(next.focus);
  };
  const cellAt = (event: PointerEvent): Cell | undefined => {
    const element = (event.target as Element).closest<HTMLElement>("[data-column]");
    const row = element?.closest<HTMLElement>("[data-row]")?.dataset["row"];
    return element && row !== undefined ? { row: Number(row), column: Number(element.dataset["column"]) } : undefined;
  };
  const onPointerDown = (event: PointerEvent): void => {
    const cell = event.button === 0 ? cellAt(event) : undefined;
    if (cell) setSelection((before) => ({ anchor: event.shiftKey && before ? before.anchor : cell, focus: cell }));
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (event.buttons !== 1 || !selection) return;
    const cell = cellAt(event);
    if (cell && (cell.row !== selection.focus.row || cell.column !== selection.focus.column)) setSelection({ anchor: selection.anchor, focus: cell });
  };
  const resize = useCallback((column: number, width: number) => {
    setWidths((before) => before.map((known, at) => (at === column ? Math.max(48, Math.min(1200, Math.round(width))) : known)));
  }, []);

  const focus = selection?.focus;
  const height = isInline ? Math.min(rows.length * ROW_HEIGHT + headerHeight + 14, 420) : undefined;
  return (
    <div className={isInline ? "table-inline" : "viewer-body"} style={{ height }}>
      <div
        ref={scroller}
        className="viewer-scroller table"
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={table.columns.length}
        aria-multiselectable
        aria-activedescendant={focus ? `table-${focus.row}-${focus.column}` : undefined}
        onScroll={() => {
          onScroll();
          measureAcross();
        }}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
      >
        <Header
          table={table}
          facts={facts}
          widths={widths}
          edges={edges}
          columns={columns}
          totalWidth={totalWidth}
          numberWidth={NUMBER_WIDTH}
          sort={sort}
          setSort={setSort}
          filters={filters}
          setFilter={setFilter}
          resize={resize}
        />
        <div role="presentation" className="table-rows" style={{ height: shown.height, width: totalWidth }}>
          {Array.from({ length: Math.max(0, shown.end - shown.first) }, (_, at) => {
            const place = shown.first + at;
            const isIn = block !== undefined && place >= block.top && place <= block.bottom;
            return (
              <GridRow
                key={place % pool}
                top={shown.top + at * ROW_HEIGHT}
                table={table}
                facts={facts}
                place={place}
                row={rows[place] ?? 0}
                first={columns.first}
                end={columns.end}
                edges={edges}
                block={isIn ? block : undefined}
                focusColumn={focus?.row === place ? focus.column : -1}
              />
            );
          })}
        </div>
        {rows.length === 0 && <p className="table-empty">No row fits the filter.</p>}
      </div>
    </div>
  );
}

interface GridRowProps {
  top: number;
  table: Packed;
  facts: ColumnFacts[];
  place: number;
  row: number;
  first: number;
  end: number;
  edges: number[];
  block: Block | undefined;
  focusColumn: number;
}

const GridRow = memo(function GridRow({ top, table, facts, place, row, first, end, edges, block, focusColumn }: GridRowProps): ReactElement {
  const cells: ReactElement[] = [];
  for (let column = first; column < end; column += 1) {
    const text = cellText(table, row, column, VALUE_CHARS_SHOWN);
    const isMarked = block !== undefined && column >= block.left && column <= block.right;
    cells.push(
      <div
        key={column}
        id={column === focusColumn ? `table-${place}-${column}` : undefined}
        role="gridcell"
        aria-colindex={column + 1}
        aria-selected={isMarked || undefined}
        data-column={column}
        className={`table-cell table-is-${facts[column]?.type ?? "text"}${isMarked ? " table-marked" : ""}${column === focusColumn ? " table-focus" : ""}`}
        style={{ width: (edges[column + 1] ?? 0) - (edges[column] ?? 0) }}
      >
        {hasHidden(text) ? <Shown text={text} /> : text}
      </div>,
    );
  }
  return (
    <div role="row" aria-rowindex={place + 2} data-row={place} className="table-row" style={{ transform: `translateY(${top}px)` }}>
      <div role="rowheader" className="table-number" style={{ width: NUMBER_WIDTH }}>{row + 1}</div>
      <div role="presentation" style={{ width: edges[first] ?? 0, flex: "none" }} />
      {cells}
    </div>
  );
});

function widthOf(facts: ColumnFacts, name: string): number {
  const cells = facts.widest * 7.6 + 26;
  const header = Math.min(name.length, 24) * 8.4 + 58;
  return Math.round(Math.max(72, header, Math.min(340, cells)));
}

function edgesOf(widths: readonly number[]): number[] {
  const edges = [0];
  for (const width of widths) edges.push((edges.at(-1) ?? 0) + width);
  return edges;
}
