// What the server answered, to the byte. The first part is pulled when the tab is opened, the rest only when
// asked for, and never more than a page can hold.
import { lazy, Suspense, useMemo, useState, type ReactElement } from "react";
import { api, part, type Schemas } from "../api/client";
import { parse, print } from "../json/json";
import { bytes } from "../ui/format";
import { IconDownload } from "../ui/icons";
import { Button, EmptyState, ErrorNote, Spinner, toastError } from "../ui/ui";
import { isTooLong } from "../viewers/code/broken-lines";
import { decode } from "../viewers/decode";
import { MIB } from "../viewers/limits";
import { saveBlob } from "../viewers/save";
import { useLoaded } from "./load";

const LongText = lazy(async () => ({ default: (await import("../viewers/code/long-text")).LongText }));
const Editor = lazy(async () => ({ default: (await import("../viewers/code/editor")).Editor }));

const HEAD_BYTES = 256 * 1024;
const ALL_BYTES_MAX = 64 * MIB;
const PRETTY_BYTES_MAX = 4 * MIB;

export function RawTab({ callId, record }: { callId: string; record: Schemas["Call"] | undefined }): ReactElement {
  const [isAll, setAll] = useState(false);
  const hasRaw = record?.has_raw;
  const loaded = useLoaded(hasRaw === false ? undefined : `${callId} ${isAll}`, () => readHead(callId, isAll ? ALL_BYTES_MAX : HEAD_BYTES));
  if (hasRaw === false) return <EmptyState title="Nothing to show">What the server answered was not kept.</EmptyState>;
  if (loaded.state === "loading") return <Spinner label="Loading what the server answered" />;
  if (loaded.state === "failed") return <ErrorNote error={loaded.error}><Button isSmall onClick={loaded.again}>Try again</Button></ErrorNote>;
  return <Raw callId={callId} head={loaded.value} total={record?.bytes_in ?? 0} loadAll={isAll ? undefined : () => setAll(true)} />;
}

interface Head {
  bytes: Uint8Array;
  isWhole: boolean;
}

function Raw({ callId, head, total, loadAll }: { callId: string; head: Head; total: number; loadAll: (() => void) | undefined }): ReactElement {
  const [isPretty, setPretty] = useState(true);
  const plain = useMemo(() => decode(head.bytes, head.isWhole).text, [head]);
  const canBePretty = head.isWhole && head.bytes.length <= PRETTY_BYTES_MAX;
  const pretty = useMemo(() => (canBePretty && isPretty ? prettyOf(plain) : undefined), [plain, canBePretty, isPretty]);
  const text = pretty ?? plain;
  const isLong = useMemo(() => isTooLong(text), [text]);
  const save = (): void => {
    api
      .raw(`/api/calls/${part(callId)}/raw`)
      .then(async (answer) => saveBlob(await answer.blob(), `${callId}.json`))
      .catch((error: unknown) => toastError(error, "The download failed"));
  };
  return (
    <div className="result-raw">
      <div className="result-row">
        <label className="result-check">
          <input type="checkbox" checked={isPretty && canBePretty} disabled={!canBePretty} onChange={(event) => setPretty(event.target.checked)} /> Pretty
        </label>
        <span className="ui-quiet">
          {head.isWhole ? bytes(head.bytes.length) : `Shown in part: the first ${bytes(head.bytes.length)}${total > head.bytes.length ? ` of ${bytes(total)}` : ""}`}
        </span>
        {!head.isWhole && loadAll && <Button isSmall onClick={loadAll}>{total > ALL_BYTES_MAX ? `Load ${bytes(ALL_BYTES_MAX)}` : "Load all"}</Button>}
        <span className="viewer-gap" />
        <Button isSmall kind="quiet" icon={IconDownload} onClick={save}>Download</Button>
      </div>
      <div className="result-text-box result-raw-box">
        <Suspense fallback={<Spinner />}>
          {isLong ? (
            <LongText text={text} label="What the server answered" />
          ) : (
            <Editor text={text} label="What the server answered" language="json" isWrapped />
          )}
        </Suspense>
      </div>
    </div>
  );
}

function prettyOf(text: string): string | undefined {
  try {
    return print(parse(text), 2);
  } catch {
    return undefined;
  }
}

/** Reads the beginning of the answer and lets go of the rest. */
async function readHead(callId: string, max: number): Promise<Head> {
  const answer = await api.raw(`/api/calls/${part(callId)}/raw`);
  const reader = answer.body?.getReader();
  if (!reader) return { bytes: new Uint8Array(await answer.arrayBuffer()), isWhole: true };
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joined(parts, length), isWhole: true };
    parts.push(value);
    length += value.length;
    if (length > max) break;
  }
  await reader.cancel();
  return { bytes: joined(parts, length).subarray(0, max), isWhole: false };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const one of parts) {
    all.set(one, at);
    at += one.length;
  }
  return all;
}
