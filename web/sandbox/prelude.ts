// The script that runs before the first one of a stranger's page, in the page's own window. No policy covers
// WebRTC or hints to connect early, so this takes them away. What it took would be there again in the window of
// a frame; scripts cannot reach into a frame here (each has an origin of its own), but a frame can run its own
// scripts, a moment after it was put in. So frames are taken out in that moment, wherever they can be put: in
// the document, and in shadow roots, which is why roots are only made where they can be watched, and also where an
// attribute that led to a forbidden page is gone again by then.
//
// The page's scripts come later, and can change all that they can name. So nothing is looked up then: what is
// needed is kept before they run.

export interface Guard {
  /** A selector of the elements that may not be in the page. */
  forbidden: string;
  /** Links lead nowhere: "always", or "unhandled" where the page's own listeners come first. */
  stopsLinks: "always" | "unhandled";
}

/** A frame in a root that a parser made cannot be seen, so no parser makes one. */
const PARSED_ROOT = /shadowrootmode/gi;

export function withoutParsedRoots(html: string): string {
  return html.replace(PARSED_ROOT, "shadowrootnone");
}

export function preludeOf(guard: Guard): string {
  const parts = [takeNetwork, watchRoots, replaceWriting, stopLinks].map((part) => part.toString());
  return `<script>(${inOrder.toString()})(${JSON.stringify(guard)},${parts.join(",")})</script>`;
}

type Part = (guard: Guard, native: typeof nativeType) => void;
declare const nativeType: <F extends (...args: never[]) => unknown>(method: F) => (self: unknown, ...given: unknown[]) => ReturnType<F>;

// Each of the functions below is sent as text, and must not use anything from outside itself.

function inOrder(guard: Guard, ...parts: Part[]): void {
  const { call } = Function.prototype;
  // A method of the browser's as a function of its object, which stays when the page changes the method.
  const native: typeof nativeType = (method) => call.bind(method) as never;
  document.currentScript?.remove();
  for (let at = 0; at < parts.length; at += 1) parts[at]!(guard, native);
}

function takeNetwork(): void {
  const isTaken = /^(webkit)?RTC|^WebTransport|^SharedWorker$/;
  for (const name of Object.getOwnPropertyNames(window)) {
    if (isTaken.test(name)) Object.defineProperty(window, name, { value: undefined, configurable: false, writable: false });
  }
}

function watchRoots(guard: Guard, native: typeof nativeType): void {
  const remove = native(Element.prototype.remove);
  const matches = native(Element.prototype.matches);
  const setAttribute = native(Element.prototype.setAttribute);
  const makeElement = native(document.createElement);
  const observe = native(MutationObserver.prototype.observe);
  const getterOf = (name: string) => native(Object.getOwnPropertyDescriptor(MutationRecord.prototype, name)!.get!);
  const targetOf = getterOf("target");
  const nameOf = getterOf("attributeName");
  const oldValueOf = getterOf("oldValue");
  const Observer = MutationObserver;
  // Options without a prototype, and no lists in them: the browser reads nothing then that the page could have put there.
  const changes = { __proto__: null, childList: true, subtree: true, attributes: true, attributeOldValue: true };
  const findInDocument = native(Document.prototype.querySelector);
  const findInRoot = native(DocumentFragment.prototype.querySelector);
  // A frame may be on its way to where an attribute led that has been changed since.
  const wasForbidden = (record: MutationRecord): boolean => {
    const name = nameOf(record);
    const value = oldValueOf(record);
    if (value === null || (name !== "src" && name !== "srcdoc") || !matches(targetOf(record), "iframe")) return false;
    const before = makeElement(document, "iframe");
    setAttribute(before, name, value);
    return matches(before, guard.forbidden) as boolean;
  };
  const watch = (root: Document | ShadowRoot, find: typeof findInRoot): void => {
    const clear = (records: MutationRecord[]): void => {
      for (let found = find(root, guard.forbidden); found; found = find(root, guard.forbidden)) remove(found);
      for (let at = 0; at < records.length; at += 1) {
        if (wasForbidden(records[at]!)) remove(targetOf(records[at]));
      }
    };
    observe(new Observer(clear), root, changes);
  };
  watch(document, findInDocument);
  const attach = native(Element.prototype.attachShadow);
  const attachWatched = (host: unknown, init: unknown): ShadowRoot => {
    const root = attach(host, init);
    watch(root, findInRoot);
    return root;
  };
  // On a stack that is nearly full a root could be made and then not be watched. So the same is done before, deeper.
  const plain = { __proto__: null, mode: "closed" };
  const rehearse = (depth: number): unknown =>
    depth === 0 ? attachWatched(makeElement(document, "div"), plain) : rehearse(depth - 1);
  Element.prototype.attachShadow = function (init) {
    rehearse(50);
    // A copy of a root would be one that nobody watches.
    return attachWatched(this, { ...init, clonable: false });
  };
  // What else parses roots. These four do not.
  const isHarmless = /^(get|inner|outer|insertAdjacent)HTML$/;
  const places = [Node, Element, CharacterData, Document, DocumentFragment, ShadowRoot, Range, HTMLElement, HTMLTemplateElement];
  for (const place of places.flatMap((each) => [each, each.prototype])) {
    for (const name of Object.getOwnPropertyNames(place)) {
      if (/HTML/.test(name) && !isHarmless.test(name)) Reflect.deleteProperty(place, name);
    }
  }
}

