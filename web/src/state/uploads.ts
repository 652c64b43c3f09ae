// Uploads with their progress, a few at a time. They go by XMLHttpRequest, which alone tells how much was sent.

import { addressOf, part, problemFrom, token, type Schemas } from "../api/client";
import { toast, toastError } from "../ui/toast";
import { createStore } from "./store";
import { refreshFiles, workspace } from "./workspace";

const AT_ONCE_MAX = 3;
const STAY_MS = 1500;

export interface Upload {
  id: number;
  name: string;
  sent: number;
  total: number;
  error?: string;
  cancel: () => void;
}

export const uploads = createStore<{ uploads: Upload[] }>({ uploads: [] });

let count = 0;
let going = 0;
const waiting: (() => void)[] = [];

/** Uploads files to the session; gives those that are there in the end. */
export async function upload(files: Iterable<File>): Promise<Schemas["File"][]> {
  const { session, settings } = workspace.get();
  const max = settings.limits.upload_bytes_max;
  const made = await Promise.all(
    [...files].map(async (file) => {
      if (max !== undefined && file.size > max) {
        toast(`${file.name} is too large to upload`, { kind: "bad" });
        return null;
      }
      return uploadOne(session, file).catch((error: unknown) => {
        toastError(error, `${file.name} was not uploaded`);
        return null;
      });
    }),
  );
  await refreshFiles();
  return made.filter((file) => file !== null);
}

async function uploadOne(session: string, file: File): Promise<Schemas["File"]> {
  count += 1;
  const id = count;
  const request = new XMLHttpRequest();
  const change = (how: Partial<Upload>): void =>
    uploads.set((state) => ({ uploads: state.uploads.map((one) => (one.id === id ? { ...one, ...how } : one)) }));
  const forget = (): void => uploads.set((state) => ({ uploads: state.uploads.filter((one) => one.id !== id) }));
  const entry: Upload = { id, name: file.name, sent: 0, total: file.size, cancel: () => request.abort() };
  uploads.set((state) => ({ uploads: [...state.uploads, entry] }));
  await turn();
  try {
    const made = await send(request, session, file, (sent) => change({ sent }));
    change({ sent: file.size });
    setTimeout(forget, STAY_MS);
    return made;
  } catch (error) {
    forget();
    throw error;
  } finally {
    going -= 1;
    waiting.shift()?.();
  }
}

function send(
  request: XMLHttpRequest,
  session: string,
  file: File,
  onSent: (sent: number) => void,
): Promise<Schemas["File"]> {
  return new Promise((resolve, reject) => {
    request.open("PUT", addressOf(`/api/sessions/${part(session)}/files/${part(file.name)}`));
    const known = token.get();
    if (known) request.setRequestHeader("Authorization", `Bearer ${known}`);
    request.setRequestHeader("Accept", "application/json");
    if (file.type) request.setRequestHeader("Content-Type", file.type);
    request.upload.addEventListener("progress", (event) => onSent(event.loaded));
    request.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    request.addEventListener("error", () => reject(new Error("The gateway does not answer.")));
    request.addEventListener("load", () => {
      const said: unknown = readJson(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(said as Schemas["File"]);
      else reject(problemFrom(said, request.status));
    });
    request.send(file);
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Waits until fewer than the most are going. */
async function turn(): Promise<void> {
  if (going >= AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  going += 1;
}
