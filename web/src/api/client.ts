// Asks the gateway, with the token of this tab. Paths are as the OpenAPI document has them (`/api/…`) and
// are taken relative to the page, which may stand below a path. The token is for this tab alone.

import type { components } from "./schema";

export type Schemas = components["schemas"];

const TOKEN = "resultant.token";

/** What went wrong, in the gateway's words where it had some. */
export class Problem extends Error {
  override name = "Problem";
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly signIn?: string;
  readonly call?: string;

  constructor(said: { status: number; title: string; detail?: string; hint?: string; signIn?: string; call?: string }) {
    super(said.detail || said.title);
    this.status = said.status;
    this.title = said.title;
    this.detail = said.detail;
    this.hint = said.hint;
    this.signIn = said.signIn;
    this.call = said.call;
  }
}

export interface AskOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean | null | undefined>;
}

export interface Api {
  /** The answer as plain values. */
  get<T>(path: string, options?: AskOptions): Promise<T>;
  /** The answer as it was written, for `parse` of `json/`. */
  text(path: string, options?: AskOptions): Promise<string>;
  /** A string is sent as the JSON that it is; anything else is written as JSON. */
  send<T>(method: string, path: string, body?: unknown, options?: AskOptions): Promise<T>;
  /** The answer itself; a status that is no success is thrown as a `Problem` all the same. */
  raw(path: string, init?: RequestInit & { query?: AskOptions["query"] }): Promise<Response>;
}

export function addressOf(path: string, query?: AskOptions["query"]): string {
  const address = new URL(path.replace(/^\/+/, ""), document.baseURI.split("#")[0]);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined) address.searchParams.set(name, String(value));
  }
  return address.href;
}

export const token = {
  get: (): string | null => sessionStorage.getItem(TOKEN),
  set: (value: string): void => sessionStorage.setItem(TOKEN, value),
  clear: (): void => sessionStorage.removeItem(TOKEN),
};

let onSignedOut: (problem: Problem) => void = () => undefined;

/** Who is told that the gateway does not know this tab any more. */
export function whenSignedOut(listener: (problem: Problem) => void): void {
  onSignedOut = listener;
}

async function raw(path: string, init: RequestInit & { query?: AskOptions["query"] } = {}): Promise<Response> {
  const { query, ...rest } = init;
  const headers = new Headers(rest.headers);
  const known = token.get();
  if (known && !headers.has("Authorization")) headers.set("Authorization", `Bearer ${known}`);
  let answer: Response;
  try {
    answer = await fetch(addressOf(path, query), { credentials: "same-origin", cache: "no-store", ...rest, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem({ status: 0, title: "The gateway does not answer", hint: "Is it still running?" });
  }
  if (answer.ok) return answer;
  const problem = await problemOf(answer);
  if (problem.status === 401) onSignedOut(problem);
  throw problem;
}

export async function problemOf(answer: Response): Promise<Problem> {
  const said: unknown = await answer.json().catch(() => null);
  return problemFrom(said, answer.status);
}

export function problemFrom(said: unknown, status = 500): Problem {
  const field = (name: string): string | undefined => {
    const value: unknown = typeof said === "object" && said !== null ? Reflect.get(said, name) : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const told: unknown = typeof said === "object" && said !== null ? Reflect.get(said, "status") : undefined;
  return new Problem({
    status: typeof told === "number" ? told : status,
    title: field("title") ?? `The gateway answered ${status}`,
    detail: field("detail"),
    hint: field("hint"),
    signIn: field("sign_in"),
    call: field("call"),
  });
}

async function valueOf<T>(answer: Response): Promise<T> {
  if (answer.status === 204 || answer.headers.get("content-length") === "0") return undefined as T;
  return (await answer.json()) as T;
}

export const api: Api = {
  get: async (path, options = {}) => valueOf(await raw(path, { ...options, headers: accepting(options) })),
  text: async (path, options = {}) => (await raw(path, { ...options, headers: accepting(options) })).text(),
  send: async (method, path, body, options = {}) => {
    const headers: Record<string, string> = accepting(options);
    if (body !== undefined) headers["Content-Type"] ??= "application/json";
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return valueOf(await raw(path, { ...options, method, headers, body: text }));
  },
  raw,
};

function accepting(options: AskOptions): Record<string, string> {
  return { Accept: "application/json", ...options.headers };
}

/** A part of a path, made safe. */
export const part = encodeURIComponent;

/** All items of a list that comes in parts, up to a number of them. */
export async function allOf<T>(path: string, max: number, options: AskOptions = {}): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const count = Math.min(1000, max - items.length);
    const query = { ...options.query, count, cursor };
    const list = await api.get<{ items: T[]; next?: string | null }>(path, { ...options, query });
    items.push(...list.items);
    cursor = list.next;
  } while (cursor && items.length < max);
  return items;
}
