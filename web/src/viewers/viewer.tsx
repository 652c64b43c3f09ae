// Shows a file with the viewer it needs, which is loaded when it is needed. A viewer that fails or refuses
// is replaced by a plainer one, and the person is told why.
import { Component, lazy, Suspense, useCallback, useMemo, useState, type ComponentType, type ReactElement, type ReactNode } from "react";
import { bytes } from "../ui/format";
import { Download, Failed, FrameContext, Remark, Waiting, type Frame } from "./frame";
import { chooseKind, isStaged, isTextual, KIND_LABELS, offeredKinds, type ViewedFile, type ViewerKind } from "./kind";
import { SHOWN_BYTES_MAX } from "./limits";
import type { Source } from "./source";
import "./viewer.css";

export type { ViewedFile, ViewerKind } from "./kind";
export { sourceOfBytes, sourceOfFile, sourceOfText, type Source } from "./source";

const Stage = lazy(async () => ({ default: (await import("./stage")).Stage }));
const CodeViewer = lazy(async () => ({ default: (await import("./code/viewer")).CodeViewer }));
const LogViewer = lazy(async () => ({ default: (await import("./log/viewer")).LogViewer }));
const TreeViewer = lazy(async () => ({ default: (await import("./tree/viewer")).TreeViewer }));
const TableViewer = lazy(async () => ({ default: (await import("./table/viewer")).TableViewer }));
const MarkdownViewer = lazy(async () => ({ default: (await import("./markdown/viewer")).MarkdownViewer }));
const DiffViewer = lazy(async () => ({ default: (await import("./diff/viewer")).DiffViewer }));
const HexViewer = lazy(async () => ({ default: (await import("./hex/viewer")).HexViewer }));

const VIEWERS: Partial<Record<ViewerKind, ComponentType>> = {
  code: CodeViewer, text: CodeViewer, log: LogViewer, json: TreeViewer, table: TableViewer, markdown: MarkdownViewer,
  diff: DiffViewer, hex: HexViewer,
};

export interface ViewerProps {
  file: ViewedFile;
  source: Source;
  hint?: string;
}

export function Viewer(props: ViewerProps): ReactElement {
  // Another file starts anew, with its own viewer and without the troubles of the last one.
  return <OneViewer key={`${props.file.key}\n${props.file.name}\n${props.file.sha256 ?? ""}`} {...props} />;
}

function OneViewer({ file, source, hint }: ViewerProps): ReactElement {
  const natural = useMemo(() => chooseKind(file, hint), [file, hint]);
  const [wished, setWished] = useState<ViewerKind | undefined>(undefined);
  const [failures, setFailures] = useState<ReadonlyMap<ViewerKind, string>>(new Map());
  const asked = wished ?? natural;
  const kind = settle(asked, source.size, failures);
  const refusal = kind === asked ? undefined : (failures.get(asked) ?? tooLarge(asked, source.size));

  const choose = useCallback((next: ViewerKind) => {
    setFailures(new Map());
    setWished(next);
  }, []);
  const fail = useCallback(
    (reason: string) => setFailures((before) => (before.has(kind) ? before : new Map(before).set(kind, reason))),
    [kind],
  );
  const frame = useMemo<Frame>(
    () => ({ file, source, kind, offered: offeredKinds(natural, file), choose, fail, isBare: false }),
    [file, source, kind, natural, choose, fail],
  );
  const Inner = VIEWERS[kind];
  return (
    <FrameContext value={frame}>
      <section className="viewer" aria-label={`${file.name}, ${KIND_LABELS[kind]}`} data-viewer={kind}>
        {refusal && (
          <Remark tone="wait">
            <span>
              {refusal} Shown as {KIND_LABELS[kind].toLowerCase()} instead.
            </span>
            <Download />
          </Remark>
        )}
        <Boundary key={kind} onError={(error) => fail(`The viewer failed: ${error.message}.`)} isLast={kind === "hex"}>
          <Suspense fallback={<Waiting label="Loading the viewer" />}>
            {isStaged(kind) ? (
              <Stage file={file} source={source} kind={kind} />
            ) : (
              Inner && <Inner />
            )}
          </Suspense>
        </Boundary>
      </section>
    </FrameContext>
  );
}

/** The viewer that is left when some failed or the file is too large for them. */
function settle(kind: ViewerKind, size: number, failures: ReadonlyMap<ViewerKind, string>): ViewerKind {
  for (const candidate of [kind, ...(isTextual(kind) && kind !== "svg" ? (["text"] as const) : []), "hex" as const]) {
    if (!failures.has(candidate) && tooLarge(candidate, size) === undefined) return candidate;
  }
  return "hex";
}

/** Text is read in parts, so it is never too large; what must be whole may be. */
function tooLarge(kind: ViewerKind, size: number): string | undefined {
  const limit = SHOWN_BYTES_MAX[kind];
  if (size <= limit || (!isStaged(kind) && kind !== "json")) return undefined;
  return `The file has ${bytes(size)}; up to ${bytes(limit)} can be shown as ${KIND_LABELS[kind].toLowerCase()}.`;
}

interface BoundaryProps {
  onError: (error: Error) => void;
  /** Whether nothing plainer is left, so that the error itself is shown. */
  isLast: boolean;
  children: ReactNode;
}

class Boundary extends Component<BoundaryProps, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error instanceof Error ? error : new Error(String(error)));
  }

  override render(): ReactNode {
    if (!this.state.error) return this.props.children;
    return this.props.isLast ? <Failed error={this.state.error} /> : null;
  }
}
