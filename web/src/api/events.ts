// Server-sent events by fetch, because EventSource cannot carry a token in a header. A stream that breaks is
// taken up again where it was, after a pause that grows; one that is silent for too long counts as broken.

import { api, Problem } from "./client";

export interface StreamEvent {
  id: string | null;
  type: string;
  data: string;
}

export type StreamState = "connecting" | "open" | "waiting" | "over";

/** Longer than the gateway's signs of life are apart. */
const SILENCE_MS_MAX = 60_000;
const PAUSE_MS_MIN = 400;
const PAUSE_MS_MAX = 5000;

/** Takes text in pieces, gives events as they become whole. */
export class EventDecoder {
  private rest = "";
  private id: string | null = null;
  private type = "";
  private data: string[] = [];

  push(text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.line(line);
      if (event) events.push(event);
    }
    return events;
  }

  private line(line: string): StreamEvent | null {
    if (line === "") {
      const event =
        this.data.length > 0 ? { id: this.id, type: this.type || "message", data: this.data.join("\n") } : null;
      this.id = null;
      this.type = "";
      this.data = [];
      return event;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.data.push(value);
    else if (field === "event") this.type = value;
    else if (field === "id") this.id = value;
    return null;
  }
}

/** Reads an answer's events to their end; `onLife` is told of every piece that comes. */
export async function readEvents(
  answer: Response,
  onEvent: (event: StreamEvent) => void,
  onLife: () => void = () => undefined,
): Promise<void> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  const decoder = new EventDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onLife();
    for (const event of decoder.push(value)) onEvent(event);
  }
}

export interface ListenOptions {
  /** The number of the last event that is known; without it the stream starts with what happens next. */
  after?: string;
  onEvent: (event: StreamEvent) => void;
  onState?: (state: StreamState) => void;
  /** The stream will not come back: the session is gone, or nobody is signed in. */
  onOver?: (problem: Problem) => void;
}

/** Follows a stream until it is closed; gives what closes it. */
export function listen(path: string, options: ListenOptions): () => void {
  const stop = new AbortController();
  void follow(path, options, stop.signal);
  return () => stop.abort();
}

async function follow(path: string, options: ListenOptions, stopped: AbortSignal): Promise<void> {
  let last = options.after;
  let failures = 0;
  while (!stopped.aborted) {
    const state = (value: StreamState): void => {
      if (!stopped.aborted) options.onState?.(value);
    };
    state(failures === 0 ? "connecting" : "waiting");
    const watch = new Silence(stopped);
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (last !== undefined) headers["Last-Event-ID"] = last;
      const answer = await api.raw(path, { headers, signal: watch.signal });
      state("open");
      failures = 0;
      const onEvent = (event: StreamEvent): void => {
        if (stopped.aborted) return;
        if (event.id !== null) last = event.id;
        options.onEvent(event);
      };
      await readEvents(answer, onEvent, () => watch.heard());
    } catch (error) {
      if (stopped.aborted) return;
      if (error instanceof Problem && [401, 403, 404].includes(error.status)) {
        state("over");
        options.onOver?.(error);
        return;
      }
    } finally {
      watch.end();
    }
    if (stopped.aborted) return;
    failures += 1;
    state("waiting");
    await pause(pauseMs(failures, Math.random()), stopped);
  }
}

/** Twice as long each time, within bounds, and not the same for everybody. */
export function pauseMs(failures: number, chance: number): number {
  const full = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** (failures - 1));
  return Math.round(full * (0.5 + chance / 2));
}

/** Ends after the time, or as soon as there is a reason to try again. */
function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      document.removeEventListener("visibilitychange", done);
      stopped.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    document.addEventListener("visibilitychange", done);
    stopped.addEventListener("abort", done);
  });
}

/** Gives up a connection on which nothing was heard for too long. */
class Silence {
  private readonly broken = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  readonly signal: AbortSignal;

  constructor(stopped: AbortSignal) {
    this.signal = AbortSignal.any([stopped, this.broken.signal]);
    this.heard();
  }

  heard(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.broken.abort(), SILENCE_MS_MAX);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
