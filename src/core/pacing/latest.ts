/** A value whose newest state is all that matters: readers that lag behind skip what came between. */
export interface Latest<Value> {
  get(): Value;
  set(value: Value): void;
  /** No more changes will come. */
  close(): void;
  readonly closed: boolean;
  /** Resolves when the value differs from `seen` or no more changes will come; rejects when the signal aborts. */
  change(seen: Value, signal: AbortSignal): Promise<void>;
  /** Resolves with the next change from now on; never after the last. Rejects when the signal aborts. */
  nextChange(signal: AbortSignal): Promise<void>;
}

export function createLatest<Value>(first: Value): Latest<Value> {
  let value = first;
  let closed = false;
  let arrival = Promise.withResolvers<void>();

  const announce = () => {
    arrival.resolve();
    arrival = Promise.withResolvers<void>();
  };

  return {
    get: () => value,
    set(next) {
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
      await unlessAborted(arrival.promise, signal);
    },
    nextChange: (signal) => unlessAborted(arrival.promise, signal),
  };
}

/** The promise's result, unless the signal aborts first; leaves no listener behind. */
export function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
