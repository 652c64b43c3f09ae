// CodeMirror for reading: colours by class, search, folding, and characters that are not seen made
// visible. All colours come from variables, so that both themes need one set of rules.
import { closeSearchPanel, highlightSelectionMatches, openSearchPanel, search, searchKeymap, searchPanelOpen } from "@codemirror/search";
import { defaultKeymap } from "@codemirror/commands";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { useEffect, useRef, type ReactElement, type RefObject } from "react";
import { nonce } from "../../ui/trusted";
import { escapeOf, hiddenExpression } from "../escapes";
import { languageNamed, languageOf, loadLanguage } from "./language";
import "./code.css";

const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  // In whole pixels, since the column of numbers takes over no others.
  ".cm-content": { padding: "6px 0" },
  ".cm-line": { padding: "0 0.75rem 0 0.4rem" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--quiet)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.6rem", padding: "0 0.3rem 0 0.5rem" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer", width: "1rem" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--hover)", border: "none", color: "var(--quiet)", padding: "0 0.4em" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 22%, transparent)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" },
  ".cm-searchMatch": { backgroundColor: "var(--wait-soft)", outline: "1px solid var(--wait)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--wait) 35%, transparent)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "none" },
  ".cm-panels": { backgroundColor: "var(--card)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "0.3rem 0.5rem", fontFamily: "var(--font)" },
  ".cm-panel.cm-search label": { fontSize: "var(--size-small)" },
  ".cm-panel.cm-search [name=close]": { color: "var(--quiet)", cursor: "pointer" },
  ".cm-textfield": {
    backgroundColor: "var(--card)", border: "1px solid var(--line-strong)", borderRadius: "var(--radius-small)", padding: "0.15rem 0.4rem",
    fontSize: "var(--size-small)",
  },
  ".cm-button": {
    backgroundImage: "none", backgroundColor: "var(--card)", border: "1px solid var(--line)", borderRadius: "var(--radius-small)",
    fontSize: "var(--size-small)", cursor: "pointer",
  },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
});

/** A hidden character as the escape it is shown by. */
function escapeElement(code: number): HTMLElement {
  const element = document.createElement("span");
  element.className = "viewer-escape";
  element.textContent = escapeOf(String.fromCodePoint(code));
  element.title = "a character that is not seen";
  return element;
}

/** What every read-only editor has, also those that show differences. */
export function readingExtensions(): Extension[] {
  const secret = nonce();
  return [
    ...(secret === "" ? [] : [EditorView.cspNonce.of(secret)]),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    THEME,
    lineNumbers(),
    highlightSpecialChars({ specialChars: hiddenExpression(), render: escapeElement }),
    syntaxHighlighting(classHighlighter),
    drawSelection(),
  ];
}

export interface EditorProps {
  text: string;
  label: string;
  name?: string;
  mime?: string;
  /** A language by its name, for a text that is no file; none at all for "". */
  language?: string;
  isWrapped?: boolean;
  view?: RefObject<EditorView | null>;
}

export function Editor({ text, label, name = "", mime = "", language, isWrapped = false, view }: EditorProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const own = useRef<EditorView | null>(null);
  const wrapping = useRef(new Compartment());

  useEffect(() => {
    if (!place.current) return;
    const coloring = new Compartment();
    const editor = new EditorView({
      parent: place.current,
      doc: text,
      extensions: [
        readingExtensions(),
        // Not editable, but with a cursor for the keyboard: reading goes line by line, and search starts there.
        EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": "true", role: "textbox", "aria-multiline": "true" }),
        wrapping.current.of(isWrapped ? EditorView.lineWrapping : []),
        coloring.of([]),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        bracketMatching(),
        codeFolding(),
        foldGutter(),
        search({ top: true }),
        keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
      ],
    });
    own.current = editor;
    if (view) view.current = editor;
    let isGone = false;
    void loadLanguage(language === undefined ? languageOf(name, mime) : languageNamed(language)).then((support) => {
      if (support && !isGone) editor.dispatch({ effects: coloring.reconfigure(support) });
    });
    return () => {
      isGone = true;
      editor.destroy();
      own.current = null;
      if (view) view.current = null;
    };
    // Wrapping is changed in place below; a new text is a new editor.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [text, label, name, mime, language]);

  useEffect(() => {
    own.current?.dispatch({ effects: wrapping.current.reconfigure(isWrapped ? EditorView.lineWrapping : []) });
  }, [isWrapped]);

  return <div ref={place} className="code-fill" />;
}

export function toggleSearch(editor: EditorView | null): void {
  if (!editor) return;
  if (searchPanelOpen(editor.state)) closeSearchPanel(editor);
  else openSearchPanel(editor);
}
