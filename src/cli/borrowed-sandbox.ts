import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { tryOnce } from './reachable.ts';
import { runSandbox } from './sandbox-process.ts';

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
  const news = { indexing: () => undefined, restarted: () => undefined, complained: () => undefined };
  const sandbox = runSandbox(own, news, systemClock);
  try {
    return { url: await sandbox.opened, stop: sandbox.stop };
  } catch (thrown) {
    await sandbox.stop();
    throw thrown;
  }
}
