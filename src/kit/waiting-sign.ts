/**
 * A sign, such as a reaction, on a waiting question. Everyone in the thread sees the sign. Its entry in the list is
 * stored before the sign is posted, and deleted only when the channel has confirmed the removal. Therefore no sign
 * stays on a question whose answer has begun (fault F32).
 */

import type { AdapterHost } from '../core/channel/host.ts';
import type { TurnId } from '../core/ids.ts';
import type { Turn } from '../core/turn.ts';
import type { Background } from './background.ts';
import {
  KEPT_MS,
  openSigns,
  placeOf,
  type SignList,
  type SignListDeps,
  type WaitingSign,
} from './waiting-sign-list.ts';

export type { WaitingSign } from './waiting-sign-list.ts';

/**
 * Milliseconds between searches for questions that no longer wait although no answer began, because they were edited
 * or deleted.
 */
const LOOK_EVERY_MS = 2_000;
/** Number of look-ups between two pauses. */
const LOOKS_AT_ONCE = 50;
/** Milliseconds between reads of the signs that other processes have posted. */
const REFRESH_EVERY_MS = 15_000;
/**
 * Time in which a sign is removed only by the process that posted it, in milliseconds. After that, another process that
 * shares the store removes the sign.
 */
const OTHERS_MS = 15_000;
/**
 * Milliseconds for which a call of unknown outcome may still take effect: the maximum duration of a call to the
 * channel.
 */
const LATE_MS = 10_000;
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

/** The state of a stored sign, as far as this process knows it. */
interface SignState {
  /** The turn that no longer waits. Its sign is kept if an edit has given the sign to a newer turn meanwhile. */
  endedTurn?: TurnId | undefined;
  /** True while a call to the channel for this sign is in progress. */
  busy: boolean;
  /** Time after which the call that posts the sign can no longer take effect. */
  quietAt: number;
  /** Earliest time of the next attempt to remove the sign. */
  dueAt: number;
  failures: number;
  /** True if the sign was stored before this process started. */
  inherited: boolean;
}

interface SignContext extends SignDeps {
  readonly list: SignList;
  readonly known: Map<string, SignState>;
  wake(): void;
}

export async function createWaitingSigns(deps: SignDeps) {
  const { host, background } = deps;
  const list = await openSigns(deps);
  const wakeup = createWakeup(deps);
  const context: SignContext = { ...deps, list, known: new Map(), wake: wakeup.wake };
  background.run('removing "waiting" notices of an earlier process', () => checkSigns(context, wakeup));
  return {
    /** Posts a sign for a turn with `ahead` questions before it. Returns at once; the call runs in the background. */
    put(turn: Turn, ahead: number) {
      const place = deps.placeOf(turn);
      if (place === undefined) return;
      const sign = { ...place, turn: turn.id, putAt: host.clock.now() };
      background.run('a waiting notice', () => put(sign, { turn, ahead, context }));
    },
    /** Removes the sign, because the answer begins. Returns at once; the call runs in the background. */
    take(turn: Turn) {
      const place = deps.placeOf(turn);
      const sign = place && list.at(place);
      if (sign === undefined) return;
      stateOf(sign, context).endedTurn = sign.turn;
      wakeup.wake();
    },
    /**
     * Deletes a message in `afterMs` milliseconds, because the channel refuses to delete it earlier. Resolves once the
     * message is stored in the list of signs, so that another process deletes it if this process ends. If the list is
     * full, logs a warning and does not delete the message. Rejects with `store-unavailable`.
     */
    async removeLater({ id, ...message }: LateRemoval, afterMs: number) {
      const now = host.clock.now();
      const sign = { ...message, id, on: id, putAt: now, notBefore: now + afterMs };
      if ((await list.add(sign)) === 'full')
        host.log.warn(
          message,
          'a "waiting" notice is not removed, because too many messages already wait to be removed',
        );
      else stateOf(sign, context).endedTurn = sign.turn;
      wakeup.wake();
    },
    /** Deletes the entries of a workspace from which the app was removed. */
    async forget(tenant: string) {
      for (const sign of list.all()) if (sign.tenant === tenant) await drop(sign, context);
    },
  };
}

/**
 * Returns the state of a stored sign, as far as this process knows it. If this process knows nothing about the sign
 * yet, assumes that another process has just tried to post it, so that the sign may still appear.
 */
function stateOf(sign: WaitingSign, { known, host }: SignContext): SignState {
  const place = placeOf(sign);
  const found = known.get(place);
  if (found !== undefined) return found;
  const { notBefore } = sign;
  const quietAt = notBefore ?? host.clock.now() + LATE_MS;
  const state = { busy: false, quietAt, dueAt: notBefore ?? 0, failures: 0, inherited: false };
  known.set(place, state);
  return state;
}

async function drop(sign: WaitingSign, { list, known }: SignContext): Promise<void> {
  known.delete(placeOf(sign));
  await list.remove(sign);
}

interface Putting {
  readonly turn: Turn;
  readonly ahead: number;
  readonly context: SignContext;
}

