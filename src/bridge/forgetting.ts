/**
 * Carries out requests to forget a person, a thread or a workspace. Each request is stored first, so a bridge that is
 * killed in the middle carries it out after its restart.
 */

import type { Clock } from '../core/clock.ts';
import { turnId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import {
  addUp,
  type ForgetRequest,
  type ForgetTarget,
  type Receipt,
  type Remaining,
} from '../core/stores/forgetting.ts';
import type { ChannelAdapter } from '../kit.ts';
import type { Store } from '../store/index.ts';

/** Interval between checks for requests that commands or other replicas have stored, in milliseconds. */
const LOOK_MS = 1_000;
/** Maximum wait for the end of stopped turns, and interval between checks, in milliseconds. */
const STOP_MS = 30_000;
const STOP_LOOK_MS = 200;
/**
 * Wait after the last turn has ended, in milliseconds. The turn's timeline is stored during this time, so the deletion
 * that follows includes it.
 */
const SETTLED_MS = 1_000;
/** Pause after a failure, in milliseconds. */
const FAILED_MS = 5_000;
/** Maximum ids of conversations in a receipt. */
const LISTED = 100;

export interface ForgetterDeps {
  readonly store: Pick<Store, 'forgetting' | 'inbox' | 'once'>;
  readonly adapters: readonly Pick<ChannelAdapter, 'name' | 'forget' | 'stored'>[];
  /** Stores the owners of links that an earlier version stored, so that `erase` finds all their values. */
  nameOwners(target: ForgetTarget): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export type Forgetter = ReturnType<typeof createForgetter>;

export function createForgetter(deps: ForgetterDeps) {
  const { store, clock, log } = deps;
  let running = Promise.resolve();
  const carryOutAll = async (): Promise<void> => {
    for (let request = await store.forgetting.next(); request !== undefined; ) {
      await store.forgetting.finish(request, await carryOut(request, deps));
      request = await store.forgetting.next();
    }
  };
  /** Requests are carried out one at a time, by one replica. */
  const work = (): Promise<void> => {
    const next = running.then(() => store.once('forget', 0, carryOutAll));
    running = next.catch(() => undefined);
    return next;
  };
  return {
    /** Stores the request, and resolves once it is carried out, or once another replica carries it out. */
    async forget(target: ForgetTarget) {
      await store.forgetting.request(target, false);
      await work();
    },
    /** Carries out stored requests until the signal aborts. */
    async run(signal: AbortSignal) {
      while (!signal.aborted) {
        const pause = await look().catch((err: unknown) => {
          log.warn({ err }, 'a request to forget data could not be carried out; it is tried again');
          return FAILED_MS;
        });
        await clock.wait(pause, signal).catch(() => undefined);
      }
    },
  };
  async function look(): Promise<number> {
    if ((await store.forgetting.next()) !== undefined) await work();
    return LOOK_MS;
  }
}

async function carryOut(request: ForgetRequest, deps: ForgetterDeps): Promise<Receipt> {
  const { target, stops, id, dryRun } = request;
  const { store, log } = deps;
  const channel = deps.adapters.find(({ name }) => name === target.channel);
  const pseudonym = `forgotten-${id.slice(0, 8)}`;
  await deps.nameOwners(target);
  if (dryRun) {
    const { removed, platformSessions } = await store.forgetting.preview(target);
    const own = await channel?.stored?.(target);
    const remaining = remainingOf(platformSessions, channel?.forget !== undefined);
    return { outcome: 'dry-run', pseudonym, removed: addUp([removed, own ?? {}]), remaining };
  }
  const open = stops ? await stopTurns(target, deps) : 0;
  if (open > 0) return { outcome: 'refused', pseudonym, removed: {}, remaining: [stillOpen(open)] };
  const own = await channel?.forget?.(target);
  const { removed, platformSessions } = await store.forgetting.erase(target);
  const auditRecords = await anonymize(target, pseudonym, deps);
  const receipt: Receipt = {
    outcome: 'done',
    pseudonym,
    removed: addUp([removed, { auditRecords }, own ?? {}]),
    remaining: remainingOf(platformSessions, own !== undefined),
  };
  log.info(
    { kind: target.kind, channel: target.channel, removed: receipt.removed },
    'stored data was forgotten',
  );
  return receipt;
}

/** Stops the target's turns, and waits for their end. Resolves with the number of turns that have not ended. */
async function stopTurns(target: ForgetTarget, { store, clock }: ForgetterDeps): Promise<number> {
  const until = clock.now() + STOP_MS;
  const stopped = new Set<string>();
  for (;;) {
    const open = await store.forgetting.open(target);
    for (const id of open) {
      if (!stopped.has(id)) await store.inbox.interrupt(turnId(id), { kind: 'stop', by: '' });
      stopped.add(id);
    }
    if (open.length === 0 && stopped.size > 0) await clock.wait(SETTLED_MS);
    if (open.length === 0 || clock.now() > until) return open.length;
    await clock.wait(STOP_LOOK_MS);
  }
}

async function anonymize(target: ForgetTarget, pseudonym: string, { store }: ForgetterDeps): Promise<number> {
  for (let sum = 0; ; ) {
    const changed = await store.forgetting.anonymize(target, pseudonym);
    if (changed === 0) return sum;
    sum += changed;
  }
}

const stillOpen = (open: number): Remaining => ({
  what: 'everything',
  why: `${open} ${open === 1 ? 'answer' : 'answers'} did not stop within ${STOP_MS / 1_000} s. Run the command again.`,
});

function remainingOf(sessions: readonly string[], ownsMessages: boolean): readonly Remaining[] {
  const conversations: Remaining = {
    what: `${sessions.length} ${sessions.length === 1 ? 'conversation' : 'conversations'} on the agent platform`,
    why: 'The agent platform offers no operation that deletes conversations. Ask its operator.',
    ids: sessions.slice(0, LISTED),
  };
  const messages: Remaining = {
    what: 'messages in the chat platform',
    why: 'They belong to the chat platform. Delete them there.',
  };
  return [...(sessions.length > 0 ? [conversations] : []), ...(ownsMessages ? [] : [messages])];
}
