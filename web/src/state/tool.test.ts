import { expect, it } from "vitest";
import { member } from "../json/json";
import { readTools } from "./tool";

it("reads tools, and keeps the digits of their schemas", () => {
  const text = `{"items":[
    {"name":"demo_find","server":"demo","server_name":"find","definition":{"description":"Finds","inputSchema":{"default":12345678901234567890},
      "annotations":{"title":"Find it","readOnlyHint":true,"destructiveHint":true},"_meta":{"ui":{"resourceUri":"ui://x","visibility":["app"]}}}},
    {"name":"broken"}, 7
  ]}`;
  const tools = readTools(text);
  expect(tools).toHaveLength(1);
  expect(tools[0]).toMatchObject({
    id: "demo/find",
    title: "Find it",
    isReadOnly: true,
    isDestructive: false,
    app: "ui://x",
    isForAppOnly: true,
  });
  expect(member(tools[0]?.inputSchema, "default")).toEqual({ kind: "number", text: "12345678901234567890" });
  expect(readTools("{}")).toEqual([]);
});
