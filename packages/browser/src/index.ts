// A web page's functions as MCP tools, through a Resultant gateway.
export type { CallContext, Handler } from "./calls.js";
export { connect, type Connection, type ConnectOptions, type TokenSource, type ToolOptions } from "./connection.js";
export type { Way } from "./link.js";
export type { ConnectionState } from "./messages.js";
export type { Observable } from "./observable.js";
export type { JsonObject, ToolDefinition } from "./registry.js";
export type { ArgumentsOf, SchemaSource, ToJsonSchema } from "./schema.js";
