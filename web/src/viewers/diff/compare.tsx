// Two versions of a file beside each other or in one text, by CodeMirror.
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useMemo, useRef, useState, type ReactElement } from "react";
import { bytes } from "../../ui/format";
import { IconColumns } from "../../ui/icons";
import { Button } from "../../ui/ui";
import { readingExtensions } from "../code/editor";
import { languageOf, loadLanguage } from "../code/language";
import { decode, type Decoded } from "../decode";
import { Bar, Failed, Remark, Waiting } from "../frame";
import { MIB } from "../limits";
import type { Source } from "../source";
import { useHead } from "../use-head";
import "./diff.css";

/** Of each version; differences of more take too long to find. */
const COMPARED_BYTES_MAX = 4 * MIB;
const COMPARISON = { scanLimit: 2000, timeout: 2000 };

export interface DiffViewProps {
  before: Source;
  after: Source;
  name: string;
  mime?: string;
  beforeLabel?: string;
  afterLabel?: string;
}

export function DiffView({ before, after, name, mime = "", beforeLabel = "Before", afterLabel = "After" }: DiffViewProps): ReactElement {
  const left = useHead(before, COMPARED_BYTES_MAX, COMPARED_BYTES_MAX);
  const right = useHead(after, COMPARED_BYTES_MAX, COMPARED_BYTES_MAX);
  const [isSplit, setSplit] = useState(true);
  const texts = useMemo(() => {
    if (left.state !== "read" || right.state !== "read") return undefined;
    return { before: decode(left.bytes, left.isWhole), after: decode(right.bytes, right.isWhole) };
  }, [left, right]);

  if (left.state === "failed") return <Failed error={left.error} />;
  if (right.state === "failed") return <Failed error={right.error} />;
  if (!texts || left.state !== "read" || right.state !== "read") return <Waiting label="Reading both versions" />;
  const isSame = texts.before.text === texts.after.text;
  return (
    <div className="viewer">
      <Bar label="Changes">
        <Button isSmall kind="quiet" icon={IconColumns} aria-pressed={isSplit} className="viewer-toggle" onClick={() => setSplit(!isSplit)}>Side by side</Button>
        <span className="viewer-count">{beforeLabel} → {afterLabel}</span>
      </Bar>
      {(!left.isWhole || !right.isWhole) && <Remark tone="wait">Only the first {bytes(COMPARED_BYTES_MAX)} of each version are compared.</Remark>}
      {(texts.before.isBinary || texts.after.isBinary) && <Remark tone="wait">This does not look like text; the bytes are compared as if it were.</Remark>}
      {isSame && <Remark>Both versions are the same.</Remark>}
      <div className="viewer-body">
        <Compared before={texts.before} after={texts.after} name={name} mime={mime} isSplit={isSplit} labels={[beforeLabel, afterLabel]} />
      </div>
    </div>
  );
}

interface ComparedProps {
  before: Decoded;
  after: Decoded;
  name: string;
  mime: string;
  isSplit: boolean;
  labels: [string, string];
}

function Compared({ before, after, name, mime, isSplit, labels }: ComparedProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const [beforeLabel, afterLabel] = labels;
  useEffect(() => {
    let view: { destroy: () => void } | undefined;
    let isGone = false;
    void loadLanguage(languageOf(name, mime)).then((support) => {
      const parent = place.current;
      if (isGone || !parent) return;
      const extensions = (label: string): Extension[] => [
        readingExtensions(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ tabindex: "0", "aria-label": `${name}, ${label}`, "aria-readonly": "true", role: "textbox", "aria-multiline": "true" }),
        search({ top: true }),
        keymap.of(searchKeymap),
        support ?? [],
      ];
      if (isSplit) {
        view = new MergeView({
          parent,
          a: { doc: before.text, extensions: extensions(beforeLabel) },
          b: { doc: after.text, extensions: extensions(afterLabel) },
          collapseUnchanged: { margin: 3, minSize: 6 },
          diffConfig: COMPARISON,
        });
      } else {
        const state = EditorState.create({
          doc: after.text,
          extensions: [
            extensions(afterLabel),
            unifiedMergeView({ original: before.text, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 }, diffConfig: COMPARISON }),
          ],
        });
        view = new EditorView({ parent, state });
      }
    });
    return () => {
      isGone = true;
      view?.destroy();
    };
  }, [before, after, name, mime, isSplit, beforeLabel, afterLabel]);
  return <div ref={place} className={isSplit ? "diff-compare diff-compare-split" : "diff-compare"} />;
}
