// The head of a file as it is read further: first a part, then more when the person asks for it.
import { useCallback, useEffect, useState } from "react";
import { TEXT_BYTES_MAX } from "./limits";
import type { Source } from "./source";

export type Head =
  | { state: "reading" }
  | { state: "failed"; error: unknown }
  | { state: "read"; bytes: Uint8Array; isWhole: boolean; more: (() => void) | undefined; isReadingMore: boolean };

export function useHead(source: Source, step: number, max = TEXT_BYTES_MAX): Head {
  const [wanted, setWanted] = useState(step);
  const [read, setRead] = useState<{ source: Source; bytes: Uint8Array } | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const known = read?.source === source ? read.bytes : undefined;

  useEffect(() => {
    const end = Math.min(wanted, source.size);
    const have = known?.length ?? 0;
    if (known && have >= end) return;
    const stop = new AbortController();
    setError(undefined);
    source.range(have, end, stop.signal).then(
      (bytes) => {
        if (!stop.signal.aborted) setRead({ source, bytes: known ? joined(known, bytes) : bytes });
      },
      (problem: unknown) => {
        if (!stop.signal.aborted) setError(problem);
      },
    );
    return () => stop.abort();
  }, [source, wanted, known]);

  const more = useCallback(() => setWanted((before) => Math.min(before + step, max)), [step, max]);
  if (error !== undefined) return { state: "failed", error };
  if (!known) return { state: "reading" };
  const isWhole = known.length >= source.size;
  return {
    state: "read",
    bytes: known,
    isWhole,
    more: isWhole || wanted >= max ? undefined : more,
    isReadingMore: known.length < Math.min(wanted, source.size),
  };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
