// The result as programs get it: the structured content of an MCP client, the contract, and the envelope.
import { useMemo, useState, type ReactElement } from "react";
import { member, type Node } from "../json/json";
import { bytes, copy } from "../ui/format";
import { IconCopy } from "../ui/icons";
import { Button, ErrorNote, Spinner, toast, toastError } from "../ui/ui";
import { print } from "../json/json";
import { Shown } from "../viewers/frame";
import { JsonValue } from "../viewers/tree/viewer";
import { loadRenderings, useLoaded } from "./load";
import { readRendered, type Rendered } from "./view";

type Form = "structured" | "contract" | "envelope" | "client";

const FORMS: readonly { id: Form; label: string }[] = [
  { id: "structured", label: "structuredContent" },
  { id: "contract", label: "Contract" },
  { id: "envelope", label: "Envelope (response-v2)" },
  { id: "client", label: "Whole CallToolResult" },
];

export function StructuredTab({ callId }: { callId: string }): ReactElement {
  const loaded = useLoaded(callId, () => loadRenderings(callId, ""));
  const [form, setForm] = useState<Form>("structured");
  const rendered = useMemo(() => (loaded.state === "ready" ? pick(loaded.value, form) : undefined), [loaded, form]);
  if (loaded.state === "loading") return <Spinner label="Loading" />;
  if (loaded.state === "failed") return <ErrorNote error={loaded.error}><Button isSmall onClick={loaded.again}>Try again</Button></ErrorNote>;
  const json = rendered?.json;
  const copyAll = (): void => {
    if (json) void copy(print(json, 2)).then(() => toast("Copied"), toastError);
  };
  return (
    <div className="result-structured">
      <div className="result-row">
        <label className="result-choice">
          <span>Form</span>
          <select className="ui-input" value={form} onChange={(event) => setForm(event.target.value as Form)}>
            {FORMS.map((one) => <option key={one.id} value={one.id}>{one.label}</option>)}
          </select>
        </label>
        {rendered && rendered.bytes > 0 && <span className="ui-quiet">{bytes(rendered.bytes)}</span>}
        <span className="viewer-gap" />
        {json && <Button isSmall kind="quiet" icon={IconCopy} onClick={copyAll}>Copy JSON</Button>}
      </div>
      {json && <JsonValue key={form} node={json} label={FORMS.find((one) => one.id === form)?.label ?? form} />}
      {!json && rendered?.head !== undefined && (
        <>
          <p className="ui-quiet">It has {bytes(rendered.bytes)}; this is its beginning.</p>
          <pre className="result-text"><Shown text={rendered.head.slice(0, 20_000)} /></pre>
        </>
      )}
      {!json && rendered?.head === undefined && <p className="ui-quiet">MCP clients get no structured content of this result; its text is all there is.</p>}
    </div>
  );
}

function pick(renderings: Node, form: Form): Rendered {
  if (form !== "structured") return readRendered(member(renderings, form));
  const client = readRendered(member(renderings, "client"));
  if (!client.json) return client;
  const structured = member(client.json, "structuredContent");
  return structured ? { bytes: 0, json: structured } : { bytes: 0 };
}
