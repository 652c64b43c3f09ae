// What a tree's model is asked and answers, as plain data that can cross to a worker.
import type { Found, Sight, TreeModel } from "./model";

export type Request =
  | { ask: "read"; text: string }
  | { ask: "sight"; first: number; end: number }
  | { ask: "open"; id: number; isOpen: boolean; first: number; end: number }
  | { ask: "open_all"; isOpen: boolean; first: number; end: number }
  | { ask: "find"; query: string; direction: 1 | -1; from: number; first: number; end: number }
  | { ask: "parent"; id: number }
  | { ask: "path"; id: number }
  | { ask: "value"; id: number };

export type Answer =
  | { tell: "read"; total: number }
  | { tell: "problem"; message: string }
  | { tell: "sight"; sight: Sight }
  | { tell: "found"; found: Found; sight: Sight }
  | { tell: "parent"; place: number }
  | { tell: "path"; id: number; path: string }
  | { tell: "value"; text: string };

export function answer(model: TreeModel, request: Exclude<Request, { ask: "read" }>): Answer {
  switch (request.ask) {
    case "sight":
      return { tell: "sight", sight: model.sight(request.first, request.end) };
    case "open":
      model.setOpen(request.id, request.isOpen);
      return { tell: "sight", sight: model.sight(request.first, request.end) };
    case "open_all":
      model.setAllOpen(request.isOpen);
      return { tell: "sight", sight: model.sight(request.first, request.end) };
    case "find": {
      const found = model.find(request.query, request.direction, request.from);
      return { tell: "found", found, sight: model.sight(request.first, request.end) };
    }
    case "parent":
      return { tell: "parent", place: model.parentPlace(request.id) };
    case "path":
      return { tell: "path", id: request.id, path: model.path(request.id) };
    case "value":
      return { tell: "value", text: model.value(request.id) };
  }
}
