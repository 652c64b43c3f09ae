// A log: its lines by level, filtered, with terminal colours. Long lines are cut in the list; the chosen
// line is shown whole below it.
import { memo, useDeferredValue, useEffect, useMemo, useState, type KeyboardEvent, type ReactElement } from "react";
import { IconArrowDown, IconClose, IconCopy } from "../../ui/icons";
import { copy, number } from "../../ui/format";
import { Button, IconButton, toast, toastError } from "../../ui/ui";
import { decode } from "../decode";
import { Bar, Failed, Partial, Shown, useFrame, Waiting } from "../frame";
import { LINE_CHARS_SHOWN, SHOWN_BYTES_MAX } from "../limits";
import { useHead } from "../use-head";
import { useWindow } from "../use-window";
import { ansiRuns, withoutStyles, type Style } from "./ansi";
import { chooseLines, countLevels, LEVELS, readLog, type Level, type LogLine } from "./lines";
import "./log.css";

const ROW_HEIGHT = 20;

export function LogViewer(): ReactElement {
  const { source } = useFrame();
  const head = useHead(source, SHOWN_BYTES_MAX.log);
  const lines = useMemo(() => (head.state === "read" ? readLog(decode(head.bytes, head.isWhole).text) : []), [head]);
  if (head.state === "failed") return <Failed error={head.error} />;
  if (head.state === "reading") return <Waiting />;
  return <Log lines={lines} shown={head.bytes.length} more={head.more} />;
}

function Log({ lines, shown: shownBytes, more }: { lines: LogLine[]; shown: number; more: (() => void) | undefined }): ReactElement {
  const { file } = useFrame();
  const [hidden, setHidden] = useState<ReadonlySet<Level | undefined>>(new Set());
  const [query, setQuery] = useState("");
  const [isFollowing, setFollowing] = useState(false);
  const [active, setActive] = useState(-1);
  const wanted = useDeferredValue(query);
  const counts = useMemo(() => countLevels(lines), [lines]);
  const chosen = useMemo(() => chooseLines(lines, hidden, wanted), [lines, hidden, wanted]);
  const { scroller, shown, page, onScroll, reveal } = useWindow(chosen.length, ROW_HEIGHT);

  useEffect(() => {
    if (isFollowing) reveal(chosen.length - 1);
  }, [isFollowing, chosen.length, reveal]);

  const go = (place: number): void => {
    const next = Math.max(0, Math.min(chosen.length - 1, place));
    setActive(chosen[next] ?? -1);
    reveal(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = chosen.indexOf(active);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: chosen.length - 1, PageDown: at + page, PageUp: at - page }[event.key];
    if (event.key === "Escape") setActive(-1);
    if (to === undefined) return;
    event.preventDefault();
    setFollowing(false);
    go(to);
  };
  const toggle = (level: Level | undefined): void => {
    const next = new Set(hidden);
    if (!next.delete(level)) next.add(level);
    setHidden(next);
  };
  const levels = [...LEVELS, undefined].filter((level) => counts.has(level));

  return (
    <>
      <Bar label="Log">
        {levels.length > 1 &&
          levels.map((level) => (
            <button
              key={level ?? "other"}
              type="button"
              className={`log-level log-level-${level ?? "other"}`}
              aria-pressed={!hidden.has(level)}
              onClick={() => toggle(level)}
            >
              {level ?? "other"} <span className="log-level-count">{number(counts.get(level) ?? 0)}</span>
            </button>
          ))}
        <input
          className="viewer-field"
          type="search"
          aria-label="Only lines with this text"
          placeholder="Filter lines"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <span className="viewer-count" role="status">
          {chosen.length === lines.length ? `${number(lines.length)} lines` : `${number(chosen.length)} of ${number(lines.length)} lines`}
        </span>
        <span className="viewer-gap" />
        <Button isSmall kind="quiet" icon={IconArrowDown} aria-pressed={isFollowing} className="viewer-toggle" onClick={() => setFollowing(!isFollowing)}>
          Follow end
        </Button>
      </Bar>
      <Partial shown={shownBytes} more={more} />
      <div className="viewer-body">
        <div
          ref={scroller}
          className="viewer-scroller log"
          tabIndex={0}
          role="listbox"
          aria-label={`Lines of ${file.name}`}
          aria-activedescendant={active >= 0 ? `log-line-${active}` : undefined}
          onScroll={onScroll}
          onWheel={() => setFollowing(false)}
          onKeyDown={onKeyDown}
        >
          <div className="viewer-rows" role="presentation" style={{ height: shown.height }}>
            <div className="viewer-rows-shown" role="presentation" style={{ transform: `translateY(${shown.top}px)` }}>
              {chosen.slice(shown.first, shown.end).map((line) => (
                <Line key={line} line={line} entry={lines[line] as LogLine} isActive={line === active} onChoose={setActive} />
              ))}
            </div>
          </div>
        </div>
      </div>
      {active >= 0 && lines[active] && <Chosen line={active} entry={lines[active]} close={() => setActive(-1)} />}
    </>
  );
}

interface LineProps {
  line: number;
  entry: LogLine;
  isActive: boolean;
  onChoose: (line: number) => void;
}

const Line = memo(function Line({ line, entry, isActive, onChoose }: LineProps): ReactElement {
  return (
    <div
      id={`log-line-${line}`}
      role="option"
      aria-selected={isActive}
      className={`log-line log-line-${entry.level ?? "other"}`}
      onClick={() => onChoose(line)}
    >
      <span className="log-number">{line + 1}</span>
      <span className="log-text">
        <Styled text={entry.text.slice(0, LINE_CHARS_SHOWN)} />
        {entry.text.length > LINE_CHARS_SHOWN && <span className="log-cut">… {number(entry.text.length)} characters</span>}
      </span>
    </div>
  );
});

function Styled({ text }: { text: string }): ReactElement {
  return (
    <>
      {ansiRuns(text).map((run, at) => {
        const name = classOf(run.style);
        return name === "" ? <Shown key={at} text={run.text} /> : <span key={at} className={name}><Shown text={run.text} /></span>;
      })}
    </>
  );
}

function classOf(style: Style): string {
  const names: string[] = [];
  if (style.ink !== undefined) names.push(`log-ink-${style.ink % 8}`);
  if (style.ground !== undefined) names.push("log-ground");
  if (style.isBold) names.push("log-bold");
  if (style.isFaint) names.push("log-faint");
  if (style.isItalic) names.push("log-italic");
  if (style.isUnderlined) names.push("log-underlined");
  return names.join(" ");
}

function Chosen({ line, entry, close }: { line: number; entry: LogLine; close: () => void }): ReactElement {
  const plain = withoutStyles(entry.text);
  const copyLine = (): void => void copy(plain).then(() => toast("Line copied"), toastError);
  return (
    <div className="log-chosen" role="region" aria-label={`Line ${line + 1}`}>
      <pre className="log-chosen-text"><Styled text={entry.text.slice(0, 100_000)} /></pre>
      <IconButton icon={IconCopy} label="Copy line" isSmall onClick={copyLine} />
      <IconButton icon={IconClose} label="Close" isSmall onClick={close} />
    </div>
  );
}
