// The React hooks in a real browser, in StrictMode, against a peer that shows every frame.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Stage } from "./fixture/react.js";
import type { Peer, Told } from "./support/peer.js";
import { withPeer } from "./support/with-peer.js";

let peer: Peer;
let page: Page;
withPeer(async (parts) => {
  peer = parts.peer;
  page = await parts.context.newPage();
  await page.goto(`${parts.site.url}/react.html`);
  await page.waitForFunction(() => "setStage" in window);
});

const show = (stage: Omit<Stage, "url">) =>
  page.evaluate((stage) => window.setStage(stage), { url: peer.url, ...stage });
const said = async (name: string, args = {}) => (await peer.call(name, args).answer).result?.content[0]?.["text"];
const status = (text: string) =>
  page.waitForFunction((text) => document.querySelector("output")?.textContent === text, text);
const frames = (type: string) => peer.told.filter((frame) => frame.type === type);
const toolOf = (frame: Told) => frame["tool"] as { name: string; inputSchema: { properties: object } };

/** Everything that was said before this has come. */
async function settled(stage: Omit<Stage, "url">): Promise<void> {
  await show({ ...stage, tools: [...stage.tools, { key: "mark", name: "mark", answer: "" }] });
  await peer.registered("mark");
}

test("a mounted tool is registered once, also in StrictMode, and goes with its component", async () => {
  await show({ tools: [{ key: "1", name: "weather", answer: "sunny" }] });
  await status("connected as local");
  await peer.registered("weather");
  expect(await said("weather", { city: "Bergen" })).toBe('sunny {"city":"Bergen"}');
  await settled({ tools: [{ key: "1", name: "weather", answer: "sunny" }] });
  expect(frames("register").map((frame) => toolOf(frame).name)).toEqual(["weather", "mark"]);
  expect(frames("unregister")).toEqual([]);
  await show({ tools: [] });
  await peer.heard((frame) => frame.type === "unregister" && frame["name"] === "weather");
});

test("a new handler is called and is no reason to register again", async () => {
  await show({ tools: [{ key: "1", name: "weather", answer: "sunny", zod: true }] });
  await peer.registered("weather");
  await settled({ tools: [{ key: "1", name: "weather", answer: "rainy", zod: true }] });
  expect(await said("weather")).toBe('rainy {"city":"nowhere"}');
  expect(frames("register").filter((frame) => toolOf(frame).name === "weather")).toHaveLength(1);
});

test("a changed schema replaces the definition in one step", async () => {
  await show({ tools: [{ key: "1", name: "weather", answer: "sunny" }] });
  await peer.registered("weather");
  await show({ tools: [{ key: "1", name: "weather", answer: "sunny", field: "country" }] });
  await peer.heard((frame) => frame.type === "register" && "country" in toolOf(frame).inputSchema.properties);
  expect(frames("unregister")).toEqual([]);
});

test("a tool that two components have stays until both are gone", async () => {
  const [one, two] = [
    { key: "1", name: "weather", answer: "one" },
    { key: "2", name: "weather", answer: "two" },
  ];
  await show({ tools: [one, two] });
  await peer.registered("weather");
  expect(await said("weather")).toBe("one {}");
  await settled({ tools: [two] });
  expect(await said("weather")).toBe("two {}");
  expect(frames("unregister")).toEqual([]);
  expect(frames("register")).toHaveLength(2);
  await show({ tools: [] });
  await peer.heard((frame) => frame.type === "unregister" && frame["name"] === "weather");
});

test("a tool that is not enabled is not there", async () => {
  await settled({ tools: [{ key: "1", name: "weather", answer: "sunny", enabled: false }] });
  expect(frames("register").map((frame) => toolOf(frame).name)).toEqual(["mark"]);
  await show({ tools: [{ key: "1", name: "weather", answer: "sunny", enabled: true }] });
  await peer.registered("weather");
});

test("another token is shown on the same connection, and the status follows", async () => {
  await show({ token: "anna:1", tools: [] });
  await status("connected as anna");
  const before = peer.connections;
  await show({ token: "anna:2", tools: [] });
  await peer.heard((frame) => frame.type === "token" && frame["token"] === "anna:2");
  await status("connected as anna");
  expect(peer.connections).toBe(before);
  await peer.stop();
  await status("reconnecting");
  await peer.start();
  await status("connected as anna");
});
