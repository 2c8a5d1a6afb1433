/**
 * A sign on a waiting question, visible to everyone in the thread. It is stored before it is posted, and forgotten only
 * when the channel confirms its removal, so that no sign stays on a question whose answer has begun (fault F32).
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

/** Interval between searches for questions that no longer wait although their answers never began (edited, deleted). */
const LOOK_EVERY_MS = 2_000;
/**
 * Time in which a call with unknown outcome may still take effect, in milliseconds: the channel's maximum time for a
 * call.
 */
const LATE_MS = 10_000;
/** Pause after a failed call, in milliseconds; doubled each time up to the longest. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** `id`: id of the message, if the sign is one. */
export type Put =
  | { readonly kind: 'done'; readonly id?: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown' };

/** `retry`: the sign may still be there; `afterMs` if the channel says when to try again. */
export type Taken = { readonly kind: 'gone' } | { readonly kind: 'retry'; readonly afterMs?: number };

interface SignDeps extends SignListDeps {
  readonly host: SignListDeps['host'] & Pick<AdapterHost<unknown, unknown>, 'waits'>;
  readonly background: Background;
  /** Returns the place of a question's sign; undefined if it gets none. */
  placeOf(turn: Turn): Pick<WaitingSign, 'tenant' | 'room' | 'on' | 'thread'> | undefined;
  /** Posts the sign. Never rejects, like `take`. */
  put(sign: WaitingSign, turn: Turn, ahead: number): Promise<Put>;
  /** @param known ids of all signs that are messages, which a search for a sign of unknown id must skip */
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
interface Standing {
  over: boolean;
  /** True while a call is running. */
  busy: boolean;
  /** Time after which no call that posts the sign can take effect. */
  quietAt: number;
  /** Earliest time of the next attempt. */
  dueAt: number;
  failures: number;
}

interface Shelf extends SignDeps {
  readonly list: SignList;
  readonly known: Map<string, Standing>;
  wake(): void;
}

export async function createWaitingSigns(deps: SignDeps): Promise<WaitingSigns> {
  const { host, background } = deps;
  const list = await openSigns(deps);
  const bell = createBell(deps);
  const shelf: Shelf = { ...deps, list, known: new Map(), wake: bell.ring };
  background.run('removing waiting notices of an earlier process', () => lookAfter(shelf, bell));
  return {
    put(turn, ahead) {
      const place = deps.placeOf(turn);
      if (place === undefined) return;
      const sign = { ...place, turn: turn.id, putAt: host.clock.now() };
      background.run('a waiting notice', () => put(sign, { turn, ahead, shelf }));
    },
    take(turn) {
      const place = deps.placeOf(turn);
      const sign = place && list.at(place);
      if (sign === undefined) return;
      standingOf(sign, shelf).over = true;
      bell.ring();
    },
    async forget(tenant) {
      for (const sign of list.all()) if (sign.tenant === tenant) await drop(sign, shelf);
    },
  };
}

/** For a sign of an earlier process, the call that posts it may still be on its way. */
function standingOf(sign: WaitingSign, { known, host }: Shelf): Standing {
  const place = placeOf(sign);
  const found = known.get(place);
  if (found !== undefined) return found;
  const quietAt = host.clock.now() + LATE_MS;
  const standing = { over: false, busy: false, quietAt, dueAt: 0, failures: 0 };
  known.set(place, standing);
  return standing;
}

async function drop(sign: WaitingSign, { list, known }: Shelf): Promise<void> {
  known.delete(placeOf(sign));
  await list.remove(sign);
}

interface Putting {
  readonly turn: Turn;
  readonly ahead: number;
  readonly shelf: Shelf;
}

async function put(sign: WaitingSign, { turn, ahead, shelf }: Putting): Promise<void> {
  const { list, host } = shelf;
  const standing = standingOf(sign, shelf);
  const before = list.at(sign);
  if (before !== undefined) {
    // The sign exists already, for an earlier wording of the question.
    standing.over = false;
    return list.replace({ ...before, turn: sign.turn });
  }
  standing.busy = true;
  try {
    // If the turn has begun in the meantime, no event would remove the sign.
    const waits = (await list.add(sign)) && (await host.waits(sign.turn));
    const answer = waits && (await shelf.put(sign, turn, ahead));
    if (answer === false || answer.kind === 'refused') return await drop(sign, shelf);
    standing.quietAt = host.clock.now() + (answer.kind === 'done' ? 0 : LATE_MS);
    const now = list.at(sign);
    if (answer.kind === 'done' && answer.id !== undefined && now !== undefined)
      // This process knows the sign and removes it, even if the store is down.
      await list
        .replace({ ...now, id: answer.id })
        .catch((err: unknown) =>
          host.log.warn({ err }, 'a waiting notice may remain after the process ends'),
        );
  } catch (thrown) {
    await drop(sign, shelf);
    throw thrown;
  } finally {
    standing.busy = false;
    shelf.wake();
  }
}

/** Checks all signs until the adapter stops. */
async function lookAfter(shelf: Shelf, bell: Bell): Promise<void> {
  while (!shelf.signal.aborted) {
    for (const sign of shelf.list.all()) await look(sign, shelf);
    await bell.next(shelf.list.all().length > 0);
  }
}

async function look(sign: WaitingSign, shelf: Shelf): Promise<void> {
  const { host, background } = shelf;
  const standing = standingOf(sign, shelf);
  if (standing.busy || host.clock.now() < standing.dueAt) return;
  // If the store is down, the turn counts as waiting until the next check.
  standing.over ||= !(await host.waits(sign.turn).catch(() => true));
  if (standing.over) background.run('removing a waiting notice', () => takeAway(sign, standing, shelf));
}

async function takeAway(sign: WaitingSign, standing: Standing, shelf: Shelf): Promise<void> {
  const { now } = shelf.host.clock;
  if (standing.busy || shelf.known.get(placeOf(sign)) !== standing) return;
  standing.busy = true;
  try {
    const asked = now();
    const known = shelf.list.all().flatMap(({ id }) => id ?? []);
    const taken = await shelf.take(sign, known);
    if (taken.kind === 'retry') standing.dueAt = now() + pauseAfter(taken, standing);
    else if (asked < standing.quietAt) standing.dueAt = standing.quietAt;
    else await drop(sign, shelf);
    if (now() - sign.putAt > KEPT_MS) await drop(sign, shelf);
  } finally {
    standing.busy = false;
  }
}

function pauseAfter({ afterMs }: Extract<Taken, { kind: 'retry' }>, standing: Standing): number {
  const pause = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** standing.failures);
  standing.failures += 1;
  return afterMs ?? pause;
}

interface Bell {
  ring(): void;
  /** Resolves when it rings, when the adapter stops, or, if `again`, after 2 s. */
  next(again: boolean): Promise<void>;
}

function createBell({ host, signal }: SignDeps): Bell {
  let rung = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => rung.resolve(), { once: true });
  return {
    ring: () => rung.resolve(),
    async next(again) {
      const rested = new AbortController();
      const rest = again
        ? host.clock.wait(LOOK_EVERY_MS, AbortSignal.any([signal, rested.signal])).catch(() => undefined)
        : rung.promise;
      await Promise.race([rest, rung.promise]);
      rested.abort();
      if (!signal.aborted) rung = Promise.withResolvers<void>();
    },
  };
}
