import { describe, expect, it } from "vitest";
import { Bridge, type Line } from "./bridge";
import { fromBase64, linesOf, partOf, sourceOf, toBase64, TooLarge } from "./source";
import type { ShownFile } from "./shown";

type Answer = (method: string, params: Record<string, unknown>) => unknown;

/** A host that answers at once, and remembers what it was asked. */
function hostOf(answer: Answer): { bridge: Bridge; asked: string[] } {
  const asked: string[] = [];
  let take: (message: unknown) => void = () => {};
  const line: Line = {
    listen: (listener) => (take = listener),
    post: (message) => {
      const { id, method, params } = message as { id: number; method: string; params: Record<string, unknown> };
      asked.push(`${method} ${String(params["uri"] ?? params["name"])}`);
      const result = answer(method, params);
      const error = result instanceof Error ? { error: { code: -1, message: result.message } } : { result };
      queueMicrotask(() => take({ jsonrpc: "2.0", id, ...error }));
    },
  };
  return { bridge: new Bridge(line, () => {}), asked };
}

const file: ShownFile = { uri: "resultant://files/a.csv?sha256=00", name: "a.csv", mime: "text/csv", size: 2_500_000, page: undefined };
const page = (value: unknown): unknown => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

describe("parts of a file", () => {
  it("have addresses", () => {
    expect(partOf("resultant://files/a", "lines=1-2")).toBe("resultant://files/a?lines=1-2");
    expect(partOf(file.uri, "rows=1-2")).toBe("resultant://files/a.csv?sha256=00&rows=1-2");
  });

  it("are lines, and whether more follow", () => {
    expect(linesOf("a\nb\nc\n", 2)).toEqual({ lines: ["a", "b"], isLast: false });
    expect(linesOf("a\r\nb\n", 2)).toEqual({ lines: ["a", "b"], isLast: true });
    expect(linesOf("", 2)).toEqual({ lines: [""], isLast: true });
  });

  it("go through base64 unharmed", () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
    const text = toBase64(bytes);
    expect(text).toBe(Buffer.from(bytes).toString("base64"));
    expect(toBase64(fromBase64(text))).toBe(text);
  });
});

describe("a host that lets resources be read", () => {
  it("is asked for one part after the other, and never for more than was allowed", async () => {
    const { bridge, asked } = hostOf((_, params) => {
      const length = Number(/length=(\d+)/.exec(String(params["uri"]))?.[1]);
      return { contents: [{ uri: params["uri"], mimeType: "text/csv", text: "x".repeat(length) }] };
    });
    const source = sourceOf(bridge, { serverResources: {} }, file);
    expect((await source.whole(4_000_000)).length).toBe(2_500_000);
    expect(asked).toHaveLength(3);
    await expect(source.whole(2_000_000)).rejects.toThrow(TooLarge);
    expect(asked).toHaveLength(3);
  });

  it("may say no", async () => {
    const { bridge } = hostOf(() => new Error("not today"));
    await expect(sourceOf(bridge, { serverResources: {} }, file).lines(1, 10)).rejects.toThrow("not today");
  });
});

describe("a host that lets tools be called only", () => {
  it("is asked by the tool that models read by, whatever it is called", async () => {
    const { bridge, asked } = hostOf((_, params) =>
      params["name"] === "files_read" ? new Error("unknown tool") : page({ by: "rows", columns: ["a", "b"], rows: [[1, "x"]], next: { from: 2 } }),
    );
    const rows = await sourceOf(bridge, { serverTools: {} }, file).rows(1, 1);
    expect(rows).toEqual({ text: '[{"a":1,"b":"x"}]', isLast: false });
    expect(asked).toEqual(["tools/call files_read", "tools/call resultant_files_read"]);
  });

  it("is believed when it says why not", async () => {
    const { bridge } = hostOf(() => page({ error: "there is no file" }));
    const source = sourceOf(bridge, { serverTools: {} }, file);
    await expect(source.lines(1, 1)).rejects.toThrow("there is no file");
    await expect(source.whole(1)).rejects.toThrow(TooLarge);
  });
});
