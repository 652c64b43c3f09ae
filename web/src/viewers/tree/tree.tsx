// A JSON tree: opened and closed by mouse and arrow keys, searched, and copied from by path or by value.
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { copy, number } from "../../ui/format";
import { IconChevronDown, IconChevronRight, IconChevronUp, IconCopy } from "../../ui/icons";
import { Button, IconButton, toast, toastError } from "../../ui/ui";
import { Bar, Shown } from "../frame";
import { useWindow } from "../use-window";
import type { Answer } from "./answer";
import type { TreeHost } from "./host";
import type { Found, Row, Sight } from "./model";
import "./tree.css";

const ROW_HEIGHT = 22;
const NOWHERE: Found = { matches: 0, isCut: false, current: 0, row: -1 };

export interface TreeProps {
  host: TreeHost;
  label: string;
  /** Whether the tree is as high as its rows, up to a height, instead of filling its place. */
  isInline?: boolean;
  onProblem?: (message: string) => void;
}

export function Tree({ host, label, isInline = false, onProblem }: TreeProps): ReactElement {
  const [sight, setSight] = useState<Sight>({ count: 0, first: 0, rows: [] });
  const [active, setActive] = useState(0);
  const [path, setPath] = useState(".");
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<Found>(NOWHERE);
  const { scroller, shown, page, onScroll, reveal } = useWindow(sight.count, ROW_HEIGHT);
  const range = useRef({ first: 0, end: 60 });
  range.current = { first: shown.first, end: Math.max(shown.end, shown.first + 60) };
  const activeRow = sight.rows[active - sight.first];

  const goTo = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    host.listen((told: Answer) => {
      switch (told.tell) {
        case "read":
          host.send({ ask: "sight", ...range.current });
          break;
        case "problem":
          onProblem?.(told.message);
          break;
        case "sight":
          setSight(told.sight);
          break;
        case "found":
          setFound(told.found);
          setSight(told.sight);
          if (told.found.row >= 0) {
            goTo.current = told.found.row;
            setActive(told.found.row);
          }
          break;
        case "parent":
          goTo.current = told.place;
          setActive(told.place);
          break;
        case "path":
          setPath(told.path);
          break;
        case "value":
          void copy(told.text).then(() => toast("Value copied"), toastError);
          break;
      }
    });
    host.send({ ask: "sight", ...range.current });
  }, [host, onProblem]);

  useLayoutEffect(() => {
    if (shown.first < sight.first || shown.end > sight.first + sight.rows.length) host.send({ ask: "sight", ...range.current });
  }, [host, shown.first, shown.end, sight]);

  useEffect(() => {
    if (goTo.current !== undefined && goTo.current < sight.count) {
      reveal(goTo.current);
      goTo.current = undefined;
    }
  }, [sight.count, active, reveal, found]);

  const activeId = activeRow?.id;
  useEffect(() => {
    if (activeId !== undefined) host.send({ ask: "path", id: activeId });
  }, [host, activeId]);

  const setOpen = useCallback((id: number, isOpen: boolean) => host.send({ ask: "open", id, isOpen, ...range.current }), [host]);
  const find = (direction: 1 | -1, text = query): void => {
    host.send({ ask: "find", query: text, direction, from: activeRow?.id ?? 0, ...range.current });
  };
  const go = (row: number): void => {
    const next = Math.max(0, Math.min(sight.count - 1, row));
    setActive(next);
    reveal(next);
  };
  const copyValue = (): void => {
    if (activeRow) host.send({ ask: "value", id: activeRow.id });
  };
  const copyPath = (): void => void copy(path).then(() => toast(`Path copied: ${path}`), toastError);

  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: sight.count - 1, PageDown: active + page, PageUp: active - page }[event.key];
    if (to !== undefined) go(to);
    else if (event.key === "ArrowRight" && activeRow?.size !== undefined) activeRow.isOpen ? go(active + 1) : setOpen(activeRow.id, true);
    else if (event.key === "ArrowLeft" && activeRow) {
      if (activeRow.isOpen && activeRow.size) setOpen(activeRow.id, false);
      else host.send({ ask: "parent", id: activeRow.id });
    } else if ((event.key === "Enter" || event.key === " ") && activeRow?.size !== undefined) setOpen(activeRow.id, !activeRow.isOpen);
    else if (event.key === "c" && (event.ctrlKey || event.metaKey) && getSelection()?.isCollapsed !== false) {
      if (event.shiftKey) copyPath();
      else copyValue();
    } else return;
    event.preventDefault();
  };

  const height = isInline ? Math.min(Math.max(sight.count, 1) * ROW_HEIGHT + 10, 480) : undefined;
  const isSmall = isInline && sight.count <= 12;
  return (
    <>
      {!isSmall && (
        <Bar label="JSON tree">
          <Search query={query} found={found} setQuery={(text) => { setQuery(text); setFound(NOWHERE); }} find={find} />
          <span className="viewer-gap" />
          <Button isSmall kind="quiet" onClick={() => host.send({ ask: "open_all", isOpen: true, ...range.current })}>Expand all</Button>
          <Button isSmall kind="quiet" onClick={() => { setActive(0); host.send({ ask: "open_all", isOpen: false, ...range.current }); }}>Collapse all</Button>
        </Bar>
      )}
      <div className={isInline ? "tree-inline" : "viewer-body"} style={{ height }}>
        <div
          ref={scroller}
          className="viewer-scroller tree"
          role="tree"
          tabIndex={0}
          aria-label={label}
          aria-activedescendant={activeRow ? `${label}-${activeRow.id}` : undefined}
          onScroll={onScroll}
          onKeyDown={onKeyDown}
        >
          <div className="viewer-rows" role="presentation" style={{ height: shown.height }}>
            <div className="viewer-rows-shown" role="presentation" style={{ transform: `translateY(${sight.first === shown.first ? shown.top : sight.first * ROW_HEIGHT}px)` }}>
              {sight.rows.map((row, at) => (
                <TreeRow
                  key={row.id}
                  id={`${label}-${row.id}`}
                  row={row}
                  place={sight.first + at}
                  isActive={sight.first + at === active}
                  isFound={found.row >= 0 && sight.first + at === found.row}
                  onChoose={setActive}
                  setOpen={setOpen}
                />
              ))}
            </div>
          </div>
        </div>
      </div>
      <div className="tree-path">
        <code className="tree-path-text" title="The way to this value, for jq"><Shown text={path} /></code>
        <IconButton icon={IconCopy} label="Copy path" isSmall onClick={copyPath} />
        <Button isSmall kind="quiet" onClick={copyValue}>Copy value</Button>
      </div>
    </>
  );
}

