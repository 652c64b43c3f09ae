// What an MCP App may do: which origins it may reach, by what its resource declares, and which tools it may call,
// by what the tools declare. Both are checked again by the gateway; here so that nothing is even asked.

import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Schemas } from "../api/client";
import { member, type Node } from "../json/json";
import type { Tool } from "../state/tool";

export interface AppCsp {
  connectDomains?: string[];
  resourceDomains?: string[];
  frameDomains?: string[];
  baseUriDomains?: string[];
}

/** The longest answer of a server that an app is given as it is. */
export const APP_RESULT_BYTES_MAX = 16 * 1024 * 1024;

const DOMAINS_MAX = 50;
const SCHEMES: Record<keyof AppCsp, RegExp> = {
  connectDomains: /^(https|wss)$/,
  resourceDomains: /^https$/,
  frameDomains: /^https$/,
  baseUriDomains: /^https$/,
};

/**
 * The usable part of a declaration. What is no plain origin of a public host over TLS is left out, as the gateway
 * leaves it out of the policy: the shell goes by this, and must not think that an app has what the policy forbids.
 */
export function readCsp(declared: unknown, ours: readonly string[]): AppCsp {
  const csp: AppCsp = {};
  if (typeof declared !== "object" || declared === null) return csp;
  for (const key of Object.keys(SCHEMES) as (keyof AppCsp)[]) {
    const list: unknown = Reflect.get(declared, key);
    if (!Array.isArray(list)) continue;
    const domains = list.flatMap((each: unknown) => domainOf(each, SCHEMES[key], ours)).slice(0, DOMAINS_MAX);
    if (domains.length > 0) csp[key] = [...new Set(domains)];
  }
  return csp;
}

/** An origin, perhaps with a wildcard as its first label (`https://*.example.com`) and with a port. */
const ORIGIN = /^([a-z]+):\/\/(\*\.)?((?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63})(:[0-9]+)?\/?$/i;
const NAME_LENGTH_MAX = 253;

function domainOf(value: unknown, schemes: RegExp, ours: readonly string[]): string[] {
  const parts = typeof value === "string" ? ORIGIN.exec(value) : null;
  if (!parts) return [];
  const scheme = parts[1]!.toLowerCase();
  const name = parts[3]!.toLowerCase();
  const address = `${scheme}://${name}${parts[4] ?? ""}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // A name that is a number to a browser is read as another one.
  const isPlain = schemes.test(scheme) && url?.hostname === name && url.port !== "0";
  const isPublic = /[a-z][^.]*$/.test(name) && !/\.(localhost|local)$/.test(name) && name.length <= NAME_LENGTH_MAX;
  if (!isPlain || !isPublic || ours.some((own) => new URL(own).host === url.host)) return [];
  return [`${scheme}://${parts[2] ?? ""}${url.host}`];
}

/** Why an app of `server` may not call a tool; nothing where it may. */
export function refusalOfCall(tools: readonly Tool[], server: string, name: string): string | undefined {
  const tool = tools.find((each) => each.server === server && each.name === name);
  if (!tool) return `The server ${server} has no tool ${name}.`;
  const visibility = member(member(member(tool.definition, "_meta"), "ui"), "visibility");
  if (visibility?.kind !== "array") return undefined;
  const isForApps = visibility.items.some((each: Node) => each.kind === "string" && each.value === "app");
  return isForApps ? undefined : `The tool ${name} is not for apps.`;
}

/** What an app gets in place of a result that is too large: what a model gets, and why it is no more. */
export function insteadOfResult(renderings: Pick<Schemas["Renderings"], "seen">): CallToolResult {
  const mib = APP_RESULT_BYTES_MAX / 1024 / 1024;
  const why = `The server's answer is larger than the ${mib} MiB that an app is given. This is what a model gets of it.`;
  const { lanes } = renderings.seen;
  const seen = lanes.find((lane) => lane.lane === "content") ?? lanes[0];
  return { content: [why, seen?.text ?? ""].map((text) => ({ type: "text", text })) };
}

/** Whether a link that an app wants opened can be asked about at all. */
export function linkOf(address: unknown): URL | undefined {
  if (typeof address !== "string") return undefined;
  try {
    const url = new URL(address);
    return url.protocol === "https:" || url.protocol === "http:" || url.protocol === "mailto:" ? url : undefined;
  } catch {
    return undefined;
  }
}
