// Frames for content of strangers. Made by hand, because every attribute has to be there before the address is.

export interface FrameSpec {
  address: string;
  title: string;
  sandbox: string;
  className: string;
}

/** A frame without cookies, referrer or permissions. It loads when it is put into the page. */
export function makeFrame({ address, title, sandbox, className }: FrameSpec): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", sandbox);
  frame.setAttribute("credentialless", "");
  frame.setAttribute("referrerpolicy", "no-referrer");
  frame.setAttribute("allow", "");
  frame.title = title;
  frame.className = className;
  frame.src = address;
  return frame;
}

/** The address of a shell on the sandbox origin. */
export function shellAddress(sandboxUrl: string, shell: string, query: Record<string, string> = {}): string {
  const address = new URL(`${shell}.html`, sandboxUrl.endsWith("/") ? sandboxUrl : `${sandboxUrl}/`);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}
