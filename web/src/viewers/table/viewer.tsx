// Tables: CSV, TSV, JSON rows and JSON lines. Reading, sorting and filtering happen in a worker.
import { useDeferredValue, useEffect, useMemo, useRef, useState, type ReactElement } from "react";
import type { Node } from "../../json/json";
import { counted, number } from "../../ui/format";
import { IconDownload } from "../../ui/icons";
import { Button, IconButton, toast } from "../../ui/ui";
import { Bar, Failed, Partial, Remark, useFrame, Waiting } from "../frame";
import { essenceOf, extensionOf, type ViewedFile } from "../kind";
import { SHOWN_BYTES_MAX } from "../limits";
import { saveBlob } from "../save";
import { useHead } from "../use-head";
import type { Format } from "./answer";
import { csvParts } from "./export";
import { Grid } from "./grid";
import { hostHere, hostInWorker, type TableHost } from "./host";
import type { ColumnFacts, Sort } from "./order";
import { rowCount, type Packed } from "./packed";
import { readRows } from "./records";
import "./table.css";

export function formatOf(file: Pick<ViewedFile, "mime" | "name">): Format {
  const type = essenceOf(file.mime);
  const extension = extensionOf(file.name);
  if (/jsonl|ndjson|json-?lines/.test(type) || extension === "jsonl" || extension === "ndjson") return "lines";
  if (/json/.test(type) || extension === "json") return "json";
  return type === "text/tab-separated-values" || extension === "tsv" || extension === "tab" ? "tsv" : "csv";
}

interface Opened {
  host: TableHost;
  table: Packed;
  facts: ColumnFacts[];
}

export function TableViewer(): ReactElement {
  const { file, source, fail } = useFrame();
  const head = useHead(source, SHOWN_BYTES_MAX.table, SHOWN_BYTES_MAX.table);
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  const bytes = head.state === "read" ? head.bytes : undefined;
  const isCut = head.state === "read" && !head.isWhole;

  useEffect(() => {
    if (!bytes) return;
    const host = hostInWorker();
    host.listen((told) => {
      if (told.tell === "problem") fail(told.message);
      if (told.tell === "read") setOpened({ host, table: told.table, facts: told.facts });
    });
    host.send({ ask: "read", bytes, format: formatOf(file), isCut });
    return () => {
      setOpened(undefined);
      host.close();
    };
  }, [bytes, isCut, file, fail]);

  if (head.state === "failed") return <Failed error={head.error} />;
  if (!opened) return <Waiting label="Reading the table" />;
  return <Table {...opened} label={file.name} shownBytes={head.state === "read" ? head.bytes.length : 0} />;
}

/** The rows of a value that is already here, in the flow of a page. */
export function TableValue({ rows, label }: { rows: readonly Node[]; label: string }): ReactElement {
  const opened = useMemo(() => {
    const host = hostHere(readRows(rows));
    return { host, table: host.model.table, facts: host.model.facts };
  }, [rows]);
  return (
    <div className="table-box">
      <Table {...opened} label={label} isInline />
    </div>
  );
}

interface TableProps extends Opened {
  label: string;
  shownBytes?: number;
  isInline?: boolean;
}

function Table({ host, table, facts, label, shownBytes, isInline = false }: TableProps): ReactElement {
  const total = rowCount(table);
  const [sort, setSort] = useState<Sort | undefined>(undefined);
  const [anywhere, setAnywhere] = useState("");
  const [filters, setFilters] = useState<ReadonlyMap<number, string>>(new Map());
  const [hasFilters, setHasFilters] = useState(false);
  const { rows, isWorking } = useArranged(host, total, sort, useDeferredValue(anywhere), useDeferredValue(filters));
  const setFilter = useMemo(
    () => (column: number, text: string) =>
      setFilters((before) => {
        const next = new Map(before);
        if (text === "") next.delete(column);
        else next.set(column, text);
        return next;
      }),
    [],
  );
  const clear = (): void => {
    setAnywhere("");
    setFilters(new Map());
  };
  const save = (): void => {
    const columns = table.columns.map((_, column) => column);
    const name = `${label.replace(/\.[^.]*$/, "") || "table"}${rows.length === total ? "" : "-filtered"}.csv`;
    saveBlob(new Blob(["\ufeff", ...csvParts(table, { rows, columns })], { type: "text/csv" }), name);
    toast(`${counted(rows.length, "row")} exported`, { detail: "Cells that a spreadsheet would run as a formula begin with an apostrophe." });
  };
  const isSmall = isInline && total <= 12;
  return (
    <>
      {!isSmall && (
        <Bar label="Table">
          <input
            className="viewer-field"
            type="search"
            aria-label="Only rows with these words"
            placeholder="Filter rows"
            value={anywhere}
            onChange={(event) => setAnywhere(event.target.value)}
          />
          <Button isSmall kind="quiet" className="viewer-toggle" aria-pressed={hasFilters} onClick={() => setHasFilters(!hasFilters)}>Column filters</Button>
          {(filters.size > 0 || anywhere !== "") && <Button isSmall kind="quiet" onClick={clear}>Clear</Button>}
          <span className="viewer-count" role="status">
            {rows.length === total ? counted(total, "row") : `${number(rows.length)} of ${counted(total, "row")}`} × {number(table.columns.length)}
            {isWorking ? " …" : ""}
          </span>
          <span className="viewer-gap" />
          <IconButton isSmall icon={IconDownload} label="Export CSV" onClick={save} />
        </Bar>
      )}
      {shownBytes !== undefined && <Partial shown={shownBytes} />}
      {table.remarks.length > 0 && <Remark>{table.remarks.join(" ")}</Remark>}
      {table.columns.length === 0 ? (
        <p className="table-empty">The table is empty.</p>
      ) : (
        <Grid
          table={table}
          facts={facts}
          rows={rows}
          label={label}
          sort={sort}
          setSort={setSort}
          filters={filters}
          setFilter={hasFilters ? setFilter : undefined}
          isInline={isInline}
        />
      )}
    </>
  );
}

/** The rows to show; those of before stay until the worker has the new ones. */
function useArranged(
  host: TableHost,
  total: number,
  sort: Sort | undefined,
  anywhere: string,
  filters: ReadonlyMap<number, string>,
): { rows: Uint32Array; isWorking: boolean } {
  const [rows, setRows] = useState(() => Uint32Array.from({ length: total }, (_, row) => row));
  const [answered, setAnswered] = useState(0);
  const turn = useRef(0);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    host.listen((told) => {
      if (told.tell !== "arranged" || told.turn !== turn.current) return;
      setRows(told.rows as Uint32Array<ArrayBuffer>);
      setAnswered(told.turn);
    });
  }, [host]);
  useEffect(() => {
    if (turn.current === 0 && !sort && anywhere === "" && filters.size === 0) return;
    turn.current += 1;
    setAsked(turn.current);
    host.send({ ask: "arrange", turn: turn.current, sort, anywhere, byColumn: [...filters] });
  }, [host, sort, anywhere, filters]);
  return { rows, isWorking: answered !== asked };
}
