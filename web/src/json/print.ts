// Writes nodes as text; what `parse` read comes out with the same digits, order and repeated keys.

import { DEPTH_MAX, JsonError, type Node } from "./node";

export function print(node: Node, indent = 0): string {
  const parts: string[] = [];
  write(node, indent, 0, parts);
  return parts.join("");
}

function write(node: Node, indent: number, depth: number, parts: string[]): void {
  if (depth > DEPTH_MAX) throw new JsonError(`nested deeper than ${DEPTH_MAX}`, 0, 0);
  switch (node.kind) {
    case "null":
      parts.push("null");
      return;
    case "boolean":
      parts.push(node.value ? "true" : "false");
      return;
    case "number":
      parts.push(node.text);
      return;
    case "string":
      parts.push(JSON.stringify(node.value));
      return;
    case "array":
      between("[", "]", node.items.length, indent, depth, parts, (i) => {
        const item = node.items[i];
        if (item) write(item, indent, depth + 1, parts);
      });
      return;
    case "object":
      between("{", "}", node.members.length, indent, depth, parts, (i) => {
        const pair = node.members[i];
        if (!pair) return;
        parts.push(JSON.stringify(pair[0]), indent > 0 ? ": " : ":");
        write(pair[1], indent, depth + 1, parts);
      });
  }
}

function between(
  open: string,
  close: string,
  count: number,
  indent: number,
  depth: number,
  parts: string[],
  each: (i: number) => void,
): void {
  parts.push(open);
  for (let i = 0; i < count; i++) {
    if (i > 0) parts.push(",");
    if (indent > 0) parts.push("\n", " ".repeat(indent * (depth + 1)));
    each(i);
  }
  if (indent > 0 && count > 0) parts.push("\n", " ".repeat(indent * depth));
  parts.push(close);
}
