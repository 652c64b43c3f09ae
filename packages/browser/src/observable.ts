// A value that can be read and watched; just enough for `useSyncExternalStore` and for plain pages.

export interface Observable<T> {
  get(): T;
  /** Calls `listener` at each change, and not now. Gives back how to stop. */
  subscribe(listener: (value: T) => void): () => void;
}

export class Cell<T> implements Observable<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  readonly subscribe = (listener: (value: T) => void): (() => void) => {
    // One function may be given twice; each has its own way out.
    const own = (value: T) => listener(value);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  set(value: T): void {
    if (JSON.stringify(value) === JSON.stringify(this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }
}
