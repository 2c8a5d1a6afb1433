/**
 * A sign on a waiting question, visible to everyone in the thread. Its entry is stored before the sign is
 * posted and deleted only when the channel confirms the removal, so that no sign stays on a question whose
 * answer has begun (fault F32).
 */

import type { AdapterHost } from '../core/channel/host.ts';
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
 * Interval, in milliseconds, between searches for questions that stopped waiting without an answer (edited or
 * deleted).
 */
const LOOK_EVERY_MS = 2_000;
/** Interval between reads of the signs that other processes posted, in milliseconds. */
const REFRESH_EVERY_MS = 15_000;
/**
 * Time in which the process that posted a sign removes it, in milliseconds. After that, another process that shares the
 * store removes it.
 */
const OTHERS_MS = 15_000;
/**
 * Time in which a call with unknown outcome may still take effect, in milliseconds: the channel's maximum time for a
 * call.
 */
const LATE_MS = 10_000;
/** Pause after a failed call, in milliseconds; doubled after each failure, up to the maximum. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** `id`: id of the message, if the sign is one. */
export type Put =
  | { readonly kind: 'done'; readonly id?: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown' };

/** `retry`: the sign may still exist. `afterMs` is set if the channel says when to try again. */
export type Taken = { readonly kind: 'gone' } | { readonly kind: 'retry'; readonly afterMs?: number };

interface SignDeps extends SignListDeps {
  readonly host: SignListDeps['host'] & Pick<AdapterHost<unknown, unknown>, 'waits'>;
  readonly background: Background;
  /** Returns the place of a question's sign; undefined if it gets none. */
  placeOf(turn: Turn): Pick<WaitingSign, 'tenant' | 'room' | 'on' | 'thread'> | undefined;
  /** Posts the sign. Never rejects, like `take`. */
  put(sign: WaitingSign, turn: Turn, ahead: number): Promise<Put>;
  /**
   * Removes the sign; never rejects. @param known ids of all known signs that are messages, which a search
   * for a sign of unknown id must skip
   */
  take(sign: WaitingSign, known: readonly string[]): Promise<Taken>;
  /** Aborts when the adapter stops. The next process removes the remaining signs. */
  readonly signal: AbortSignal;
}

export interface WaitingSigns {
  /** Posts a sign for a turn with `ahead` questions before it. Runs in the background, like `take`. */
  put(turn: Turn, ahead: number): void;
  /** Removes the sign, because the answer begins. */
  take(turn: Turn): void;
  /** Forgets a workspace from which the app was removed. */
  forget(tenant: string): Promise<void>;
}

/** This process's state of a stored sign. */
interface SignState {
  over: boolean;
  /** True while a call for the sign is running. */
  busy: boolean;
  /** Time after which a call that posts the sign can no longer take effect. */
  quietAt: number;
  /** Earliest time of the next attempt. */
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

export async function createWaitingSigns(deps: SignDeps): Promise<WaitingSigns> {
  const { host, background } = deps;
  const list = await openSigns(deps);
  const wakeup = createWakeup(deps);
  const context: SignContext = { ...deps, list, known: new Map(), wake: wakeup.wake };
  background.run('removing waiting notices of an earlier process', () => checkSigns(context, wakeup));
  return {
    put(turn, ahead) {
      const place = deps.placeOf(turn);
      if (place === undefined) return;
      const sign = { ...place, turn: turn.id, putAt: host.clock.now() };
      background.run('a waiting notice', () => put(sign, { turn, ahead, context }));
    },
    take(turn) {
      const place = deps.placeOf(turn);
      const sign = place && list.at(place);
      if (sign === undefined) return;
      stateOf(sign, context).over = true;
      wakeup.wake();
    },
    async forget(tenant) {
      for (const sign of list.all()) if (sign.tenant === tenant) await drop(sign, context);
    },
  };
}

/**
 * Returns this process's state of a stored sign. The call of an earlier process that posts the sign may still
 * be in flight.
 */
function stateOf(sign: WaitingSign, { known, host }: SignContext): SignState {
  const place = placeOf(sign);
  const found = known.get(place);
  if (found !== undefined) return found;
  const quietAt = host.clock.now() + LATE_MS;
  const state = { over: false, busy: false, quietAt, dueAt: 0, failures: 0, inherited: false };
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
  const before = list.at(sign);
  if (before !== undefined) {
    // The sign was already posted for an earlier revision of the question.
    state.over = false;
    return list.replace({ ...before, turn: sign.turn });
  }
  state.busy = true;
  try {
    // The turn may have started meanwhile; then no event would remove the sign.
    const waits = (await list.add(sign)) && (await host.waits(sign.turn));
    const answer = waits && (await context.put(sign, turn, ahead));
    if (answer === false || answer.kind === 'refused') return await drop(sign, context);
    state.quietAt = host.clock.now() + (answer.kind === 'done' ? 0 : LATE_MS);
    const now = list.at(sign);
    if (answer.kind === 'done' && answer.id !== undefined && now !== undefined)
      // This process has the sign in memory and removes it even if the store is down.
      await list
        .replace({ ...now, id: answer.id })
        .catch((err: unknown) =>
          host.log.warn({ err }, 'a waiting notice may remain after the process ends'),
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
  // The signs that are stored at the start belong to an earlier process, which no longer removes them.
  for (const sign of list.all()) stateOf(sign, context).inherited = true;
  for (let refreshAt = host.clock.now() + REFRESH_EVERY_MS; !signal.aborted; ) {
    for (const sign of list.all()) await look(sign, context);
    await wakeup.next(list.all().length > 0 ? LOOK_EVERY_MS : REFRESH_EVERY_MS);
    if (host.clock.now() < refreshAt) continue;
    // If the store is down, the next refresh finds the signs.
    await list.refresh().catch(() => undefined);
    refreshAt = host.clock.now() + REFRESH_EVERY_MS;
  }
}

async function look(sign: WaitingSign, context: SignContext): Promise<void> {
  const { host, background } = context;
  const state = stateOf(sign, context);
  if (state.busy || host.clock.now() < state.dueAt) return;
  // If the store is down, the turn counts as waiting until the next check.
  if (!state.over && !(await host.waits(sign.turn).catch(() => true))) {
    state.over = true;
    if (context.list.isForeign(sign) && !state.inherited) state.dueAt = host.clock.now() + OTHERS_MS;
  }
  if (state.over && host.clock.now() >= state.dueAt)
    background.run('removing a waiting notice', () => takeAway(sign, state, context));
}

async function takeAway(sign: WaitingSign, state: SignState, context: SignContext): Promise<void> {
  const { now } = context.host.clock;
  if (state.busy || context.known.get(placeOf(sign)) !== state) return;
  state.busy = true;
  try {
    const asked = now();
    const known = context.list.all().flatMap(({ id }) => id ?? []);
    const taken = await context.take(sign, known);
    if (taken.kind === 'retry') state.dueAt = now() + pauseAfter(taken, state);
    else if (asked < state.quietAt) state.dueAt = state.quietAt;
    else await drop(sign, context);
    if (now() - sign.putAt > KEPT_MS) await drop(sign, context);
  } finally {
    state.busy = false;
  }
}

function pauseAfter({ afterMs }: Extract<Taken, { kind: 'retry' }>, state: SignState): number {
  const pause = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** state.failures);
  state.failures += 1;
  return afterMs ?? pause;
}

interface Wakeup {
  wake(): void;
  /** Resolves after `wake`, when the adapter stops, or after this many milliseconds. */
  next(restMs: number): Promise<void>;
}

function createWakeup({ host, signal }: SignDeps): Wakeup {
  let woken = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => woken.resolve(), { once: true });
  return {
    wake: () => woken.resolve(),
    async next(restMs) {
      const rested = new AbortController();
      const rest = host.clock.wait(restMs, AbortSignal.any([signal, rested.signal])).catch(() => undefined);
      await Promise.race([rest, woken.promise]);
      rested.abort();
      if (!signal.aborted) woken = Promise.withResolvers<void>();
    },
  };
}
