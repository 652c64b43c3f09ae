// A tool as the page uses it. Its schemas stay nodes, so that a default of twenty digits keeps them.

import { member, parse, type Node } from "../json/json";

export interface Tool {
  /** `server/name`: what the page knows it by. */
  id: string;
  server: string;
  /** Its name on its server. */
  name: string;
  title: string;
  description: string;
  inputSchema: Node;
  definition: Node;
  isReadOnly: boolean;
  isDestructive: boolean;
  /** The resource that shows its results, for tools that bring their own interface. */
  app?: string;
  /** Whether it is meant for its interface alone. */
  isForAppOnly: boolean;
}

/** Reads the answer of `/api/tools`; what is not usable is left out. */
export function readTools(text: string): Tool[] {
  const items = member(parse(text), "items");
  if (items?.kind !== "array") return [];
  return items.items.map(readTool).filter((tool) => tool !== null);
}

function readTool(node: Node): Tool | null {
  const server = word(member(node, "server"));
  const name = word(member(node, "server_name"));
  const definition = member(node, "definition");
  if (server === undefined || name === undefined || !definition) return null;
  const annotations = member(definition, "annotations");
  const ui = member(member(definition, "_meta"), "ui");
  const visibility = member(ui, "visibility");
  const seen = visibility?.kind === "array" ? visibility.items.map(word) : undefined;
  const app = word(member(ui, "resourceUri")) ?? word(member(member(definition, "_meta"), "ui/resourceUri"));
  return {
    id: toolId(server, name),
    server,
    name,
    title: word(member(definition, "title")) || word(member(annotations, "title")) || name,
    description: word(member(definition, "description")) ?? "",
    inputSchema: member(definition, "inputSchema") ?? { kind: "object", members: [] },
    definition,
    isReadOnly: isTrue(member(annotations, "readOnlyHint")),
    isDestructive: isTrue(member(annotations, "destructiveHint")) && !isTrue(member(annotations, "readOnlyHint")),
    isForAppOnly: seen !== undefined && !seen.includes("model"),
    ...(app ? { app } : {}),
  };
}

export function toolId(server: string, name: string): string {
  return `${server}/${name}`;
}

function word(node: Node | undefined): string | undefined {
  return node?.kind === "string" ? node.value : undefined;
}

function isTrue(node: Node | undefined): boolean {
  return node?.kind === "boolean" && node.value;
}
