import { describe, expect, it } from "vitest";
import { Bridge, type Line } from "./bridge";
import { fromBase64, linesOf, MIB, partOf, sourceOf, toBase64, TooLarge, type Place, type Source } from "./source";
import { parse, toValue, type Node } from "../src/json/json";
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
const start: Place = { from: 1, at: 0 };
const page = (value: unknown): unknown => ({ content: [{ type: "text", text: JSON.stringify(value) }] });

describe("parts of a file", () => {
  it("have addresses", () => {
    expect(partOf("resultant://files/a", "lines=1-2")).toBe("resultant://files/a?lines=1-2");
    expect(partOf(file.uri, "rows=1-2")).toBe("resultant://files/a.csv?sha256=00&rows=1-2");
  });

  it("are lines", () => {
    expect(linesOf("a\nb\nc")).toEqual(["a", "b", "c"]);
    expect(linesOf("a\r\n\nb\n\n")).toEqual(["a", "", "b", ""]);
    expect(linesOf("\n")).toEqual([""]);
    expect(linesOf("")).toEqual([]);
  });

  it("go through base64 unharmed", () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
    const text = toBase64(bytes);
    expect(text).toBe(Buffer.from(bytes).toString("base64"));
    expect(toBase64(fromBase64(text))).toBe(text);
  });
});

/** A host whose gateway gives `room` characters of these lines (or rows) at once, and then says that it is more. */
function narrow(lines: readonly string[], room: number): { source: Source; asked: string[] } {
  const { bridge, asked } = hostOf((_, params) => {
    const uri = String(params["uri"]);
    const range = /(lines|rows)=(\d+)-(\d+)$/.exec(uri);
    if (range === null) return { contents: [{ uri, text: lines.join("\n").slice(0, Number(/length=(\d+)/.exec(uri)?.[1])) }] };
    const wanted = lines.slice(Number(range[2]) - 1, Number(range[3]));
    const text = range[1] === "rows" ? `[${wanted.join(",")}]` : wanted.map((line) => `${line}\n`).join("");
    if (text.length > room) return new Error("MCP error -32602: this part has more than 1 MiB, which is too much to hand over");
    return { contents: [{ uri, text }] };
  });
  return { source: sourceOf(bridge, { serverResources: {} }, { ...file, uri: "resultant://files/a" }), asked };
}

const valuesOf = (rows: readonly Node[]): unknown[] => rows.map((row) => toValue(row));

/** All pages, one after the other. */
async function walk<Part extends { next: Place | undefined }>(read: (place: Place) => Promise<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for (let place: Place | undefined = start; place !== undefined && parts.length < 100; place = parts.at(-1)?.next) parts.push(await read(place));
  return parts;
}

