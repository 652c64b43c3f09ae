// React: a provider that holds the connection, a hook for a tool, and one for where it stands.
//
// A tool is registered in an effect and taken back by its cleanup. Both are said to the gateway at
// the end of the turn, as one difference, so StrictMode's second mount costs nothing. The handler is
// read at each call: it may close over fresh state and is no reason to register again.
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { connect, type Connection, type ConnectOptions } from "./connection.js";
import type { Handler } from "./calls.js";
import { type ConnectionState, randomId } from "./messages.js";
import type { JsonObject } from "./registry.js";
import { type ArgumentsOf, type SchemaSource, toJsonSchema } from "./schema.js";

const CONNECTING: ConnectionState = { status: "connecting" };

/** `undefined`: no provider; `null`: its connection is not made yet. */
const Context = createContext<Connection | null | undefined>(undefined);

export type ResultantProviderProps = { readonly children?: ReactNode } & (
  { readonly connection: Connection } | (ConnectOptions & { readonly connection?: undefined })
);

/** Connects, or takes a connection that the page has. A changed `token` is shown, a changed `url` connects anew. */
export function ResultantProvider(props: ResultantProviderProps): ReactElement {
  const given = props.connection;
  const options = given ? undefined : (props as ConnectOptions);
  const latest = useRef(options);
  const [made, setMade] = useState<Connection | null>(null);
  const shown = useRef(options?.token);

  useLayoutEffect(() => {
    latest.current = options;
  });

  const url = options?.url;
  useEffect(() => {
    if (url === undefined) return;
    const connection = connect({ ...latest.current, url });
    shown.current = latest.current?.token;
    setMade(connection);
    return () => {
      setMade(null);
      connection.close();
    };
  }, [url]);

  // A function is asked when a token is needed; only another text is another token.
  const token = options?.token;
  useEffect(() => {
    if (!made || token === shown.current) return;
    const isText = typeof token !== "function" || typeof shown.current !== "function";
    shown.current = token;
    if (isText) made.setToken(token);
  }, [made, token]);

  return createElement(Context.Provider, { value: given ?? made }, props.children);
}

export interface MCPToolOptions<S extends SchemaSource> {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: S | undefined;
  readonly outputSchema?: SchemaSource | undefined;
  readonly annotations?: JsonObject | undefined;
  readonly handler: Handler<ArgumentsOf<S>>;
  /** `false`: not registered for now. */
  readonly enabled?: boolean | undefined;
}

/** Registers a tool while the component is mounted. */
export function useMCPTool<S extends SchemaSource = JsonObject>(options: MCPToolOptions<S>): void {
  const connection = useConnection("useMCPTool");
  const { name, title, description = "", inputSchema, outputSchema, annotations, handler, enabled = true } = options;
  const latest = useRef({ handler, inputSchema, outputSchema });
  useLayoutEffect(() => {
    latest.current = { handler, inputSchema, outputSchema };
  });

  // Schemas are often written in the component and new at each render: what they say is compared.
  const schemas = useSchemaText(inputSchema, "input") + useSchemaText(outputSchema, "output");
  const notes = annotations && JSON.stringify(annotations);

  useEffect(() => {
    if (!connection || !enabled) return;
    const call: Handler<ArgumentsOf<S>> = (args, context) => latest.current.handler(args, context);
    const now = latest.current;
    return connection.registerTool(name, description, now.inputSchema, call, {
      title,
      outputSchema: now.outputSchema,
      annotations: notes === undefined ? undefined : (JSON.parse(notes) as JsonObject),
    });
  }, [connection, enabled, name, title, description, schemas, notes]);
}

/** Where the connection stands; changes render anew. */
export function useMCPStatus(): ConnectionState {
  const connection = useConnection("useMCPStatus");
  return useSyncExternalStore(
    (listener) => connection?.state.subscribe(listener) ?? (() => undefined),
    () => connection?.state.get() ?? CONNECTING,
    () => CONNECTING,
  );
}

/** The connection, for what the hooks have no word for; `null` until it is made. */
export function useMCPConnection(): Connection | null {
  return useConnection("useMCPConnection");
}

const identities = new WeakMap<object, string>();

/** What a schema says, or which one it is where only the connection can convert it. */
function useSchemaText(schema: SchemaSource | undefined, io: "input" | "output"): string {
  return useMemo(() => {
    if (!schema) return "";
    try {
      return JSON.stringify(toJsonSchema(schema, io));
    } catch {
      const identity = identities.get(schema) ?? randomId();
      identities.set(schema, identity);
      return identity;
    }
  }, [schema, io]);
}

function useConnection(hook: string): Connection | null {
  const connection = useContext(Context);
  if (connection === undefined) throw new Error(`${hook} needs a <ResultantProvider> around it`);
  return connection;
}
