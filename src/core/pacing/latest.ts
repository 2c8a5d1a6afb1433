import { orAborted } from '../clock.ts';

/** A value whose readers need only the newest state; a slow reader skips the states in between. */
export interface Latest<Value> {
  get(): Value;
  /** Announces a change unless the value is the same object. */
  set(value: Value): void;
  /** Must be called when no more changes will follow. */
  close(): void;
  readonly closed: boolean;
  /**
   * Resolves when the value differs from `seen`, or when no more changes will follow. Rejects when the signal aborts.
   */
  change(seen: Value, signal: AbortSignal): Promise<void>;
  /**
   * Calls the listener after each change and on close, until the returned function is called. The listener must not
   * throw.
   */
  watch(listener: () => void): () => void;
}

export function createLatest<Value>(first: Value): Latest<Value> {
  let value = first;
  let closed = false;
  const listeners = new Set<() => void>();

  const announce = () => {
    for (const listener of listeners) listener();
  };
  const watch = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  return {
    get: () => value,
    set(next) {
      if (next === value) return;
      value = next;
      announce();
    },
    close() {
      closed = true;
      announce();
    },
    get closed() {
      return closed;
    },
    async change(seen, signal) {
      if (value !== seen || closed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const unwatch = watch(resolve);
      await orAborted(promise, signal).finally(unwatch);
    },
    watch,
  };
}
