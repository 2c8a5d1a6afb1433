import type { Clock } from '../clock.ts';

/** A comment every 15 seconds keeps proxies from closing a silent stream (platform contract CHL-17). */
const PING_MS = 15_000;
const PING = Buffer.from(': ping\n\n');

/** The stream with pings between its events while nothing comes. */
export async function* withPings(
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    while (!signal.aborted) {
      const waiting = new AbortController();
      const silence = clock.sleep(PING_MS, AbortSignal.any([signal, waiting.signal])).then(() => undefined);
      const result = await Promise.race([next, silence]);
      waiting.abort();
      if (result === undefined) {
        if (!signal.aborted) yield PING;
        continue;
      }
      if (result.done) return;
      yield result.value;
      next = iterator.next();
    }
    next.catch(() => undefined);
  } finally {
    await iterator.return?.();
  }
}
