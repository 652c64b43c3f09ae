// What the fragment of the address says, read and written. The query of a fragment belongs to its path:
// `#/tool/SERVER/TOOL?args=JSON&session=ID`, `#/call/ID`, `#/file/KEY`; `#code=…` is for the sign-in.

export type Place =
  | { kind: "home" }
  | { kind: "tool"; server: string; tool: string; args?: string }
  | { kind: "call"; id: string }
  | { kind: "file"; key: string };

export interface Address {
  place: Place;
  session?: string;
  /** What a sign-in brought. */
  code?: string;
  hasFailed: boolean;
}

export function readAddress(fragment: string): Address {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith("/")) {
    const query = new URLSearchParams(text);
    const code = query.get("code") ?? undefined;
    return { place: { kind: "home" }, hasFailed: query.has("failed"), ...(code === undefined ? {} : { code }) };
  }
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1));
  const session = query.get("session") ?? undefined;
  const args = query.get("args") ?? undefined;
  return {
    place: readPlace(path.slice(1).split("/").map(decode), args),
    hasFailed: false,
    ...(session ? { session } : {}),
  };
}

function readPlace([kind, first, ...rest]: string[], args: string | undefined): Place {
  if (kind === "tool" && first && rest.length > 0) {
    return { kind: "tool", server: first, tool: rest.join("/"), ...(args === undefined ? {} : { args }) };
  }
  if (kind === "call" && first) return { kind: "call", id: first };
  if (kind === "file" && first) return { kind: "file", key: [first, ...rest].join("/") };
  return { kind: "home" };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function writeAddress(place: Place, session?: string): string {
  const query = new URLSearchParams();
  if (place.kind === "tool" && place.args !== undefined) query.set("args", place.args);
  if (session) query.set("session", session);
  const asked = query.size > 0 ? `?${query}` : "";
  switch (place.kind) {
    case "tool":
      return `#/tool/${encodeURIComponent(place.server)}/${encodeURIComponent(place.tool)}${asked}`;
    case "call":
      return `#/call/${encodeURIComponent(place.id)}${asked}`;
    case "file":
      return `#/file/${encodeURIComponent(place.key)}${asked}`;
    case "home":
      return `#/${asked}`;
  }
}
