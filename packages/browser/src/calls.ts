// The calls that run in this tab: gives each handler its arguments, its signal and its progress, and
// writes what it returns, in a window when it is large.
import type { CallMessage, ToHub } from "./messages.js";
import type { Registration } from "./registry.js";
import { errorResult, resultOf } from "./result.js";
import { parseArguments, type SchemaSource } from "./schema.js";
import { framesOf, HEADER_BYTES, textOf, type Writing, writingOf } from "./stream.js";

export interface CallContext {
  /** Aborted when the caller cancels, or the connection is lost: nobody waits for the result then. */
  readonly signal: AbortSignal;
  /** Tells the caller how far it is; does nothing for a caller that did not ask. */
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** The tab that the call came to; a caller can name it. */
  readonly tab: string;
}

export type Handler<A> = (args: A, context: CallContext) => unknown;

/** A handler, and the schema that its arguments are parsed with. */
export interface Callable {
  readonly call: (args: unknown, context: CallContext) => unknown;
  readonly schema: SchemaSource | undefined;
}

export type Send = (message: ToHub, transfer?: Transferable[]) => void;

/** At most so much of one result is on its way. */
const WINDOW_BYTES = 1024 * 1024;
/** What stands around a result in its frame. */
const AROUND_BYTES = 512;

export class Calls {
  readonly #running = new Map<string, Running>();

  constructor(readonly tab: string) {}

  async run(message: CallMessage, tool: Registration<Callable> | undefined, send: Send): Promise<void> {
    const { call, name } = message;
    if (!tool) return send({ kind: "failed", call, message: `the tool ${name} is not registered any more` });
    const running = new Running();
    this.#running.set(call, running);
    const progress: CallContext["progress"] = (progress, total, text) => {
      if (message.wantsProgress && !running.signal.aborted)
        send({ kind: "progress", call, progress, total, message: text });
    };
    try {
      const writing = await writingOfCall(message, tool, { signal: running.signal, progress, tab: this.tab });
      if (!running.signal.aborted) await sendWriting(writing, message, running, send);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (!running.signal.aborted)
        send({ kind: "failed", call, message: `the result of ${name} cannot be read: ${text}` });
    }
    // Whoever names the calls may begin anew: another may have this name by now.
    if (this.#running.get(call) === running) this.#running.delete(call);
  }

  cancel(call: string, reason: string): void {
    this.#running.get(call)?.abort(reason);
  }

  cancelAll(reason: string): void {
    for (const running of this.#running.values()) running.abort(reason);
  }

  acknowledged(call: string, bytes: number): void {
    this.#running.get(call)?.acknowledge(bytes);
  }
}

async function writingOfCall(
  message: CallMessage,
  tool: Registration<Callable>,
  context: CallContext,
): Promise<Writing> {
  try {
    const args = await parseArguments(tool.handler.schema, message.arguments);
    return writingOf(resultOf(await tool.handler.call(args, context), tool.definition));
  } catch (error) {
    return writingOf(errorResult(error));
  }
}

async function sendWriting(writing: Writing, limits: CallMessage, running: Running, send: Send): Promise<void> {
  const { call } = limits;
  if (writing.size > limits.resultBytesMax) {
    const message = `the result has ${writing.size} bytes as JSON; the gateway takes ${limits.resultBytesMax}`;
    return send({ kind: "failed", call, message });
  }
  if (writing.size + AROUND_BYTES <= limits.frameBytesMax) {
    return send({ kind: "result", call, json: await textOf(writing) });
  }
  for await (const { frame, isLast } of framesOf(writing, limits.frameBytesMax)) {
    await running.room(frame.length - HEADER_BYTES);
    if (running.signal.aborted) return;
    send({ kind: "frame", call, frame, isLast }, [frame.buffer]);
  }
}

/** One call: its signal, and how much of its result is on the way. */
class Running {
  readonly #controller = new AbortController();
  #sent = 0;
  #acknowledged = 0;
  #wake: (() => void) | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: string): void {
    this.#controller.abort(new DOMException(reason, "AbortError"));
    this.#wake?.();
  }

  acknowledge(bytes: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, bytes);
    this.#wake?.();
  }

  /** Waits until so many bytes more fit into the window. */
  async room(bytes: number): Promise<void> {
    while (this.#sent - this.#acknowledged + bytes > WINDOW_BYTES && !this.signal.aborted) {
      await new Promise<void>((wake) => (this.#wake = wake));
    }
    this.#sent += bytes;
  }
}