describe("parts that are more than comes at once", () => {
  it("are fewer lines, and none is left out", async () => {
    const lines = Array.from({ length: 100 }, (_, at) => `${at + 1}`.padStart(9, "-"));
    const { source } = narrow(lines, 300);
    const parts = await walk((place) => source.lines(place, 50));
    expect(parts.flatMap((part) => part.lines)).toEqual(lines);
    expect(parts.map((part) => part.lines.length)).toEqual([12, 12, 12, 12, 12, 12, 28]);
  });

  it("are fewer rows", async () => {
    const rows = Array.from({ length: 30 }, (_, at) => JSON.stringify({ at, text: "x".repeat(100) }));
    const { source } = narrow(rows, 1500);
    const parts = await walk((place) => source.rows(place, 20));
    expect(valuesOf(parts.flatMap((part) => part.rows))).toEqual(rows.map((row) => toValue(parse(row))));
  });

  it("are one where two are too much", async () => {
    const { source } = narrow(["a".repeat(80), "b".repeat(80)], 100);
    const parts = await walk((place) => source.lines(place, 4));
    expect(parts.map((part) => part.lines)).toEqual([["a".repeat(80)], ["b".repeat(80)]]);
  });

  it("are the start of a file of a single line", async () => {
    const { source, asked } = narrow(["x".repeat(100_000)], 50_000);
    expect(await source.lines(start, 500)).toEqual({ lines: [], next: undefined, cut: "x".repeat(16 * 1024) });
    expect(asked.at(-1)).toBe("resources/read resultant://files/a?offset=0&length=16384");
    expect(asked.length).toBeLessThan(10);
    expect(await source.rows(start, 100)).toMatchObject({ rows: [], next: undefined, cut: "x".repeat(16 * 1024) });
  });

  it("are passed over in the middle, and it is said", async () => {
    const { source } = narrow(["a", "x".repeat(200), "c"], 100);
    const parts = await walk((place) => source.lines(place, 4));
    expect(parts.map((part) => part.cut ?? part.lines)).toEqual([["a"], "", ["c"]]);
  });

  it("are not what another error is about", async () => {
    const { bridge, asked } = hostOf(() => new Error("there is no file"));
    await expect(sourceOf(bridge, {}, file).rows(start, 100)).rejects.toThrow("there is no file");
    expect(asked).toHaveLength(1);
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

  it("may give less of a text than it has, and nothing is put in its place", async () => {
    const { bridge } = hostOf((_, params) => {
      const isFirst = String(params["uri"]).includes("offset=0&");
      return { contents: [{ uri: params["uri"], mimeType: "text/csv", text: isFirst ? "key=[redacted]," : "the end" }] };
    });
    const whole = await sourceOf(bridge, { serverResources: {} }, { ...file, size: MIB + 100 }).whole(2 * MIB);
    expect(new TextDecoder().decode(whole)).toBe("key=[redacted],the end");
  });

  it.each([0, 11])("has no part of %i bytes where 10 were asked for", async (length) => {
    const { bridge } = hostOf((_, params) => ({ contents: [{ uri: params["uri"], text: "x".repeat(length) }] }));
    const source = sourceOf(bridge, { serverResources: {} }, { ...file, size: 10 });
    await expect(source.whole(MIB)).rejects.toThrow("changed");
  });

  it("may say no", async () => {
    const { bridge } = hostOf(() => new Error("not today"));
    await expect(sourceOf(bridge, { serverResources: {} }, file).lines(start, 10)).rejects.toThrow("not today");
  });
});

describe("a host that lets tools be called only", () => {
  it("is asked by the tool that models read by, whatever it is called", async () => {
    const { bridge, asked } = hostOf((_, params) =>
      params["name"] === "files_read" ? page({ by: "rows", columns: ["a", "b"], rows: [[1, "x"]], next: { from: 2 } }) : new Error("unknown tool"),
    );
    const source = sourceOf(bridge, { serverTools: {} }, file);
    const { rows, next } = await source.rows(start, 1);
    expect(valuesOf(rows)).toEqual([{ a: 1, b: "x" }]);
    expect(next).toEqual({ from: 2, at: 0 });
    expect(asked).toEqual(["tools/call resultant_files_read", "tools/call files_read"]);
    await source.rows({ from: 2, at: 0 }, 1);
    expect(asked.slice(2)).toEqual(["tools/call files_read"]);
  });

  it("is not asked for a server's tool of the plain name, where the gateway's has the other", async () => {
    const { bridge, asked } = hostOf((_, params) =>
      params["name"] === "files_read" ? page({ by: "lines", text: "a stranger's" }) : page({ by: "lines", text: "ours" }),
    );
    expect((await sourceOf(bridge, { serverTools: {} }, file).lines(start, 10)).lines).toEqual(["ours"]);
    expect(asked).toEqual(["tools/call resultant_files_read"]);
  });

  it.each(["unknown tool: resultant_files_read", '"a text"', '{"from": "elsewhere"}'])("may answer for a tool that is not there with %s", async (text) => {
    const { bridge } = hostOf((_, params) =>
      params["name"] === "files_read" ? page({ by: "lines", text: "ours" }) : { content: [{ type: "text", text }], isError: true },
    );
    expect((await sourceOf(bridge, { serverTools: {} }, file).lines(start, 10)).lines).toEqual(["ours"]);
  });

  it("goes on where the tool says, also inside of a long line", async () => {
    const asked: unknown[] = [];
    const { bridge } = hostOf((_, params) => {
      const { from, at, count } = params["arguments"] as Record<string, number>;
      asked.push([from, at, count]);
      if (from === 1) return page({ by: "lines", from, to: 2, of: 5, next: { from: 3 }, text: "a\n" });
      if (from === 3 && at === undefined) return page({ by: "lines", from, to: 3, of: 5, next: { from: 3, at: 4 }, text: "long" });
      if (from === 3) return page({ by: "lines", from, at, to: 3, of: 5, next: { from: 4 }, text: "er" });
      return page({ by: "lines", from, to: 5, of: 5, text: "d\ne" });
    });
    const source = sourceOf(bridge, { serverTools: {} }, file);
    const parts = await walk((place) => source.lines(place, 500));
    expect(parts.map((part) => part.cut ?? part.lines)).toEqual([["a", ""], "long", "er", ["d", "e"]]);
    expect(asked).toEqual([[1, undefined, 500], [3, undefined, 500], [3, 4, 1], [4, undefined, 500]]);
  });

  it("has nothing beyond the end, and of a long row the start", async () => {
    const { bridge } = hostOf((_, params) => {
      const { by } = params["arguments"] as Record<string, unknown>;
      if (by === "lines") return page({ by, from: 6, to: 5, of: 5, text: "" });
      return page({ by, from: 1, to: 1, of: 2, next: { from: 2 }, columns: ["a"], cut: { bytes: 90_000, start: '{"a":"x' } });
    });
    const source = sourceOf(bridge, { serverTools: {} }, file);
    expect(await source.lines({ from: 9, at: 0 }, 500)).toEqual({ lines: [], next: undefined, cut: undefined });
    expect(await source.rows(start, 100)).toEqual({ rows: [], next: { from: 2, at: 0 }, cut: '{"a":"x' });
  });

  it("is believed when it says why not", async () => {
    const { bridge } = hostOf(() => page({ error: "there is no file" }));
    const source = sourceOf(bridge, { serverTools: {} }, file);
    await expect(source.lines(start, 1)).rejects.toThrow("there is no file");
    await expect(source.whole(1)).rejects.toThrow(TooLarge);
  });
});
