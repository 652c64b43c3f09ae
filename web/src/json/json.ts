// Lossless JSON, for forms, trees and raw tabs.

export { parse } from "./parse";
export { print } from "./print";
export {
  DEPTH_MAX,
  fromValue,
  isSame,
  JsonError,
  member,
  toValue,
  withMember,
  type ArrayNode,
  type Member,
  type Node,
  type ObjectNode,
} from "./node";
