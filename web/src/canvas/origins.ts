// Which dashboards may be framed: those whose origin the configuration names, and never our own. Our page and our
// sandbox under another name of this machine are our own too.

export type Verdict =
  | { kind: "allowed"; address: string; origin: string }
  | { kind: "refused"; reason: string; origin?: string };

/** `patterns` are origins; a port of `*` stands for any. `ours` are the addresses of the page and of the sandbox. */
export function judge(address: string | undefined, patterns: readonly string[], ours: readonly string[]): Verdict {
  if (!address) return { kind: "refused", reason: "The result names no address for it." };
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return { kind: "refused", reason: "Its address cannot be read." };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return { kind: "refused", reason: `Its address begins with ${url.protocol}, and only http: and https: are framed.` };
  }
  if (url.username || url.password) return { kind: "refused", reason: "Its address has a password in it." };
  const { origin } = url;
  if (ours.some((own) => isSamePlace(url, own))) {
    return { kind: "refused", reason: `${origin} is this gateway itself, which is never framed.` };
  }
  if (!patterns.some((pattern) => matches(url, pattern))) {
    return { kind: "refused", reason: `The origin ${origin} is not among those that may be framed.`, origin };
  }
  return { kind: "allowed", address: url.href, origin };
}

function matches(url: URL, pattern: string): boolean {
  const anyPort = /^(https?:\/\/[^/*?#]+):\*$/.exec(pattern)?.[1];
  try {
    if (anyPort === undefined) return new URL(pattern).origin === url.origin;
    const wanted = new URL(anyPort);
    return wanted.protocol === url.protocol && wanted.hostname === url.hostname;
  } catch {
    return false;
  }
}

function isSamePlace(url: URL, own: string): boolean {
  try {
    const other = new URL(own);
    const isSameHost = hostName(url) === hostName(other);
    return isSameHost && portOf(url) === portOf(other);
  } catch {
    return false;
  }
}

/** All names of this machine are one. A name may end in a dot. */
function hostName(url: URL): string {
  const name = url.hostname.replace(/\.$/, "").toLowerCase();
  const isLoopback = name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127\./.test(name) || name === "0.0.0.0" || name === "[::]" || name.startsWith("[::ffff:7f");
  return isLoopback ? "localhost" : name;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

/** The lines of the configuration that would allow an origin. */
export function allowingLines(origin: string, patterns: readonly string[]): string {
  return `"dashboards": ${JSON.stringify({ origins: [...patterns, origin] }, null, 2)}`;
}

/** The origin of an address; nothing where it is none. */
export function originOf(address: string | null | undefined): string | undefined {
  return address && URL.canParse(address) ? new URL(address).origin : undefined;
}