/**
 * What a page writes comes behind the script that writes it, as nodes: as text, with the page's own around it, it
 * could make the parser make a root. All that one script writes is taken together, when it is done.
 */
function replaceWriting(_: Guard, native: typeof nativeType): void {
  const makeRange = native(document.createRange);
  const parse = native(Range.prototype.createContextualFragment);
  const makeMark = native(document.createComment);
  const makeElement = native(document.createElement);
  const put = native(Element.prototype.append);
  const putAfter = native(Element.prototype.after);
  const putBefore = native(Comment.prototype.before);
  const replace = native(Element.prototype.replaceChildren);
  const join = native(Array.prototype.join);
  const getter = <T>(of: object, name: string): (() => T) => {
    const get = Object.getOwnPropertyDescriptor(of, name)?.get;
    return () => (get ? (native(get)(document) as T) : (undefined as T));
  };
  const script = getter<HTMLScriptElement | null>(Document.prototype, "currentScript");
  const body = getter<HTMLElement | null>(Document.prototype, "body");
  const root = getter<HTMLElement | null>(Document.prototype, "documentElement");
  const parentOf = native(Object.getOwnPropertyDescriptor(Node.prototype, "parentNode")!.get!);
  let writer: HTMLScriptElement | null = null;
  let mark: Comment | undefined;
  let written = "";
  const queue = queueMicrotask;
  const flush = (): void => {
    const text = written;
    written = "";
    if (mark && text !== "") putBefore(mark, parse(makeRange(document), text));
  };
  const write = (text: string): void => {
    const now = script();
    if (now !== writer) flush();
    if (!mark || now !== writer || !parentOf(mark)) {
      mark = makeMark(document, "");
      writer = now;
      if (now && parentOf(now)) putAfter(now, mark);
      else put(body() ?? root(), mark);
    }
    if (written === "") queue(flush);
    written += text;
  };
  const open = (): Document => {
    if (script()) return document;
    flush();
    mark = undefined;
    replace(root(), makeElement(document, "head"), makeElement(document, "body"));
    return document;
  };
  const methods = {
    write: (...texts: unknown[]) => write(join(texts, "")),
    writeln: (...texts: unknown[]) => write(`${join(texts, "")}\n`),
    open,
    close: () => undefined,
  };
  for (const name of ["write", "writeln", "open", "close"] as const) {
    Object.defineProperty(Document.prototype, name, { value: methods[name], configurable: false, writable: false });
  }
}

function stopLinks(guard: Guard, native: typeof nativeType): void {
  const matches = native(Element.prototype.matches);
  const prevent = native(Event.prototype.preventDefault);
  const path = native(Event.prototype.composedPath);
  const attribute = native(Element.prototype.getAttribute);
  const startsWith = native(String.prototype.startsWith);
  const typeOf = native(Object.getOwnPropertyDescriptor(Node.prototype, "nodeType")!.get!);
  const isNode = native(Function.prototype[Symbol.hasInstance]);
  const Anything = Node;
  const stop = (event: Event): void => {
    const along = path(event);
    for (let at = 0; at < along.length; at += 1) {
      const target = along[at];
      if (!isNode(Anything, target) || typeOf(target) !== 1 || !matches(target, "a, area")) continue;
      const href = attribute(target, "href") ?? attribute(target, "xlink:href") ?? "#";
      if (!startsWith(href, "#")) prevent(event);
    }
  };
  addEventListener("click", stop, guard.stopsLinks === "always");
  addEventListener("auxclick", stop, guard.stopsLinks === "always");
}
