// What a form starts with: defaults where the schema has some, the frame of what is required, nothing else.

import { type Member, type Node } from "../../json/json";
import { FORM_DEPTH_MAX, shapeOf } from "./schema";

const FILLED_ITEMS_MAX = 20;

/** The value of a required place; nothing where a person has to say it. */
export function initialValue(schema: Node, root: Node, depth = 0): Node | undefined {
  const shape = shapeOf(schema, root);
  if (shape.default) return shape.default;
  if (depth > FORM_DEPTH_MAX) return undefined;
  switch (shape.kind) {
    case "const":
      return shape.value;
    case "null":
      return { kind: "null" };
    case "enum":
      return shape.options.length === 1 ? shape.options[0]?.value : undefined;
    case "object": {
      const members: Member[] = [];
      for (const property of shape.properties) {
        const value = property.isRequired
          ? initialValue(property.schema, root, depth + 1)
          : shapeOf(property.schema, root).default;
        if (value) members.push([property.name, value]);
      }
      return { kind: "object", members };
    }
    case "array": {
      const wanted = Math.min(shape.minItems, FILLED_ITEMS_MAX);
      const items: Node[] = [];
      for (let i = 0; i < wanted; i++) items.push(itemValue(shape.prefix[i] ?? shape.items, root, depth + 1));
      return { kind: "array", items };
    }
    case "choice": {
      const first = shape.branches[0];
      return first ? initialValue(first.schema, root, depth + 1) : undefined;
    }
    default:
      return undefined;
  }
}

/** A value for a place that a person has just added: there has to be one. */
export function itemValue(schema: Node, root: Node, depth = 0): Node {
  const value = initialValue(schema, root, depth);
  if (value) return value;
  const shape = shapeOf(schema, root);
  switch (shape.kind) {
    case "boolean":
      return { kind: "boolean", value: false };
    case "number":
      return { kind: "number", text: shape.minimum ?? "0" };
    case "enum":
      return shape.options[0]?.value ?? { kind: "null" };
    case "choice": {
      const first = shape.branches[0];
      return first ? itemValue(first.schema, root, depth + 1) : { kind: "null" };
    }
    case "any":
      return { kind: "string", value: "" };
    default:
      return { kind: "string", value: "" };
  }
}

export function initialArguments(schema: Node): Node {
  const value = initialValue(schema, schema);
  return value?.kind === "object" ? value : { kind: "object", members: [] };
}
