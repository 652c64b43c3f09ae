import { expect, it } from "vitest";
import { scoreOf, search } from "./fuzzy";

const tools = [
  { name: "sales_report", title: "The year's report", description: "Makes a report with charts" },
  { name: "sales_export", title: "Export the sales", description: "As CSV" },
  { name: "weather", title: "Weather at a station", description: "Wind and rain" },
  { name: "sign_guest_book", title: "Sign the guest book", description: "Asks for your name" },
  { name: "getHttpLog", title: "Log", description: "Requests" },
];
const find = (query: string): string[] =>
  search(query, tools, (tool) => [
    { text: tool.name, weight: 1.2 },
    { text: tool.title, weight: 1 },
    { text: tool.description, weight: 0.4, isProse: true },
  ]).map((tool) => tool.name);

it("finds words, initials and skipped letters in the order one expects", () => {
  expect(find("")).toHaveLength(tools.length);
  expect(find("weather")).toEqual(["weather"]);
  expect(find("sr")[0]).toBe("sales_report");
  expect(find("sgb")).toEqual(["sign_guest_book"]);
  expect(find("report sales")).toEqual(["sales_report"]);
  expect(find("csv")).toEqual(["sales_export"]);
  expect(find("SALES")).toEqual(["sales_report", "sales_export"]);
  expect(find("ghl")[0]).toBe("getHttpLog");
  expect(find("wethr")).toEqual(["weather"]);
});

it("finds nothing where there is nothing", () => {
  expect(find("zebra")).toEqual([]);
  expect(find("weather zebra")).toEqual([]);
  expect(find("har")).toEqual([]);
  expect(scoreOf("sal", "A customer's loyalty card")).toBeNull();
  expect(scoreOf("xyz", "a".repeat(200))).toBeNull();
});

it("prefers the start of a word", () => {
  expect(scoreOf("port", "port")).toBeGreaterThan(scoreOf("port", "report") ?? 0);
});
