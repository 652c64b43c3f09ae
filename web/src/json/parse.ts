// Reads JSON into nodes without recursion, so that no nesting can overflow the stack.

import { DEPTH_MAX, JsonError, type Member, type Node } from "./node";

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Record<string, string> = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** An array or object whose end has not come yet; `key` is that of the value that comes next. */
type Open = { node: Extract<Node, { kind: "array" }> } | { node: Extract<Node, { kind: "object" }>; key: string };

export function parse(text: string): Node {
  return new Reader(text).read();
}

class Reader {
  private at = 0;
  private readonly open: Open[] = [];

  constructor(private readonly text: string) {
    if (text.charCodeAt(0) === 0xfeff) this.at = 1;
  }

  read(): Node {
    this.skipSpace();
    for (;;) {
      let value = this.value();
      // Closes everything that ends after this value; goes round again where another one follows.
      for (;;) {
        this.skipSpace();
        const parent = this.open.at(-1);
        if (value && !parent) {
          if (this.at < this.text.length) this.fail("nothing may follow here");
          return value;
        }
        if (!value || !parent) break;
        if ("key" in parent) parent.node.members.push([parent.key, value] satisfies Member);
        else parent.node.items.push(value);
        const sign = this.text[this.at];
        if (sign === ",") {
          this.at++;
          this.skipSpace();
          if ("key" in parent) this.key(parent);
          break;
        }
        if (sign !== ("key" in parent ? "}" : "]")) this.fail(`expected a comma or ${"key" in parent ? "}" : "]"}`);
        this.at++;
        this.open.pop();
        value = parent.node;
      }
    }
  }

  /** A whole value; nothing where an array or object was opened whose first value comes next. */
  private value(): Node | undefined {
    const sign = this.text[this.at];
    switch (sign) {
      case "{":
        return this.object();
      case "[":
        return this.array();
      case '"':
        return { kind: "string", value: this.string() };
      case "t":
        return this.word("true", { kind: "boolean", value: true });
      case "f":
        return this.word("false", { kind: "boolean", value: false });
      case "n":
        return this.word("null", { kind: "null" });
      case undefined:
        return this.fail("the text ends too early");
      default: {
        NUMBER.lastIndex = this.at;
        const found = NUMBER.exec(this.text);
        if (!found) return this.fail(`unexpected ${JSON.stringify(sign)}`);
        this.at = NUMBER.lastIndex;
        return { kind: "number", text: found[0] };
      }
    }
  }

  private object(): Node | undefined {
    const node: Extract<Node, { kind: "object" }> = { kind: "object", members: [] };
    this.enter();
    if (this.text[this.at] === "}") {
      this.at++;
      return node;
    }
    const opened = { node, key: "" };
    this.open.push(opened);
    this.key(opened);
    return undefined;
  }

  private array(): Node | undefined {
    const node: Extract<Node, { kind: "array" }> = { kind: "array", items: [] };
    this.enter();
    if (this.text[this.at] === "]") {
      this.at++;
      return node;
    }
    this.open.push({ node });
    return undefined;
  }

  private enter(): void {
    if (this.open.length >= DEPTH_MAX) this.fail(`nested deeper than ${DEPTH_MAX}`);
    this.at++;
    this.skipSpace();
  }

  private key(opened: { key: string }): void {
    if (this.text[this.at] !== '"') this.fail("expected a name in quotes");
    opened.key = this.string();
    this.skipSpace();
    if (this.text[this.at] !== ":") this.fail("expected a colon");
    this.at++;
    this.skipSpace();
  }

  private string(): string {
    this.at++;
    let value = "";
    for (;;) {
      PLAIN.lastIndex = this.at;
      const plain = PLAIN.exec(this.text)?.[0] ?? "";
      value += plain;
      this.at += plain.length;
      const sign = this.text[this.at];
      if (sign === '"') {
        this.at++;
        return value;
      }
      if (sign === undefined) this.fail("the text ends inside a string");
      if (sign !== "\\") this.fail("a control character in a string must be escaped");
      value += this.escape();
    }
  }

  private escape(): string {
    const sign = this.text[this.at + 1] ?? "";
    if (sign === "u") {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail("expected four hexadecimal digits");
      this.at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const meant = Object.hasOwn(ESCAPES, sign) ? ESCAPES[sign] : undefined;
    if (meant === undefined) this.fail("this escape is not known");
    this.at += 2;
    return meant ?? "";
  }

  private word(word: string, node: Node): Node {
    if (!this.text.startsWith(word, this.at)) this.fail(`expected ${word}`);
    this.at += word.length;
    return node;
  }

  private skipSpace(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  private fail(message: string): never {
    const before = this.text.slice(0, this.at);
    const line = before.split("\n").length;
    throw new JsonError(message, line, this.at - before.lastIndexOf("\n"));
  }
}
