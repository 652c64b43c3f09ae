// What the tabs ask the gateway for, when they need it. Answers are kept for a few calls, because people go
// back and forth between results.
import { useCallback, useEffect, useState } from "react";
import { api, part, Problem, type Schemas } from "../api/client";
import { member, parse, type Node } from "../json/json";
import { readNotes, type Note } from "./view";

const KEPT_MAX = 24;
const RECORD_TRIES = 4;
const kept = new Map<string, Promise<Node>>();

export type Loaded<T> = { state: "loading" } | { state: "failed"; error: unknown; again: () => void } | { state: "ready"; value: T };

/** The record of a call, with what is read exactly. */
export interface CallRecord {
  record: Schemas["Call"];
  notes: Note[];
  args: Node | undefined;
}

function keep(key: string, make: () => Promise<Node>): Promise<Node> {
  const known = kept.get(key);
  if (known) return known;
  const made = make();
  kept.set(key, made);
  // What failed is asked for anew the next time.
  made.catch(() => kept.delete(key));
  for (const old of kept.keys()) {
    if (kept.size <= KEPT_MAX) break;
    kept.delete(old);
  }
  return made;
}

export function loadRenderings(id: string, profile: string): Promise<Node> {
  const query = profile === "" ? {} : { profile };
  return keep(`${id} ${profile}`, async () => parse(await api.text(`/api/calls/${part(id)}/renderings`, { query })));
}

/** The record is written a moment after the event that a call is over, so it is asked for more than once. */
export async function loadRecord(id: string): Promise<CallRecord> {
  for (let tries = 1; ; tries += 1) {
    try {
      const text = await api.text(`/api/calls/${part(id)}`);
      const node = parse(text);
      return { record: JSON.parse(text) as Schemas["Call"], notes: readNotes(member(node, "notes")), args: member(node, "arguments") };
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404 || tries >= RECORD_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 150 * tries));
    }
  }
}

/** Loads while `key` is given, and again when it changes. */
export function useLoaded<T>(key: string | undefined, load: () => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<{ key: string; result: Loaded<T> } | undefined>(undefined);
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    if (key === undefined) return;
    let isGone = false;
    const settle = (result: Loaded<T>): void => {
      if (!isGone) setLoaded({ key, result });
    };
    load().then(
      (value) => settle({ state: "ready", value }),
      (error: unknown) => settle({ state: "failed", error, again }),
    );
    return () => {
      isGone = true;
    };
    // The key stands for what `load` loads.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, round]);
  return loaded && loaded.key === key ? loaded.result : { state: "loading" };
}
