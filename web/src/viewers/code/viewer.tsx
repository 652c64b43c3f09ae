// Code and plain text.
import type { EditorView } from "@codemirror/view";
import { useMemo, useRef, useState, type ReactElement } from "react";
import { IconSearch } from "../../ui/icons";
import { Button, IconButton } from "../../ui/ui";
import { number } from "../../ui/format";
import { decode } from "../decode";
import { Bar, Failed, Partial, Remark, useFrame, Waiting } from "../frame";
import { SHOWN_BYTES_MAX } from "../limits";
import { useHead } from "../use-head";
import { isTooLong } from "./broken-lines";
import { Editor, toggleSearch } from "./editor";
import { LongText } from "./long-text";

export function CodeViewer(): ReactElement {
  const { file, source, kind } = useFrame();
  const head = useHead(source, SHOWN_BYTES_MAX.code);
  const [isChosenWrapped, setWrapped] = useState<boolean>();
  const view = useRef<EditorView | null>(null);
  const decoded = useMemo(() => (head.state === "read" ? decode(head.bytes, head.isWhole) : undefined), [head]);
  const isLong = useMemo(() => (decoded ? isTooLong(decoded.text) : false), [decoded]);
  const lines = useMemo(() => (decoded ? countLines(decoded.text) : 0), [decoded]);
  const isWrapped = isChosenWrapped ?? kind === "text";

  if (head.state === "failed") return <Failed error={head.error} />;
  if (head.state === "reading" || !decoded) return <Waiting />;
  return (
    <>
      <Bar label={kind === "text" ? "Text" : "Code"}>
        {!isLong && (
          <>
            <IconButton icon={IconSearch} label="Search (Ctrl+F)" isSmall onClick={() => toggleSearch(view.current)} />
            <Button isSmall kind="quiet" aria-pressed={isWrapped} className="viewer-toggle" onClick={() => setWrapped(!isWrapped)}>
              {isWrapped ? "Lines wrapped" : "Wrap lines"}
            </Button>
          </>
        )}
        <span className="viewer-count">
          {number(lines)} {lines === 1 ? "line" : "lines"}
          {decoded.encoding === "utf-8" ? "" : ` · ${decoded.encoding.toUpperCase()}`}
        </span>
      </Bar>
      <Partial shown={head.bytes.length} more={head.more} />
      {decoded.isBinary && <Remark>This does not look like text. What is no text is shown as �.</Remark>}
      {isLong && <Remark>There are very long lines; they are broken here, without colours and search.</Remark>}
      <div className="viewer-body">
        {isLong ? (
          <LongText text={decoded.text} label={file.name} />
        ) : (
          <Editor
            text={decoded.text}
            label={file.name}
            name={file.name}
            mime={file.mime}
            language={kind === "text" ? "" : undefined}
            isWrapped={isWrapped}
            view={view}
          />
        )}
      </div>
    </>
  );
}

function countLines(text: string): number {
  if (text === "") return 0;
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