interface SearchProps {
  query: string;
  found: Found;
  setQuery: (query: string) => void;
  find: (direction: 1 | -1, query?: string) => void;
}

function Search({ query, found, setQuery, find }: SearchProps): ReactElement {
  const hasLooked = found !== NOWHERE;
  return (
    <>
      <input
        className="viewer-field"
        type="search"
        aria-label="Search names and values"
        placeholder="Search"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          if (event.target.value.length > 1) find(1, event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") find(event.shiftKey ? -1 : 1);
        }}
      />
      <IconButton icon={IconChevronUp} label="Previous match" isSmall disabled={query === ""} onClick={() => find(-1)} />
      <IconButton icon={IconChevronDown} label="Next match" isSmall disabled={query === ""} onClick={() => find(1)} />
      <span className="viewer-count" role="status">
        {query !== "" && hasLooked && (found.matches === 0 ? "no match" : `${number(found.current)} of ${number(found.matches)}${found.isCut ? "+" : ""}`)}
      </span>
    </>
  );
}

interface TreeRowProps {
  id: string;
  row: Row;
  place: number;
  isActive: boolean;
  isFound: boolean;
  onChoose: (place: number) => void;
  setOpen: (id: number, isOpen: boolean) => void;
}

const TreeRow = memo(function TreeRow({ id, row, place, isActive, isFound, onChoose, setOpen }: TreeRowProps): ReactElement {
  const hasInside = row.size !== undefined && row.size > 0;
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-expanded={hasInside ? row.isOpen : undefined}
      aria-selected={isActive}
      className={`tree-row${isFound ? " tree-found" : ""}`}
      style={{ paddingLeft: 8 + Math.min(row.depth, 40) * 16 }}
      onClick={() => {
        onChoose(place);
        if (hasInside) setOpen(row.id, !row.isOpen);
      }}
    >
      <span className="tree-twist">{hasInside && (row.isOpen ? <IconChevronDown size={12} /> : <IconChevronRight size={12} />)}</span>
      {row.step !== undefined && (
        <>
          <span className={typeof row.step === "number" ? "tree-place" : "tree-name"}>
            {typeof row.step === "number" ? row.step : <Shown text={row.step === "" ? '""' : row.step} />}
          </span>
          <span className="tree-colon">:</span>
        </>
      )}
      <Value row={row} />
    </div>
  );
});

function Value({ row }: { row: Row }): ReactElement {
  switch (row.kind) {
    case "object":
      return <span className="tree-size">{row.size === 0 ? "{}" : `{${row.isOpen ? "" : "…"}} ${number(row.size ?? 0)} ${row.size === 1 ? "member" : "members"}`}</span>;
    case "array":
      return <span className="tree-size">{row.size === 0 ? "[]" : `[${row.isOpen ? "" : "…"}] ${number(row.size ?? 0)} ${row.size === 1 ? "item" : "items"}`}</span>;
    case "string":
      return (
        <span className="tree-string">
          "<Shown text={row.text.replaceAll("\n", "↵").replaceAll("\t", "⇥")} />"
          {row.chars !== undefined && <span className="tree-size"> … {number(row.chars)} characters</span>}
        </span>
      );
    case "number":
      return <span className="tree-number">{row.text}</span>;
    default:
      return <span className="tree-word">{row.text}</span>;
  }
}
