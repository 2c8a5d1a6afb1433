/** The clock of the core. All times are milliseconds since the epoch, all spans are milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason if the signal aborts first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Abort reason for waits that are no longer needed. Without a reason, each abort would create an error with a stack
 * trace.
 */
export const OVER = Symbol('no longer needed');

/** A signal for one wait. It aborts when the outer signal aborts or when `end` is called. */
export type Wait = ReturnType<typeof openWait>;

/** Creates a wait. Cheaper than `AbortSignal.any`, whose signals stay in memory until a garbage collection. */
export function openWait(outer: AbortSignal) {
  const own = new AbortController();
  const signal: AbortSignal = own.signal;
  const follow = () => own.abort(outer.reason);
  if (outer.aborted) follow();
  else outer.addEventListener('abort', follow, { once: true });
  return {
    signal,
    /**
     * Aborts the signal and stops listening to the outer signal. Must always be called, because the outer signal keeps
     * the listener until then.
     */
    end(reason: unknown = OVER) {
      outer.removeEventListener('abort', follow);
      own.abort(reason);
    },
  };
}

/**
 * Resolves with the value, or rejects with the signal's reason if the signal aborts first. After an abort, the
 * work continues, because other callers may share it.
 */
export function orAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void value.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Resolves with the result of `work`, or with undefined after `ms` milliseconds; the work then continues. */
export function within<Value>(work: Promise<Value>, ms: number, clock: Clock): Promise<Value | undefined> {
  const over = new AbortController();
  const late = clock.wait(ms, over.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([work, late]).finally(() => over.abort());
}

/** Interval between checks of `untilTrue`, in milliseconds. */
const CHECK_EVERY_MS = 200;

/**
 * Resolves at most 200 ms after the condition becomes true. Rejects with the signal's reason if the signal aborts
 * first.
 */
export async function untilTrue(condition: () => boolean, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!condition()) await clock.wait(CHECK_EVERY_MS, signal);
}
