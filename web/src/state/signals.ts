// How rooms tell each other that something happened, without knowing each other. What comes before the first
// listener is there (a room's code is still loading) waits for it, up to a number, where that makes sense:
// what a person asked for on another screen does not.

const WAITING_MAX = 200;

export interface Signal<T> {
  emit(value: T): void;
  listen(listener: (value: T) => void): () => void;
}

export function createSignal<T>({ keepsEarly = true } = {}): Signal<T> {
  const listeners = new Set<(value: T) => void>();
  let waiting: T[] = [];
  return {
    emit: (value) => {
      if (listeners.size === 0 && keepsEarly) waiting = [...waiting, value].slice(-WAITING_MAX);
      for (const listener of [...listeners]) listener(value);
    },
    listen: (listener) => {
      listeners.add(listener);
      const early = waiting;
      waiting = [];
      for (const value of early) listener(value);
      return () => listeners.delete(listener);
    },
  };
}
