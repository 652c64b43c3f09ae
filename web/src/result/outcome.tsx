// The result for a person: an error in the tool's words, tables, facts and prose as what they are, and the
// files that came with it.
import { lazy, Suspense, useMemo, useState, type ReactElement } from "react";
import { print, type Node } from "../json/json";
import type { Call } from "../state/calls";
import { bytes } from "../ui/format";
import { IconBraces, IconWarning } from "../ui/icons";
import { Button, EmptyState, ErrorNote, Spinner } from "../ui/ui";
import { Shown } from "../viewers/frame";
import { targetOf } from "../viewers/markdown/links";
import { JsonValue } from "../viewers/tree/viewer";
import { member } from "../json/json";
import { FileCards } from "./files";
import { loadRenderings, useLoaded, type CallRecord } from "./load";
import { errorOf, piecesOf, readRendered, readView, textOf, type Piece, type View } from "./view";

const TableValue = lazy(async () => ({ default: (await import("../viewers/table/viewer")).TableValue }));
const MarkdownText = lazy(async () => ({ default: (await import("../viewers/markdown/viewer")).MarkdownText }));

export function OutcomeTab({ call, record }: { call: Call; record: CallRecord | undefined }): ReactElement {
  const loaded = useLoaded(call.id, () => loadRenderings(call.id, ""));
  const rendered = useMemo(() => (loaded.state === "ready" ? readRendered(member(loaded.value, "view")) : undefined), [loaded]);
  const view = useMemo(() => (rendered?.json ? readView(rendered.json) : undefined), [rendered]);
  if (loaded.state === "loading") return <Spinner label="Loading the result" />;
  if (loaded.state === "failed") return <ErrorNote error={loaded.error}><Button isSmall onClick={loaded.again}>Try again</Button></ErrorNote>;
  if (!view) return <TooLong bytesOf={rendered?.bytes ?? 0} head={rendered?.head ?? ""} call={call} record={record} />;
  const isBesideFiles = view.results.kind === "null" && view.files.length > 0;
  return (
    <div className="result-outcome">
      {view.isError && <ErrorCard results={view.results} />}
      {!view.isError && !isBesideFiles && <Results results={view.results} />}
      <FileCards files={view.files} keys={record?.record.files ?? []} primary={textOf(member(view.canvas, "primary_file"))} />
      <Links links={view.links} />
      {view.dashboard && <Dashboard dashboard={view.dashboard} />}
      <Beside view={view} />
    </div>
  );
}

function Results({ results }: { results: Node }): ReactElement {
  const pieces = useMemo(() => piecesOf(results), [results]);
  const [isTree, setTree] = useState(false);
  const canBeTree = pieces.some((piece) => piece.kind === "facts" || piece.kind === "rows");
  return (
    <div className="result-pieces">
      {isTree ? <JsonValue node={results} label="Result" /> : pieces.map((piece, at) => <PieceView key={at} piece={piece} />)}
      {canBeTree && (
        <Button isSmall kind="quiet" icon={IconBraces} className="result-as" onClick={() => setTree(!isTree)}>
          {isTree ? "Show as parts" : "Show as tree"}
        </Button>
      )}
    </div>
  );
}

function PieceView({ piece }: { piece: Piece }): ReactElement {
  switch (piece.kind) {
    case "nothing":
      return <EmptyState title="No result">The tool ended well and had nothing to say.</EmptyState>;
    case "scalar":
      return <p className={`result-scalar result-scalar-${piece.type}`}>{piece.text}</p>;
    case "text":
      return piece.text === "" ? <EmptyState title="An empty text" /> : <pre className="result-text"><Shown text={piece.text} /></pre>;
    case "markdown":
      return (
        <Suspense fallback={<pre className="result-text"><Shown text={piece.text} /></pre>}>
          <MarkdownText text={piece.text} />
        </Suspense>
      );
    case "facts":
      return <Facts members={piece.members} />;
    case "rows":
      return (
        <Named name={piece.name}>
          <Suspense fallback={<Spinner />}><TableValue rows={piece.rows} label={piece.name ?? "Result"} /></Suspense>
        </Named>
      );
    case "tree":
      return <Named name={piece.name}><JsonValue node={piece.node} label={piece.name ?? "Result"} /></Named>;
  }
}

