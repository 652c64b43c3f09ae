// Which tab a call goes to: the one that the caller names, the only one that has the tool, the one
// that the person used last, the first. No state, no effects.

export interface Candidate {
  readonly id: string;
  /** A counter that grows with each focus; 0 for a tab that never had it. */
  readonly activeAt: number;
  readonly has: (tool: string) => boolean;
}

export type Route<T> = { readonly tab: T } | { readonly failure: string };

/** `tabs` are in the order in which they came. */
export function route<T extends Candidate>(tabs: Iterable<T>, tool: string, named?: string): Route<T> {
  const all = [...tabs];
  if (named !== undefined) {
    const tab = all.find((tab) => tab.id === named);
    if (!tab) return { failure: `the tab ${named} is not open any more` };
    return tab.has(tool) ? { tab } : { failure: `the tab ${named} has no tool ${tool}` };
  }
  const able = all.filter((tab) => tab.has(tool));
  const [first, ...others] = able;
  if (!first) return { failure: `no open tab has the tool ${tool} any more` };
  return { tab: others.reduce((best, tab) => (tab.activeAt > best.activeAt ? tab : best), first) };
}
