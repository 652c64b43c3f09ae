// What every viewer stands in: a bar with its controls and the "view as" menu, remarks below it, and the
// content that fills the rest.
import { createContext, useContext, type ReactElement, type ReactNode } from "react";
import { bytes } from "../ui/format";
import { IconChevronDown, IconDownload, IconInfo } from "../ui/icons";
import { Button, ErrorNote, IconButton, Menu, Spinner, toastError } from "../ui/ui";
import { KIND_LABELS, type ViewedFile, type ViewerKind } from "./kind";
import { pieces } from "./escapes";
import { saveFile } from "./save";
import { sourceOfText, type Source } from "./source";
import "./viewer.css";

export interface Frame {
  file: ViewedFile;
  source: Source;
  kind: ViewerKind;
  offered: ViewerKind[];
  choose: (kind: ViewerKind) => void;
  /** Says that this viewer cannot show the file, and why; another one takes over. */
  fail: (reason: string) => void;
  /** Whether the viewer stands inside of something else, and leaves out what belongs to a file. */
  isBare: boolean;
}

const NOTHING: Frame = {
  file: { key: "", name: "text", mime: "text/plain", size: 0 },
  source: sourceOfText(""),
  kind: "text",
  offered: [],
  choose: () => undefined,
  fail: () => undefined,
  isBare: true,
};

export const FrameContext = createContext<Frame>(NOTHING);

export function useFrame(): Frame {
  return useContext(FrameContext);
}

export function Bar({ children, label }: { children?: ReactNode; label: string }): ReactElement | null {
  const frame = useFrame();
  if (frame.isBare && !children) return null;
  return (
    <div className="viewer-bar" role="toolbar" aria-label={label}>
      <div className="viewer-bar-controls">{children}</div>
      {!frame.isBare && <ViewAs />}
    </div>
  );
}

function ViewAs(): ReactElement | null {
  const { kind, offered, choose } = useFrame();
  if (offered.length < 2) return null;
  const items = offered.map((one) => ({ id: one, label: KIND_LABELS[one], isChosen: one === kind, onChoose: () => choose(one) }));
  return (
    <Menu label={`View as: ${KIND_LABELS[kind]}`} groups={[items]} className="viewer-as">
      {KIND_LABELS[kind]} <IconChevronDown size={12} />
    </Menu>
  );
}

/** A quiet line that says what is not as one might think. */
export function Remark({ children, tone = "plain" }: { children: ReactNode; tone?: "plain" | "wait" }): ReactElement {
  return (
    <div className={`viewer-remark viewer-remark-${tone}`} role="note">
      <IconInfo size={14} />
      <div className="viewer-remark-text">{children}</div>
    </div>
  );
}

/** Says that only a part is shown, and offers the rest. */
export function Partial({ shown, more }: { shown: number; more?: () => void }): ReactElement | null {
  const { file, source } = useFrame();
  if (shown >= source.size) return null;
  return (
    <Remark tone="wait">
      <span>
        Shown in part: the first {bytes(shown)} of {bytes(source.size)}.
      </span>
      {more && <Button isSmall onClick={more}>Show more</Button>}
      {file.key !== "" && <Download />}
    </Remark>
  );
}

export function Download({ isIcon = false }: { isIcon?: boolean }): ReactElement {
  const { file, source } = useFrame();
  const save = (): void => void saveFile(file, source).catch((error: unknown) => toastError(error, "The download failed"));
  if (isIcon) return <IconButton icon={IconDownload} label="Download" isSmall onClick={save} />;
  return <Button isSmall icon={IconDownload} onClick={save}>Download</Button>;
}

export function Waiting({ label = "Reading the file" }: { label?: string }): ReactElement {
  return (
    <div className="viewer-waiting" role="status">
      <Spinner label={label} /> <span>{label}</span>
    </div>
  );
}

export function Failed({ error }: { error: unknown }): ReactElement {
  return (
    <div className="viewer-failed">
      <ErrorNote error={error}>
        <div className="viewer-failed-actions"><Download /></div>
      </ErrorNote>
    </div>
  );
}

/** Text of strangers: characters that would not be seen are shown as escapes. */
export function Shown({ text }: { text: string }): ReactElement {
  const found = pieces(text);
  const first = found[0];
  if (found.length <= 1 && !first?.isEscape) return <>{text}</>;
  return (
    <>
      {found.map((piece, at) => (piece.isEscape ? <span key={at} className="viewer-escape" title="a character that is not seen">{piece.text}</span> : piece.text))}
    </>
  );
}
