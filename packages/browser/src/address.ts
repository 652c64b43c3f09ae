// Where a gateway's front for pages is.

const PATH = "/api/page";

/** The WebSocket address for a gateway's URL, which may have a path, or be the front's own. */
export function pageAddress(url: string, base?: string): string {
  const address = new URL(url, base);
  address.protocol = address.protocol.replace(/^http/, "ws");
  if (!/^wss?:$/.test(address.protocol))
    throw new TypeError(`${url} is no address of a gateway: http or https is meant`);
  address.hash = "";
  address.search = "";
  address.pathname = address.pathname.replace(/\/+$/, "");
  if (!address.pathname.endsWith(PATH)) address.pathname = address.pathname.replace(/\/+$/, "") + PATH;
  return address.href;
}
