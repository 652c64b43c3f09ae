// What is done to a page before it runs. The header forbids it every request, but browsers know more ways to
// reach a network that no policy covers yet: WebRTC, hints to connect early, links, and frames that would have
// all of it again. They are taken out of the text, and a script that runs before the page's first one takes them
// away from the page's scripts. One thing is left: where a script sets `location`, Chromium opens a connection
// before it asks the policy, and closes it without a request when the policy says no.

const FORBIDDEN =
  "iframe, frame, frameset, object, embed, fencedframe, portal, base, meta[http-equiv], link:not([rel=stylesheet])";

export function quieted(html: string): string {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const element of page.querySelectorAll(FORBIDDEN)) element.remove();
  const doctype = page.compatMode === "CSS1Compat" ? "<!doctype html>" : "";
  const first = `<script>(${take.toString()})(${JSON.stringify(FORBIDDEN)})</script>`;
  const whole = document.createElement("div");
  whole.append(page.documentElement);
  return `${doctype}${first}${whole.getHTML()}`;
}

/** Runs in the page's own window; it must not use anything from outside itself. */
function take(forbidden: string): void {
  const names = ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport", "SharedWorker"];
  for (const name of names) {
    Object.defineProperty(window, name, { value: undefined, configurable: false, writable: false });
  }
  const call = Function.prototype.call;
  const bound = <F extends (...args: never[]) => unknown>(method: F): F => call.bind(method) as unknown as F;
  const remove = bound(Element.prototype.remove) as unknown as (element: Element) => void;
  const matches = bound(Element.prototype.matches) as unknown as (element: Element, selector: string) => boolean;
  const queryAll = bound(Element.prototype.querySelectorAll) as unknown as (
    element: Element,
    selector: string,
  ) => NodeListOf<Element>;
  const clear = (node: Node): void => {
    if (!(node instanceof Element)) return;
    const inside = queryAll(node, forbidden);
    for (let at = 0; at < inside.length; at += 1) remove(inside[at]!);
    if (matches(node, forbidden)) remove(node);
  };
  const onChange = (records: MutationRecord[]): void => {
    for (let at = 0; at < records.length; at += 1) {
      const added = records[at]!.addedNodes;
      for (let place = 0; place < added.length; place += 1) clear(added[place]!);
      if (records[at]!.type === "attributes") clear(records[at]!.target);
    }
  };
  const observe = bound(MutationObserver.prototype.observe) as unknown as (
    observer: MutationObserver,
    root: Node,
    options: MutationObserverInit,
  ) => void;
  const observer = new MutationObserver(onChange);
  const watch = (root: Node): void =>
    observe(observer, root, { childList: true, subtree: true, attributeFilter: ["rel", "http-equiv"] });
  watch(document);
  const prevent = bound(Event.prototype.preventDefault) as unknown as (event: Event) => void;
  const path = bound(Event.prototype.composedPath) as unknown as (event: Event) => EventTarget[];
  const getAttribute = bound(Element.prototype.getAttribute) as unknown as (at: Element, name: string) => string | null;
  const startsWith = bound(String.prototype.startsWith) as unknown as (text: string, start: string) => boolean;
  const stopLink = (event: Event): void => {
    const along = path(event);
    for (let at = 0; at < along.length; at += 1) {
      const target = along[at];
      if (!(target instanceof Element) || !matches(target, "a, area")) continue;
      const href = getAttribute(target, "href") ?? getAttribute(target, "xlink:href") ?? "#";
      if (!startsWith(href, "#")) prevent(event);
    }
  };
  addEventListener("click", stopLink, true);
  addEventListener("auxclick", stopLink, true);
  const attach = bound(Element.prototype.attachShadow) as unknown as (
    element: Element,
    init: ShadowRootInit,
  ) => ShadowRoot;
  Element.prototype.attachShadow = function (init) {
    const root = attach(this, init);
    watch(root);
    return root;
  };
}
