// What a tab has registered. Several components may register one tool: the first one's definition
// and handler count until it goes, then the next one's. What the hub is told is the difference
// between what it knows and what stands at the head of each name, so that a component that is
// mounted twice in a row (StrictMode) or changes its schema makes no more noise than it must.

export type JsonObject = { readonly [key: string]: unknown };

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

export interface Registration<H> {
  readonly definition: ToolDefinition;
  readonly handler: H;
}

export class Registry<H> {
  readonly #byName = new Map<string, Registration<H>[]>();

  /** Says whether another definition of this name was there first. */
  add(registration: Registration<H>): "head" | "same" | "differs" {
    const { name } = registration.definition;
    const list = this.#byName.get(name) ?? [];
    this.#byName.set(name, [...list, registration]);
    const head = list[0];
    if (!head) return "head";
    return isSameDefinition(head.definition, registration.definition) ? "same" : "differs";
  }

  /** Takes away this registration and no other. */
  remove(registration: Registration<H>): void {
    const { name } = registration.definition;
    const rest = (this.#byName.get(name) ?? []).filter((other) => other !== registration);
    if (rest.length > 0) this.#byName.set(name, rest);
    else this.#byName.delete(name);
  }

  /** Takes away the newest registration of a name: one reference, as a component that leaves would. */
  removeNewest(name: string): boolean {
    const newest = this.#byName.get(name)?.at(-1);
    if (newest) this.remove(newest);
    return newest !== undefined;
  }

  head(name: string): Registration<H> | undefined {
    return this.#byName.get(name)?.[0];
  }

  definitions(): Map<string, ToolDefinition> {
    const heads = new Map<string, ToolDefinition>();
    for (const [name, [head]] of this.#byName) if (head) heads.set(name, head.definition);
    return heads;
  }
}

export interface Difference {
  readonly register: ToolDefinition[];
  readonly unregister: string[];
}

/** What to say to someone who knows `told` so that it knows `now`. */
export function difference(
  told: ReadonlyMap<string, ToolDefinition>,
  now: ReadonlyMap<string, ToolDefinition>,
): Difference {
  const register = [...now.values()].filter((definition) => {
    const known = told.get(definition.name);
    return known === undefined || !isSameDefinition(known, definition);
  });
  return { register, unregister: [...told.keys()].filter((name) => !now.has(name)) };
}

export function isSameDefinition(one: ToolDefinition, other: ToolDefinition): boolean {
  return one === other || sortedJson(one) === sortedJson(other);
}

/** JSON whose members are in one order, whoever wrote them. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
