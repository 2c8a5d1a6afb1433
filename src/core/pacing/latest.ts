import { orAborted } from '../clock.ts';

/** A value whose readers need only the newest state; a slow reader skips the states in between. */
export type Latest<Value> = ReturnType<typeof createLatest<Value>>;

export function createLatest<Value>(first: Value) {
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
    /** Announces a change unless the value is the same object. */
    set(next: Value) {
      if (next === value) return;
      value = next;
      announce();
    },
    /** Must be called when no more changes will follow. */
    close() {
      closed = true;
      announce();
    },
    get closed() {
      return closed;
    },
    /**
     * Resolves when the value differs from `seen`, or when no more changes will follow. Rejects when the signal aborts.
     */
    async change(seen: Value, signal: AbortSignal) {
      if (value !== seen || closed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const unwatch = watch(resolve);
      await orAborted(promise, signal).finally(unwatch);
    },
    /**
     * Calls the listener after each change and on close, until the returned function is called. The listener must not
     * throw.
     */
    watch,
  };
}
