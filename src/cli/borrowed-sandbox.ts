import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { tryOnce } from './reachable.ts';
import { runSandbox } from './sandbox-process.ts';
import type { Progress } from './start-screen.ts';

/** How long the first documents may be read before the question is asked anyway. */
const INDEXING_MS = 20_000;

export interface BorrowedSandbox {
  readonly url: string;
  stop(): Promise<void>;
}

/** The sandbox of a running bridge where it answers, else one of our own, on a free port, for as long as we run. */
export async function borrowSandbox(config: Config): Promise<BorrowedSandbox> {
  const { baseUrl } = config.platform;
  if (config.sandbox.port !== 0) {
    const tried = await tryOnce(baseUrl, systemClock, new AbortController().signal);
    if (tried.reached) return { url: baseUrl, stop: async () => undefined };
  }
  const own = { ...config, sandbox: { ...config.sandbox, port: 0 } };
  const indexed = Promise.withResolvers<void>();
  const news = {
    indexing: ({ done, total }: Progress) => (done >= total ? indexed.resolve() : undefined),
    restarted: () => undefined,
    complained: () => undefined,
  };
  const sandbox = runSandbox(own, news, systemClock);
  try {
    const url = await sandbox.opened;
    await atMost(INDEXING_MS, indexed.promise);
    return { url, stop: sandbox.stop };
  } catch (thrown) {
    await sandbox.stop();
    throw thrown;
  }
}

async function atMost(ms: number, promise: Promise<void>): Promise<void> {
  const over = new AbortController();
  const timer = systemClock.wait(ms, over.signal).catch(() => undefined);
  await Promise.race([promise, timer]);
  over.abort();
  await timer;
}