function Named({ name, children }: { name: string | undefined; children: ReactElement }): ReactElement {
  if (name === undefined) return children;
  return (
    <div className="result-named">
      <h4 className="result-name"><Shown text={name} /></h4>
      {children}
    </div>
  );
}

function Facts({ members }: { members: [string, Node][] }): ReactElement {
  return (
    <dl className="result-facts">
      {members.map(([name, value], at) => (
        <div key={at} className="result-facts-row">
          <dt><Shown text={name} /></dt>
          <dd className={`result-value-${value.kind}`}>
            {value.kind === "string" ? <Shown text={value.value === "" ? "“”" : value.value} /> : print(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ErrorCard({ results }: { results: Node }): ReactElement {
  const { message, details } = errorOf(results);
  return (
    <div className="result-error" role="alert">
      <IconWarning size={18} />
      <div>
        <h3>The tool says that it failed</h3>
        <p className="result-error-text"><Shown text={message} /></p>
        {details && <div className="result-error-details">{piecesOf(details).map((piece, at) => <PieceView key={at} piece={piece} />)}</div>}
      </div>
    </div>
  );
}

function Links({ links }: { links: Node[] }): ReactElement | null {
  if (links.length === 0) return null;
  return (
    <section className="result-section">
      <h3>Links</h3>
      <ul className="result-links">
        {links.map((link, at) => {
          const uri = textOf(member(link, "uri")) ?? "";
          const name = textOf(member(link, "title")) ?? textOf(member(link, "name")) ?? uri;
          const target = targetOf(uri);
          return (
            <li key={at}>
              {target.kind === "web" ? (
                <a href={target.href} target="_blank" rel="noopener noreferrer" referrerPolicy="no-referrer"><Shown text={name} /></a>
              ) : (
                <span><Shown text={name} /></span>
              )}
              {name !== uri && <code className="ui-quiet"><Shown text={uri} /></code>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Dashboard({ dashboard }: { dashboard: Node }): ReactElement {
  const members: [string, Node][] = [];
  for (const name of ["title", "id", "url", "persistence", "mode"]) {
    const value = member(dashboard, name);
    if (value) members.push([name, value]);
  }
  return (
    <section className="result-section">
      <h3>Dashboard</h3>
      <Facts members={members} />
    </section>
  );
}

/** What came beside the result: facts, unknown members, and how the files wish to be shown. */
function Beside({ view }: { view: View }): ReactElement {
  const mode = textOf(member(view.canvas, "mode"));
  return (
    <>
      {view.metaData && (
        <section className="result-section">
          <h3>Facts</h3>
          {piecesOf(view.metaData).map((piece, at) => <PieceView key={at} piece={piece} />)}
        </section>
      )}
      {view.extra && (
        <section className="result-section">
          <h3>More members</h3>
          <JsonValue node={view.extra} label="More members" />
        </section>
      )}
      <p className="result-footnote">
        Written as <code>{view.dialect}</code>
        {view.files.length > 0 && mode && <> · files {mode === "replace" ? "replace what is on the canvas" : mode === "split" ? "open beside what is on the canvas" : "join what is on the canvas"}</>}
      </p>
    </>
  );
}

function TooLong({ bytesOf, head, call, record }: { bytesOf: number; head: string; call: Call; record: CallRecord | undefined }): ReactElement {
  return (
    <div className="result-outcome">
      <p className="ui-quiet">The result has {bytes(bytesOf)}; this is its beginning. All of it is under Raw, and the model got a digest.</p>
      <pre className="result-text"><Shown text={head.slice(0, 20_000)} /></pre>
      <FileCards files={[]} keys={record?.record.files ?? []} primary={undefined} />
      <p className="result-footnote">{call.server} · {call.tool}</p>
    </div>
  );
}