async function put(sign: WaitingSign, { turn, ahead, context }: Putting): Promise<void> {
  const { list, host } = context;
  const state = stateOf(sign, context);
  if (list.at(sign) !== undefined) {
    // The question was edited. Its sign is there already, so only the entry changes.
    state.endedTurn = undefined;
    return list.update(sign, { turn: sign.turn });
  }
  state.busy = true;
  try {
    const added = await list.add(sign);
    // If the turn started while the list was written, remove the sign now, because no later event would remove it.
    const waits = added !== 'full' && (await host.waits(sign.turn));
    if (added === 'reused') {
      state.endedTurn = waits ? undefined : sign.turn;
      return;
    }
    const answer = waits && (await context.put(sign, turn, ahead));
    if (answer === false || answer.kind === 'refused') return await drop(sign, context);
    state.quietAt = host.clock.now() + (answer.kind === 'done' ? 0 : LATE_MS);
    if (answer.kind === 'done' && answer.id !== undefined)
      // This process keeps the sign in memory, so it removes the sign even if the store is down.
      await list
        .update(sign, { id: answer.id })
        .catch((err: unknown) =>
          host.log.warn({ err }, 'a "waiting" notice may remain after the process ends'),
        );
  } catch (thrown) {
    await drop(sign, context);
    throw thrown;
  } finally {
    state.busy = false;
    context.wake();
  }
}

/** Checks all signs until the adapter stops. */
async function checkSigns(context: SignContext, wakeup: Wakeup): Promise<void> {
  const { list, signal, host } = context;
  // Signs that are stored when this process starts belong to an earlier process, which no longer removes them.
  for (const sign of list.all()) stateOf(sign, context).inherited = true;
  const { clock } = host;
  for (let refreshAt = clock.now() + REFRESH_EVERY_MS, lookAt = clock.now(); !signal.aborted; ) {
    // Look up the signs only every two seconds. Each answer that begins wakes this loop, and a look-up of all signs
    // each time would block the event loop.
    if (Math.abs(lookAt - clock.now()) > LOOK_EVERY_MS || clock.now() >= lookAt) {
      await lookAtAll(context);
      lookAt = clock.now() + LOOK_EVERY_MS;
    }
    for (const sign of list.all()) removeIfOver(sign, context);
    await wakeup.next(list.all().length > 0 ? LOOK_EVERY_MS : REFRESH_EVERY_MS);
    if (clock.now() < refreshAt) continue;
    // If the store is down now, the next refresh reads the signs.
    await list.refresh().catch(() => undefined);
    refreshAt = clock.now() + REFRESH_EVERY_MS;
  }
}

/** Looks up all signs. Pauses between some look-ups, because look-ups in a SQLite store block the event loop. */
async function lookAtAll(context: SignContext): Promise<void> {
  const { list, host, signal } = context;
  for (const [nth, sign] of list.all().entries()) {
    if (nth % LOOKS_AT_ONCE === LOOKS_AT_ONCE - 1) await host.clock.wait(1, signal).catch(() => undefined);
    await look(sign, context);
  }
}

/** Marks a sign as over if its question no longer waits. */
async function look(sign: WaitingSign, context: SignContext): Promise<void> {
  const { host } = context;
  const state = stateOf(sign, context);
  if (state.endedTurn === sign.turn || state.busy || host.clock.now() < state.dueAt) return;
  // If the store is down, assume until the next check that the turn still waits.
  if (await host.waits(sign.turn).catch(() => true)) return;
  state.endedTurn = sign.turn;
  if (context.list.isForeign(sign) && !state.inherited) state.dueAt = host.clock.now() + OTHERS_MS;
}

function removeIfOver(sign: WaitingSign, context: SignContext): void {
  const state = stateOf(sign, context);
  if (state.endedTurn !== sign.turn || state.busy || context.host.clock.now() < state.dueAt) return;
  context.background.run('removing a waiting notice', () => takeAway(sign, state, context));
}

async function takeAway(sign: WaitingSign, state: SignState, context: SignContext): Promise<void> {
  const { now } = context.host.clock;
  if (state.busy || context.known.get(placeOf(sign)) !== state) return;
  state.busy = true;
  try {
    const asked = now();
    const newest = await readNewest(sign, context);
    if (newest === undefined || newest.turn !== state.endedTurn) return;
    const known = context.list.all().flatMap(({ id }) => id ?? []);
    const taken = await context.take(newest, known);
    if (taken.kind === 'retry') state.dueAt = now() + pauseAfter(taken, state);
    else if (asked < state.quietAt) state.dueAt = state.quietAt;
    else await drop(newest, context);
    if (now() - sign.putAt > KEPT_MS) await drop(newest, context);
  } finally {
    state.busy = false;
  }
}

/**
 * Resolves with the stored entry, which may have received the sign's id since `sign` was read. Resolves with undefined if
 * another process has removed the sign.
 */
async function readNewest(sign: WaitingSign, { list }: SignContext): Promise<WaitingSign | undefined> {
  // If the store is down, the entry that is already in memory is used.
  if (list.isForeign(sign)) await list.refresh().catch(() => undefined);
  return list.at(sign);
}

function pauseAfter({ afterMs }: Extract<RemovalResult, { kind: 'retry' }>, state: SignState): number {
  const pause = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** state.failures);
  state.failures += 1;
  return afterMs ?? pause;
}

type Wakeup = ReturnType<typeof createWakeup>;

function createWakeup({ host, signal }: SignDeps) {
  let woken = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => woken.resolve(), { once: true });
  return {
    wake: () => woken.resolve(),
    /** Resolves after `wake`, when the adapter stops, or after `restMs` milliseconds. */
    async next(restMs: number) {
      const rested = new AbortController();
      const rest = host.clock.wait(restMs, AbortSignal.any([signal, rested.signal])).catch(() => undefined);
      await Promise.race([rest, woken.promise]);
      rested.abort();
      if (!signal.aborted) woken = Promise.withResolvers<void>();
    },
  };
}
