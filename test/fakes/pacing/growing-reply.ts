/**
 * A reply that grows by a few words five times per second under the real pacer, to measure when people see the words.
 */

import { createCaughtUp } from '../../../src/core/live-reply/caught-up.ts';
import { begin, finish, keep } from '../../../src/core/live-reply/compose.ts';
import { createLatest } from '../../../src/core/pacing/latest.ts';
import { type Pacing, pace } from '../../../src/core/pacing/pace.ts';
import { change } from '../../../src/core/reply.ts';

const WORDS = 'Two years of warranty, in words. ';
const LAST = 'Z.';
const GROWS_EVERY_MS = 200;

/** Delays in milliseconds from the agent's output of the first and last words to their display. */
export interface Seen {
  readonly firstMs: number;
  readonly lastMs: number;
  /** Milliseconds from the end of the answer until the channel has the finished reply. */
  readonly closedMs: number;
}

export interface Eye {
  /** Must be called with each text that the channel accepts. */
  see(said: string): void;
  readonly times: { readonly first: number; readonly last: number };
}

export function openEye(clock: Pacing['clock']): Eye {
  const times = { first: Number.NaN, last: Number.NaN };
  return {
    times,
    see(said) {
      if (Number.isNaN(times.first) && said.includes('warranty')) times.first = clock.now();
      if (Number.isNaN(times.last) && said.includes(LAST)) times.last = clock.now();
    },
  };
}

export interface Growing extends Pick<Pacing, 'reply' | 'writer' | 'budgets' | 'clock'> {
  readonly room: string;
  readonly thread?: string;
  readonly eye: Eye;
  /** Milliseconds until the agent's first words. */
  readonly thinksMs: number;
  readonly lastsMs: number;
}

export async function growReply({
  eye,
  thinksMs,
  lastsMs,
  room,
  thread,
  ...replied
}: Growing): Promise<Seen> {
  const { reply, writer, budgets, clock } = replied;
  const live = new AbortController().signal;
  const latest = createLatest(begin(reply));
  const pacing = pace(latest, writer.blank(), {
    ...replied,
    place: { tenant: 'T1', room, ...(thread !== undefined && { thread }) },
    signal: live,
    mayWrite: () => true,
    halt: live,
    record: async () => undefined,
    moved: () => undefined,
  });
  const grown = (text: string) => change(latest.get(), { text: latest.get().text + text, state: 'writing' });
  await clock.wait(thinksMs);
  const first = clock.now();
  for (let at = 0; at < lastsMs; at += GROWS_EVERY_MS) {
    latest.set(grown(WORDS));
    await clock.wait(GROWS_EVERY_MS);
  }
  latest.set(finish(grown(LAST)));
  latest.close();
  const end = clock.now();
  await pacing;
  budgets.free(reply);
  return { firstMs: eye.times.first - first, lastMs: eye.times.last - end, closedMs: clock.now() - end };
}

/**
 * Says in a reply that its question is kept until the platform is back, and then detaches it. Resolves with the
 * milliseconds until people saw that.
 */
export async function keepReply({
  thinksMs,
  room,
  ...replied
}: Omit<Growing, 'eye' | 'thread' | 'lastsMs'>): Promise<number> {
  const { reply, writer, budgets, clock } = replied;
  const left = new AbortController();
  const latest = createLatest(begin(reply));
  const caughtUp = createCaughtUp(latest);
  const pacing = pace(latest, writer.blank(), {
    ...replied,
    place: { tenant: 'T1', room },
    signal: new AbortController().signal,
    halt: left.signal,
    mayWrite: () => true,
    record: async () => undefined,
    idle: caughtUp.idle,
    moved: () => undefined,
  });
  await clock.wait(thinksMs);
  const since = clock.now();
  latest.set(keep(latest.get()));
  await caughtUp.upToDate(left.signal);
  const ms = clock.now() - since;
  left.abort();
  await pacing.catch(() => undefined);
  budgets.free(reply);
  return ms;
}
