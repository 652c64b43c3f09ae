// A unified diff: its files, their hunks, and both sides beside each other where wished.
import { memo, useEffect, useMemo, useState, type ReactElement } from "react";
import { counted, number } from "../../ui/format";
import { IconChevronDown, IconChevronRight, IconColumns } from "../../ui/icons";
import { Badge, Button } from "../../ui/ui";
import { decode } from "../decode";
import { Bar, Failed, Partial, Shown, useFrame, Waiting } from "../frame";
import { LINE_CHARS_SHOWN, SHOWN_BYTES_MAX } from "../limits";
import { useHead } from "../use-head";
import { pairs, parseDiff, titleOf, type DiffLine, type FileDiff, type Hunk } from "./parse";
import "./diff.css";

/** So many lines are drawn at once; further files open when they are asked for. */
const LINES_OPEN_MAX = 3000;

export function DiffViewer(): ReactElement {
  const { source, fail } = useFrame();
  const head = useHead(source, SHOWN_BYTES_MAX.diff);
  const diff = useMemo(() => (head.state === "read" ? parseDiff(decode(head.bytes, head.isWhole).text) : undefined), [head]);
  const [isSplit, setSplit] = useState(false);
  const open = useMemo(() => openAtFirst(diff?.files ?? []), [diff]);

  if (head.state === "failed") return <Failed error={head.error} />;
  if (head.state === "reading" || !diff) return <Waiting />;
  if (diff.files.length === 0 && source.size > 0) return <NoDiff fail={fail} />;
  const added = diff.files.reduce((sum, file) => sum + file.added, 0);
  const removed = diff.files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <>
      <Bar label="Changes">
        <Button isSmall kind="quiet" icon={IconColumns} aria-pressed={isSplit} className="viewer-toggle" onClick={() => setSplit(!isSplit)}>Side by side</Button>
        <span className="viewer-count">{counted(diff.files.length, "file")}</span>
        <Counts added={added} removed={removed} />
      </Bar>
      <Partial shown={head.bytes.length} more={head.more} />
      <div className="viewer-body">
        <div className="diff" tabIndex={0} role="region" aria-label="Changes">
          {diff.files.length > 1 && (
            <ul className="diff-list" aria-label="Files">
              {diff.files.map((file, at) => (
                <li key={at}>
                  <button type="button" className="diff-link" onClick={() => document.getElementById(`diff-file-${at}`)?.scrollIntoView({ block: "start" })}>
                    <span className="diff-name"><Shown text={titleOf(file)} /></span>
                    <Counts added={file.added} removed={file.removed} />
                  </button>
                </li>
              ))}
            </ul>
          )}
          {diff.preamble.some((line) => line.trim() !== "") && <pre className="diff-preamble"><Shown text={diff.preamble.slice(0, 200).join("\n")} /></pre>}
          {diff.files.map((file, at) => (
            <FileChange key={at} id={`diff-file-${at}`} file={file} isSplit={isSplit} isOpenAtFirst={open.has(file)} />
          ))}
        </div>
      </div>
    </>
  );
}

function NoDiff({ fail }: { fail: (reason: string) => void }): ReactElement {
  useEffect(() => fail("There are no changes in the form of a diff in this file."), [fail]);
  return <Waiting />;
}

function Counts({ added, removed }: { added: number; removed: number }): ReactElement {
  return (
    <span className="diff-counts" aria-label={`${added} added, ${removed} removed`}>
      <span className="diff-plus">+{number(added)}</span> <span className="diff-minus">−{number(removed)}</span>
    </span>
  );
}

function openAtFirst(files: readonly FileDiff[]): ReadonlySet<FileDiff> {
  const open = new Set<FileDiff>();
  let lines = 0;
  for (const file of files) {
    lines += file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    if (lines > LINES_OPEN_MAX && open.size > 0) break;
    open.add(file);
  }
  return open;
}

interface FileChangeProps {
  id: string;
  file: FileDiff;
  isSplit: boolean;
  isOpenAtFirst: boolean;
}

const FileChange = memo(function FileChange({ id, file, isSplit, isOpenAtFirst }: FileChangeProps): ReactElement {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [hunksShown, setHunksShown] = useState(50);
  return (
    <section id={id} className="diff-file">
      <button type="button" className="diff-title" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
        <span className="diff-name"><Shown text={titleOf(file)} /></span>
        {file.status !== "changed" && <Badge tone={file.status === "added" ? "good" : file.status === "removed" ? "bad" : "plain"}>{file.status}</Badge>}
        {file.isBinary && <Badge>binary</Badge>}
        <Counts added={file.added} removed={file.removed} />
      </button>
      {isOpen && file.hunks.slice(0, hunksShown).map((hunk, at) => (isSplit ? <SplitHunk key={at} hunk={hunk} /> : <UnifiedHunk key={at} hunk={hunk} />))}
      {isOpen && file.hunks.length > hunksShown && (
        <Button isSmall kind="quiet" onClick={() => setHunksShown(hunksShown + 200)}>Show more of {counted(file.hunks.length - hunksShown, "place")}</Button>
      )}
      {isOpen && file.hunks.length === 0 && <p className="diff-nothing">{file.isBinary ? "The bytes differ." : file.remarks.join(" · ") || "Nothing changed inside."}</p>}
    </section>
  );
});

function UnifiedHunk({ hunk }: { hunk: Hunk }): ReactElement {
  return (
    <div className="diff-hunk">
      <div className="diff-header"><Shown text={hunk.header} /></div>
      {hunk.lines.map((line, at) => (
        <div key={at} className={`diff-line diff-${line.kind}`}>
          <span className="diff-number">{line.before ?? ""}</span>
          <span className="diff-number">{line.after ?? ""}</span>
          <span className="diff-sign">{signOf(line)}</span>
          <span className="diff-text"><Text line={line} /></span>
        </div>
      ))}
    </div>
  );
}

function SplitHunk({ hunk }: { hunk: Hunk }): ReactElement {
  return (
    <div className="diff-hunk">
      <div className="diff-header"><Shown text={hunk.header} /></div>
      {pairs(hunk).map((pair, at) => (
        <div key={at} className="diff-pair">
          <Side line={pair.left} number={pair.left?.before} />
          <Side line={pair.right} number={pair.right?.after} />
        </div>
      ))}
    </div>
  );
}

function Side({ line, number: place }: { line: DiffLine | undefined; number: number | undefined }): ReactElement {
  return (
    <div className={`diff-line diff-side diff-${line?.kind ?? "gap"}`}>
      <span className="diff-number">{place ?? ""}</span>
      <span className="diff-sign">{line ? signOf(line) : ""}</span>
      <span className="diff-text">{line && <Text line={line} />}</span>
    </div>
  );
}

function signOf(line: DiffLine): string {
  return { added: "+", removed: "−", same: "", note: "" }[line.kind];
}

function Text({ line }: { line: DiffLine }): ReactElement {
  const isCut = line.text.length > LINE_CHARS_SHOWN;
  return (
    <>
      <Shown text={isCut ? line.text.slice(0, LINE_CHARS_SHOWN) : line.text} />
      {isCut && <span className="diff-cut"> … {number(line.text.length)} characters</span>}
    </>
  );
}
