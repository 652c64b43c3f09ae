// Where a link in foreign text may lead. Only web and mail addresses are links at all; a fragment stays
// inside the text, and what is relative would lead into this page, so it is shown and leads nowhere.

export type Target = { kind: "web"; href: string; host: string } | { kind: "inside"; id: string } | { kind: "none"; shown: string };

export function targetOf(href: string | undefined): Target {
  if (href === undefined || href === "") return { kind: "none", shown: "" };
  if (href.startsWith("#")) return { kind: "inside", id: slugOf(safeDecode(href.slice(1))) };
  let address: URL;
  try {
    address = new URL(href);
  } catch {
    return { kind: "none", shown: href };
  }
  if (address.protocol === "mailto:") return { kind: "web", href: address.href, host: address.pathname };
  if (address.protocol !== "http:" && address.protocol !== "https:") return { kind: "none", shown: href };
  // Credentials in an address only serve to look like another host.
  address.username = "";
  address.password = "";
  return { kind: "web", href: address.href, host: address.host };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A heading's name in links, as most programs make it. */
export function slugOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s+/g, "-");
}
