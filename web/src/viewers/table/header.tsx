// The header of a table: names that sort, edges that can be dragged, and a filter per column.
import { memo, type KeyboardEvent, type PointerEvent, type ReactElement } from "react";
import { IconArrowDown, IconArrowUp } from "../../ui/icons";
import { Shown } from "../frame";
import type { ColumnFacts, ColumnType, Sort } from "./order";
import type { Packed } from "./packed";

export interface HeaderProps {
  table: Packed;
  facts: ColumnFacts[];
  widths: number[];
  edges: number[];
  columns: { first: number; end: number };
  totalWidth: number;
  numberWidth: number;
  sort: Sort | undefined;
  setSort: (sort: Sort | undefined) => void;
  filters: ReadonlyMap<number, string>;
  setFilter: ((column: number, text: string) => void) | undefined;
  resize: (column: number, width: number) => void;
}

const TYPE_SIGNS: Readonly<Record<ColumnType, string>> = { number: "123", date: "date", boolean: "y/n", text: "abc", empty: "" };
const FILTER_HINTS: Readonly<Record<ColumnType, string>> = { number: "> 10", date: "> 2025", boolean: "true", text: "contains", empty: "contains" };

export const Header = memo(function Header(props: HeaderProps): ReactElement {
  const { table, facts, widths, edges, columns, totalWidth, numberWidth, sort, setSort, filters, setFilter, resize } = props;
  const shown = Array.from({ length: Math.max(0, columns.end - columns.first) }, (_, at) => columns.first + at);
  const before = <div role="presentation" style={{ width: edges[columns.first] ?? 0, flex: "none" }} />;
  return (
    <div className="table-head" role="rowgroup" style={{ width: totalWidth }}>
      <div role="row" aria-rowindex={1} className="table-head-row">
        <div role="columnheader" className="table-number" style={{ width: numberWidth }}>
          <span className="ui-hidden">Row</span>
        </div>
        {before}
        {shown.map((column) => (
          <Name
            key={column}
            name={table.columns[column] ?? ""}
            column={column}
            width={widths[column] ?? 0}
            type={facts[column]?.type ?? "text"}
            direction={sort?.column === column ? (sort.isDescending ? "descending" : "ascending") : "none"}
            setSort={setSort}
            resize={resize}
          />
        ))}
      </div>
      {setFilter && (
        <div role="row" className="table-head-row">
          <div role="gridcell" className="table-number" style={{ width: numberWidth }} />
          {before}
          {shown.map((column) => (
            <div key={column} role="gridcell" className="table-filter" style={{ width: widths[column] }}>
              <input
                className="table-filter-field"
                aria-label={`Filter ${table.columns[column] ?? ""}`}
                placeholder={FILTER_HINTS[facts[column]?.type ?? "text"]}
                value={filters.get(column) ?? ""}
                onChange={(event) => setFilter(column, event.target.value)}
              />
            </div>
          ))}
        </div>
      )}
    </div>
  );
});

interface NameProps {
  name: string;
  column: number;
  width: number;
  type: ColumnType;
  direction: "ascending" | "descending" | "none";
  setSort: (sort: Sort | undefined) => void;
  resize: (column: number, width: number) => void;
}

function Name({ name, column, width, type, direction, setSort, resize }: NameProps): ReactElement {
  const next: Sort | undefined = direction === "none" ? { column, isDescending: false } : direction === "ascending" ? { column, isDescending: true } : undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    const change = event.altKey ? { ArrowLeft: -16, ArrowRight: 16 }[event.key] : undefined;
    if (change === undefined) return;
    event.preventDefault();
    resize(column, width + change);
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    const edge = event.currentTarget;
    const start = event.clientX;
    edge.setPointerCapture(event.pointerId);
    edge.onpointermove = (move) => resize(column, width + move.clientX - start);
    edge.onpointerup = () => {
      edge.onpointermove = null;
      edge.onpointerup = null;
    };
  };
  return (
    <div role="columnheader" aria-colindex={column + 1} aria-sort={direction} className="table-name" style={{ width }}>
      <button
        type="button"
        className="table-name-button"
        title={`${name} (${type}) — click to sort, Alt+Left and Alt+Right change the width`}
        onClick={() => setSort(next)}
        onKeyDown={onKeyDown}
      >
        <span className="table-name-text"><Shown text={name} /></span>
        {direction === "ascending" && <IconArrowUp size={12} />}
        {direction === "descending" && <IconArrowDown size={12} />}
        {direction === "none" && <span className="table-type" aria-hidden="true">{TYPE_SIGNS[type]}</span>}
      </button>
      <div className="table-edge" aria-hidden="true" onPointerDown={onPointerDown} />
    </div>
  );
}
