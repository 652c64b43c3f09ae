// The smallest store that React can follow: a value, a way to change it, and who wants to know.
// A pick may make a new object each time: one that is shallowly equal to the last is taken for it.

import { useCallback, useRef, useSyncExternalStore } from "react";

export interface Store<S> {
  get(): S;
  set(change: Partial<S> | ((state: S) => Partial<S>)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<S>(initial: S): Store<S> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set: (change) => {
      const next = typeof change === "function" ? change(state) : change;
      const isNew = Object.entries(next).some(([key, value]) => !Object.is(state[key as keyof S], value));
      if (!isNew) return;
      state = { ...state, ...next };
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<S, T>(store: Store<S>, pick: (state: S) => T): T {
  const last = useRef<{ value: T } | null>(null);
  const read = useCallback(() => {
    const value = pick(store.get());
    if (last.current && isShallowlyEqual(last.current.value, value)) return last.current.value;
    last.current = { value };
    return value;
  }, [store, pick]);
  return useSyncExternalStore(store.subscribe, read);
}

export function isShallowlyEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (!Array.isArray(a) && Object.getPrototypeOf(a) !== Object.prototype) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.is(Reflect.get(a, key), Reflect.get(b, key)));
}
