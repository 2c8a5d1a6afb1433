/**
 * A sign, such as a reaction, on a waiting question. Everyone in the thread sees the sign. Its entry in the list is
 * stored before the sign is posted, and deleted only when the channel has confirmed the removal. Therefore no sign
 * stays on a question whose answer has begun (fault F32).
 */

import type { AdapterHost } from '../core/channel/host.ts';
import type { Turn } from '../core/turn.ts';
import type { Background } from './background.ts';
import { KEPT_MS } from './outbox.ts';
import { LATE_MS, type Sign, SignList, type SignListDeps, type WaitingSign } from './waiting-sign-list.ts';

export type { WaitingSign } from './waiting-sign-list.ts';

/**
 * Milliseconds between searches for questions that no longer wait although no answer began, because they were edited
 * or deleted.
 */
const LOOK_EVERY_MS = 2_000;
/** Number of look-ups between two pauses. */
const LOOKS_AT_ONCE = 50;
/** Number of searches between reads of the signs that other processes have posted. */
const LOOKS_PER_REFRESH = 8;
/**
 * Time in which a sign is removed only by the process that posted it, in milliseconds. After that, another process that
 * shares the store removes the sign.
 */
const OTHERS_MS = 15_000;
/** Pause after a failed call, in milliseconds. Doubles with each further failure, up to the maximum. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Result of posting a sign. `id` is the id of its message, if the sign is a message. */
export type PostResult =
  | { readonly kind: 'done'; readonly id?: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown' };

/**
 * Result of removing a sign. `retry`: the sign may still exist; `afterMs` is set if the channel said when to try
 * again.
 */
export type RemovalResult = { readonly kind: 'gone' } | { readonly kind: 'retry'; readonly afterMs?: number };

export interface SignDeps extends SignListDeps {
  readonly host: SignListDeps['host'] & Pick<AdapterHost<unknown, unknown>, 'waits'>;
  readonly background: Background;
  /** Returns where the sign of a turn's question belongs; undefined if the question gets no sign. */
  placeOf(turn: Turn): Pick<WaitingSign, 'tenant' | 'room' | 'on' | 'thread'> | undefined;
  /** Posts the sign. Never rejects. */
  put(sign: WaitingSign, turn: Turn, ahead: number): Promise<PostResult>;
  /**
   * Removes the sign. Never rejects.
   * @param known ids of all signs that are messages; a search for a sign of unknown id must skip them
   */
  take(sign: WaitingSign, known: readonly string[]): Promise<RemovalResult>;
  /** Aborts when the adapter stops. The next process removes the remaining signs. */
  readonly signal: AbortSignal;
}

export type WaitingSigns = Awaited<ReturnType<typeof createWaitingSigns>>;

/** A message of the app; `turn` is the turn that tried to delete it. */
export interface LateRemoval extends Pick<WaitingSign, 'tenant' | 'room' | 'turn'> {
  readonly id: string;
}

interface SignContext extends SignDeps {
  readonly list: SignList;
}

/** Drops stored entries that cannot be read, so that the bridge always starts. */
export async function createWaitingSigns(deps: SignDeps) {
  const { host, background } = deps;
  const list = new SignList(deps);
  const context: SignContext = { ...deps, list };
  // Signs that are stored when this process starts belong to an earlier process, which no longer removes them.
  await list
    .refresh('earlier')
    .catch((err: unknown) => host.log.warn({ err }, '"waiting" notices of an earlier process may remain'));
  background.run('removing "waiting" notices of an earlier process', () => checkSigns(context));
  return {
    /** Posts a sign for a turn with `ahead` questions before it. Returns at once; the call runs in the background. */
    put(turn: Turn, ahead: number) {
      const place = deps.placeOf(turn);
      if (place === undefined) return;
      const entry = { ...place, turn: turn.id, putAt: host.clock.now() };
      background.run('a waiting notice', () => put(entry, (sign) => deps.put(sign, turn, ahead), context));
    },
    /** Removes the sign, because the answer begins. Returns at once; the call runs in the background. */
    take(turn: Turn) {
      const place = deps.placeOf(turn);
      const sign = place && list.at(place);
      if (sign === undefined) return;
      sign.endedTurn = sign.entry.turn;
      removeIfOver(sign, context);
    },
    /**
     * Deletes a message in `afterMs` milliseconds, because the channel refuses to delete it earlier. Resolves once the
     * message is stored in the list of signs, so that another process deletes it if this process ends. If the list is
     * full, logs a warning and does not delete the message. Rejects with `store-unavailable`.
     */
    async removeLater({ id, ...message }: LateRemoval, afterMs: number) {
      const now = host.clock.now();
      const sign = await list.add({ ...message, id, on: id, putAt: now, notBefore: now + afterMs });
      if (sign === undefined)
        return host.log.warn(
          message,
          'a "waiting" notice is not removed, because too many messages already wait to be removed',
        );
      sign.endedTurn = message.turn;
      sign.busy = false;
    },
    /** Deletes the entries of a workspace from which the app was removed. */
    async forget(tenant: string) {
      for (const sign of list.all()) if (sign.entry.tenant === tenant) await list.remove(sign);
    },
  };
}

async function put(
  entry: WaitingSign,
  post: (entry: WaitingSign) => Promise<PostResult>,
  context: SignContext,
): Promise<void> {
  const { list, host } = context;
  const { turn } = entry;
  const item = list.at(entry);
  if (item !== undefined) {
    // The question was edited. Its sign is there already, so only the entry changes.
    item.endedTurn = undefined;
    return list.update(item, { turn });
  }
  const sign = await list.add(entry);
  if (sign === undefined) return;
  const isReused = sign.by !== 'own';
  try {
    // If the turn started while the list was written, remove the sign now, because no later event would remove it.
    const waits = await host.waits(turn);
    if (isReused) sign.endedTurn = waits ? undefined : turn;
    if (isReused) return;
    const posted = waits ? await post(entry) : { kind: 'refused' as const };
    if (posted.kind === 'refused') return await list.remove(sign);
    sign.quietAt = host.clock.now() + (posted.kind === 'done' ? 0 : LATE_MS);
    if (posted.kind === 'done' && posted.id !== undefined)
      // This process keeps the sign in memory, so it removes the sign even if the store is down.
      await list
        .update(sign, { id: posted.id })
        .catch((err: unknown) =>
          host.log.warn({ err }, 'a "waiting" notice may remain after the process ends'),
        );
  } catch (thrown) {
    if (!isReused) await list.remove(sign);
    throw thrown;
  } finally {
    sign.busy = false;
    removeIfOver(sign, context);
  }
}

/** Checks all signs until the adapter stops. */
async function checkSigns(context: SignContext): Promise<void> {
  const { list, signal, host } = context;
  for (let looks = 1; !signal.aborted; looks += 1) {
    for (const [nth, sign] of list.all().entries()) {
      // Pause between some look-ups, because look-ups in a SQLite store block the event loop.
      if (nth % LOOKS_AT_ONCE === LOOKS_AT_ONCE - 1) await host.clock.wait(1, signal).catch(() => undefined);
      await look(sign, context);
    }
    await host.clock.wait(LOOK_EVERY_MS, signal).catch(() => undefined);
    // If the store is down now, the next refresh reads the signs.
    if (looks % LOOKS_PER_REFRESH === 0) await list.refresh().catch(() => undefined);
  }
}

/** Removes a sign whose question no longer waits. */
async function look(sign: Sign, context: SignContext): Promise<void> {
  const { host } = context;
  const { turn } = sign.entry;
  const isKnown = sign.endedTurn === turn || sign.busy || host.clock.now() < sign.dueAt;
  // If the store is down, assume until the next check that the turn still waits.
  if (!isKnown && !(await host.waits(turn).catch(() => true))) {
    sign.endedTurn = turn;
    if (sign.by === 'other') sign.dueAt = host.clock.now() + OTHERS_MS;
  }
  removeIfOver(sign, context);
}

function removeIfOver(sign: Sign, context: SignContext): void {
  const { host, signal, background } = context;
  if (sign.endedTurn !== sign.entry.turn || sign.busy || host.clock.now() < sign.dueAt) return;
  if (!signal.aborted) background.run('removing a waiting notice', () => takeAway(sign, context));
}

async function takeAway(sign: Sign, { list, host, take }: SignContext): Promise<void> {
  const { now } = host.clock;
  if (sign.busy || list.at(sign.entry) !== sign) return;
  sign.busy = true;
  try {
    const startedAt = now();
    // Another process may have stored the sign's id, or removed the sign. If the store is down, use the entry in memory.
    if (sign.by !== 'own') await list.refresh().catch(() => undefined);
    const { entry } = sign;
    if (list.at(entry) !== sign || entry.turn !== sign.endedTurn) return;
    const known = list.all().flatMap(({ entry: { id } }) => id ?? []);
    const result = await take(entry, known);
    if (result.kind === 'retry') {
      const pauseMs = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** sign.failures);
      sign.dueAt = now() + (result.afterMs ?? pauseMs);
      sign.failures += 1;
    } else if (startedAt < sign.quietAt) sign.dueAt = sign.quietAt;
    else await list.remove(sign);
    // No question waits longer. A sign that could not be removed by now stays in the channel.
    if (now() - entry.putAt > KEPT_MS) await list.remove(sign);
  } finally {
    sign.busy = false;
  }
}
