import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Platform } from '../platform/index.ts';

/** Pause between two attempts to reach the platform, in milliseconds. */
const PAUSE_MS = 2_000;

/** Watches whether a platform (a configured one or the sandbox) answers while the bridge starts. */
export interface PlatformWatch {
  /**
   * Resolves after the first attempt, even if the platform did not answer. Then the bridge may report that it is ready.
   */
  readonly opened: Promise<unknown>;
  /** Returns the reasons why the bridge is not ready yet; an empty list if the bridge is ready. */
  awaited(): readonly string[];
  stop(): Promise<void>;
}

/**
 * Calls the platform's address until a response arrives, whatever its status is. Sends no credential. Closes the
 * platform's client at the end.
 */
export function watchPlatform(
  platform: Pick<Platform, 'reach' | 'close'>,
  { name, baseUrl }: { readonly name: string; readonly baseUrl: string },
  clock: Clock,
  log: Log,
): PlatformWatch {
  const stopping = new AbortController();
  const first = Promise.withResolvers<void>();
  let tried = false;
  const isReached = async (): Promise<boolean> => {
    const fault = await platform.reach(stopping.signal);
    if (fault !== undefined)
      log.warn({ name, baseUrl, trouble: fault.message }, 'the agent platform cannot be reached yet');
    return fault === undefined;
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const reached = await isReached().catch(() => false);
      tried = true;
      first.resolve();
      if (reached) return;
      await clock.wait(PAUSE_MS, stopping.signal).catch(() => undefined);
    }
  };
  const watched = watch();
  return {
    opened: first.promise,
    // Questions are kept while the platform is down, so the bridge waits only for the first attempt.
    awaited: () => (tried ? [] : [`the agent platform ${name} at ${baseUrl} has not answered yet`]),
    async stop() {
      stopping.abort();
      await watched;
      await platform.close();
    },
  };
}

/** Watches several platforms as one. */
export const watchAll = (watches: readonly PlatformWatch[]): PlatformWatch => ({
  opened: Promise.all(watches.map(({ opened }) => opened)),
  awaited: () => watches.flatMap(({ awaited }) => awaited()),
  async stop() {
    await Promise.all(watches.map(({ stop }) => stop()));
  },
});
