// What every field of a form needs to know about the whole of it.

import { createContext, useContext } from "react";
import type { Node } from "../../json/json";
import { FOREIGN, type Trouble } from "./validate";

export interface FormContext {
  /** The schema that references are looked up in. */
  root: Node;
  /** Makes ids unique. */
  prefix: string;
  troubles: Trouble[];
  /** Whether a person has asked for the troubles, by trying to run. */
  areTroublesShown: boolean;
  touched: ReadonlySet<string>;
  touch: (path: string) => void;
}

export const Form = createContext<FormContext>({
  root: { kind: "boolean", value: true },
  prefix: "form",
  troubles: [],
  areTroublesShown: false,
  touched: new Set(),
  touch: () => undefined,
});

export type Path = (string | number)[];

export interface FieldProps {
  schema: Node;
  value: Node | undefined;
  /** `undefined` leaves it out. */
  onChange: (value: Node | undefined) => void;
  path: Path;
  /** What it is called where the schema has no title. */
  name: string;
  isRequired: boolean;
  /** An item of a list has its controls in its own line. */
  isItem?: boolean;
}

export const keyOf = (path: Path): string => JSON.stringify(path);

/** What is wrong at exactly this place, as far as it is time to say it. */
export function useTroubles(path: Path): string[] {
  const { troubles, areTroublesShown, touched } = useContext(Form);
  const key = keyOf(path);
  const isTime = areTroublesShown || touched.has(key);
  const here = troubles.filter((trouble) => keyOf(trouble.path) === key && (isTime || trouble.message === FOREIGN));
  return here.map((trouble) => trouble.message);
}

/** An id for each place and no other; a colon is free for what belongs to a field, its label for example. */
export function idOf(prefix: string, path: Path): string {
  const safe = (step: string | number): string =>
    String(step).replace(/[^a-zA-Z0-9]/g, (sign) => `_${sign.codePointAt(0)?.toString(16)}_`);
  return `${prefix}${path.map((step) => `-${safe(step)}`).join("")}`;
}
