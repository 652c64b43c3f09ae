// The bytes of a file on demand: a part by range, its head, or all of it. Nothing is read before it is
// asked for, and nothing is kept here.
import { api, part } from "../api/client";

export interface Source {
  size: number;
  range(start: number, end: number, signal?: AbortSignal): Promise<Uint8Array>;
  blob(signal?: AbortSignal): Promise<Blob>;
  head(max: number, signal?: AbortSignal): Promise<{ bytes: Uint8Array; isWhole: boolean }>;
}

export function sourceOfFile(key: string, size: number): Source {
  const path = `/api/files/download/${part(key)}`;
  const range = async (start: number, end: number, signal?: AbortSignal): Promise<Uint8Array> => {
    const last = Math.min(end, size) - 1;
    if (last < start) return new Uint8Array(0);
    const isAll = start === 0 && last === size - 1;
    const headers: Record<string, string> = isAll ? {} : { Range: `bytes=${start}-${last}` };
    const answer = await api.raw(path, { headers, signal });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    // A server that ignores ranges sends everything.
    return !isAll && answer.status === 200 ? bytes.subarray(start, last + 1) : bytes;
  };
  return {
    size,
    range,
    blob: async (signal) => (await api.raw(path, { signal })).blob(),
    head: async (max, signal) => ({ bytes: await range(0, Math.min(max, size), signal), isWhole: size <= max }),
  };
}

export function sourceOfBytes(bytes: Uint8Array): Source {
  const range = (start: number, end: number): Promise<Uint8Array> => Promise.resolve(bytes.subarray(start, Math.min(end, bytes.length)));
  return {
    size: bytes.length,
    range,
    blob: () => Promise.resolve(new Blob([bytes.slice()])),
    head: async (max) => ({ bytes: await range(0, max), isWhole: bytes.length <= max }),
  };
}

export function sourceOfText(text: string): Source {
  return sourceOfBytes(new TextEncoder().encode(text));
}
