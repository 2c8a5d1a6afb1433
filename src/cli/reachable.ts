import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/** Pause between two attempts to reach the platform, in milliseconds. */
const PAUSE_MS = 2_000;
/** Maximum time of one attempt, in milliseconds. */
const TRY_MS = 5_000;

/** Watches whether the platform (the configured one or the sandbox) answers while the bridge starts. */
export interface PlatformWatch {
  /**
   * Resolves after the first attempt, even if the platform did not answer. Then the bridge may report that it is ready.
   */
  readonly opened: Promise<unknown>;
  /** Returns the reasons why the bridge is not ready yet; an empty list if the bridge is ready. */
  awaited(): readonly string[];
  stop(): Promise<void>;
}

/** Calls the platform's address until a response arrives, whatever its status is. Sends no credential. */
export function watchPlatform(baseUrl: string, clock: Clock, log: Log): PlatformWatch {
  const stopping = new AbortController();
  const first = Promise.withResolvers<void>();
  let tried = false;
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const attempt = await tryOnce(baseUrl, clock, stopping.signal);
      tried = true;
      first.resolve();
      if (attempt.reached || stopping.signal.aborted) return;
      log.warn({ baseUrl, trouble: attempt.trouble }, 'the agent platform cannot be reached yet');
      await clock.wait(PAUSE_MS, stopping.signal).catch(() => undefined);
    }
  };
  const watched = watch();
  return {
    opened: first.promise,
    // Questions are kept while the platform is down, so the bridge waits only for the first attempt.
    awaited: () => (tried ? [] : [`the agent platform at ${baseUrl} has not answered yet`]),
    async stop() {
      stopping.abort();
      await watched;
    },
  };
}

type Tried =
  /** `date` is the platform's time in milliseconds since the epoch, if its response contained one. */
  { readonly reached: true; readonly date?: number } | { readonly reached: false; readonly trouble: string };

/** Tries once to reach the platform. Any response counts. */
export async function tryOnce(baseUrl: string, clock: Clock, signal: AbortSignal): Promise<Tried> {
  const over = new AbortController();
  const timer = clock.wait(TRY_MS, over.signal).then(
    () => over.abort(),
    () => undefined,
  );
  try {
    const both = AbortSignal.any([signal, over.signal]);
    const response = await fetch(baseUrl, { method: 'HEAD', redirect: 'manual', signal: both });
    await response.body?.cancel();
    const date = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(date) ? { reached: true } : { reached: true, date };
  } catch (thrown) {
    return { reached: false, trouble: reasonOf(thrown) };
  } finally {
    over.abort();
    await timer;
  }
}

function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
