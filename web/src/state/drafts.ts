// The arguments that a person is writing, for each tool. As JSON they are a text that need not be right yet;
// the node is what it last said. Going between form and JSON keeps digits, order and unknown names.

import { JsonError, parse, print, type Node } from "../json/json";
import { createStore } from "./store";

export interface Draft {
  node: Node;
  /** As typed, where arguments are written as JSON. */
  text: string;
  /** What is wrong with the text. */
  wrong: string;
}

export const drafts = createStore<Record<string, Draft>>({});

export function draftOf(node: Node): Draft {
  return { node, text: print(node, 2), wrong: "" };
}

/** The draft after somebody typed a text. */
export function typed(before: Draft, text: string): Draft {
  try {
    const node: Node = text.trim() === "" ? { kind: "object", members: [] } : parse(text);
    if (node.kind !== "object") return { ...before, text, wrong: "arguments must be an object" };
    return { node, text, wrong: "" };
  } catch (error) {
    const wrong =
      error instanceof JsonError ? `line ${error.line}, column ${error.column}: ${error.message}` : String(error);
    return { ...before, text, wrong };
  }
}

export function setDraft(tool: string, draft: Draft): void {
  drafts.set({ [tool]: draft });
}

/** Puts other arguments there, unless they are what is there already: then the text stays as it was typed. */
export function fillDraft(tool: string, node: Node): void {
  const before = drafts.get()[tool];
  if (before && before.wrong === "" && print(before.node) === print(node)) return;
  setDraft(tool, draftOf(node));
}
