/** Starts the parts of the bridge that run: the channels, the engine, and the tasks that end with the bridge. */

import { type Config, credentialOf } from '../config/schema.ts';
import type { Log } from '../core/log.ts';
import type { Outages } from '../core/turns/outages.ts';
import { catchStrays } from '../kit/stray.ts';
import type { AdapterHost, ChannelAdapter } from '../kit.ts';
import type { Store } from '../store/index.ts';
import { keyDeadlines } from './agents.ts';
import type { Engine } from './engine.ts';
import { createGuard, type GuardDeps, guarded } from './guarded.ts';

/** Milliseconds that running turns get to finish after the process is asked to stop (fault F31). */
const DRAIN_MS = 20_000;

/** Guards the channels from outside, and attributes their stray errors until the bridge stops. */
export function guardAll(
  outside: readonly ChannelAdapter[],
  deps: GuardDeps,
  opened: AsyncDisposableStack,
): readonly ChannelAdapter[] {
  if (outside.length > 0) opened.defer(catchStrays());
  return outside.map((adapter) => guarded(adapter, createGuard(adapter.name, deps)));
}

export function warnOfAgents(
  config: Config,
  adapters: readonly ChannelAdapter[],
  now: number,
  log: Log,
): void {
  for (const { ok, what, detail } of keyDeadlines(config, now)) if (!ok) log.warn({ what }, detail);
  const askers = Object.entries(config.agents).filter(([, agent]) => credentialOf(agent)?.kind === 'asker');
  if (askers.length === 0 || adapters.some(({ abilities }) => abilities.signIn !== undefined)) return;
  const agents = askers.map(([name]) => name);
  log.warn(
    { agents },
    'These agents have "kind: asker", but no channel has single sign-on. They use only the credential in "elsewhere".',
  );
}

/**
 * Starts the channels and resolves with the names of the running ones. If a channel from another package fails to
 * start, the others still run.
 */
export async function startChannels(
  adapters: readonly ChannelAdapter[],
  guests: readonly ChannelAdapter[],
  hostOf: (adapter: ChannelAdapter) => AdapterHost,
  opened: AsyncDisposableStack,
): Promise<readonly string[]> {
  const start = async (adapter: ChannelAdapter): Promise<string> => {
    opened.defer(() => adapter.stop());
    await adapter.start(hostOf(adapter));
    return adapter.name;
  };
  const names: string[] = [];
  for (const adapter of adapters) names.push(await start(adapter));
  const started = await Promise.allSettled(guests.map(start));
  return [...names, ...started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))];
}

/** If a channel is not running, keeps its turns in the queue, because no adapter could show their answers. */
export async function holdOthers(channels: readonly string[], store: Store, log: Log): Promise<void> {
  for (const { channel, waiting } of await store.serve(channels)) {
    const text = 'questions from a channel that is not running stay queued until it runs again';
    log.warn({ channel, waiting }, text);
  }
}

/** Runs the tasks until the stack is disposed of, and then waits for their end. */
export function runTasks(
  opened: AsyncDisposableStack,
  ...tasks: readonly ((signal: AbortSignal) => Promise<void>)[]
): void {
  const stopping = new AbortController();
  const ended = Promise.all(tasks.map((run) => run(stopping.signal)));
  opened.defer(async () => {
    stopping.abort();
    await ended;
  });
}

export async function startEngine(
  { worker, announcer }: Engine,
  outages: Outages,
  opened: AsyncDisposableStack,
): Promise<void> {
  await outages.begin();
  runTasks(opened, announcer.run, outages.run);
  worker.start();
  opened.defer(() => worker.drain(DRAIN_MS));
}
