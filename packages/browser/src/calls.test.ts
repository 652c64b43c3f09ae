import { expect, test } from "vitest";
import { Calls, type Callable } from "./calls.js";
import type { CallMessage, ToHub } from "./messages.js";
import type { Registration } from "./registry.js";

const message: CallMessage = {
  kind: "call",
  call: "1",
  name: "tool",
  arguments: {},
  wantsProgress: true,
  frameBytesMax: 262_144,
  resultBytesMax: 1_000_000,
};

function toolOf(call: Callable["call"]): Registration<Callable> {
  const definition = { name: "tool", description: "", inputSchema: {} };
  return { definition, handler: { call, schema: undefined } };
}

test("a call that was given up is not taken for a later one of the same number", async () => {
  const calls = new Calls("tab");
  const sent: ToHub[] = [];
  const send = (message: ToHub) => void sent.push(message);
  let endOld: (value: string) => void = () => undefined;
  // It does not heed its signal, and ends when the gateway was started again and counts anew.
  const old = calls.run(message, toolOf(() => new Promise((end) => (endOld = end))), send);
  await Promise.resolve();
  calls.cancelAll("the connection was lost");
  let signal: AbortSignal | undefined;
  const next = calls.run(
    message,
    toolOf((_args, context) => {
      signal = context.signal;
      return new Promise((_end, fail) => context.signal.addEventListener("abort", () => fail(new Error("aborted"))));
    }),
    send,
  );
  await new Promise((turn) => setTimeout(turn));
  endOld("too late");
  await old;
  expect(sent).toEqual([]);
  expect(signal?.aborted).toBe(false);
  calls.cancel("1", "nobody waits");
  await next;
  expect(signal?.aborted).toBe(true);
  expect(sent).toEqual([]);
});

test("progress after the end of a call is not said", async () => {
  const calls = new Calls("tab");
  const sent: ToHub[] = [];
  let late: (progress: number) => void = () => undefined;
  const running = calls.run(
    message,
    toolOf((_args, { progress, signal }) => {
      late = progress;
      progress(1);
      return new Promise((end) => signal.addEventListener("abort", end));
    }),
    (message) => void sent.push(message),
  );
  await new Promise((turn) => setTimeout(turn));
  calls.cancel("1", "nobody waits");
  late(2);
  await running;
  expect(sent.map((message) => message.kind)).toEqual(["progress"]);
});
