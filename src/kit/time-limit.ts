/**
 * Extra time for an answer that has arrived but was not read yet, in milliseconds. After a standstill of the process,
 * Node runs timers before it reads sockets. Without the extra time, a standstill longer than the limit would discard
 * answers that arrived in time, and their calls would count as calls of unknown outcome.
 */
const UNREAD_MS = 500;

/** Returns a signal that aborts after `ms` milliseconds of waiting for another server, with a `TimeoutError`. */
export function timeLimit(ms: number): AbortSignal {
  const over = new AbortController();
  afterwards(ms, () => afterwards(UNREAD_MS, (reason) => over.abort(reason)));
  return over.signal;
}

function afterwards(ms: number, then: (reason: unknown) => void): void {
  const late = AbortSignal.timeout(ms);
  late.addEventListener('abort', () => then(late.reason), { once: true });
}
