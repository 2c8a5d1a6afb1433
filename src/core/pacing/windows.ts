/**
 * Limits of calls per period in one place (a thread, room or tenant). Several periods apply at once, and several
 * families can share them.
 */

import { keepBound, remaining } from '../bound.ts';
import type { CallWindow } from '../channel/limits.ts';

/** A limit that counts calls by place (a thread, room or tenant), independently of the family's calls per minute. */
export interface Gate {
  /**
   * Returns the milliseconds until a call may be made in the place; infinite if a slot becomes free only after a call
   * in flight is answered.
   */
  wait(place: string, now: number): number;
  /** Like `wait`, for progress calls: also leaves slots for the ends of `replies` replies. */
  politeWait(place: string, now: number, replies: number): number;
  take(place: string, now: number): void;
  giveBack(place: string, now: number): void;
  /**
   * Records when a call was answered. The call's period begins then, because the channel may count the call only when
   * it answers.
   */
  answered(place: string, now: number): void;
  /** Blocks calls in the place for `ms` milliseconds, because the channel refused one there. */
  close(place: string, ms: number, now: number): void;
}

/** Maximum number of places in memory; a place that was dropped counts as unused. */
const PLACES = 10_000;
/** Minimum share of a window that progress calls leave for the ends of replies; always at least one call. */
const KEPT_FOR_ENDS = 0.1;
/**
 * Approximate minimum duration of a reply, in milliseconds. A window that is shorter than this needs fewer slots for
 * ends, because not all running replies can end within it.
 */
const REPLY_MS = 10_000;

interface PlaceUsage {
  /** Times at which the newest calls were answered, oldest first; at most as many as the largest window allows. */
  readonly answered: number[];
  inFlight: number;
  closed?: { readonly at: number; readonly ms: number };
}

export class Windows implements Gate {
  readonly #windows: readonly CallWindow[];
  readonly #most: number;
  /**
   * The shortest window, if there are several. The first text of a reply may use all of it. The longer windows still
   * reserve a call for the end, so the end waits no longer than the shortest window.
   */
  readonly #burst: CallWindow | undefined;
  readonly #usages = new Map<string, PlaceUsage>();

  constructor(windows: readonly CallWindow[]) {
    this.#windows = windows;
    this.#most = Math.max(...windows.map(({ calls }) => calls));
    const [shortest, ...longer] = windows.toSorted((one, other) => one.ms - other.ms);
    this.#burst = longer.length === 0 ? undefined : shortest;
  }

  wait(place: string, now: number): number {
    return this.#longest(place, now, ({ calls }) => calls);
  }

  politeWait(place: string, now: number, replies: number): number {
    const isFirst = replies === 0;
    return this.#longest(place, now, (window) => {
      const reserved = isFirst && window === this.#burst ? 0 : keptForEnds(window, replies);
      return window.calls - reserved;
    });
  }

  #longest(place: string, now: number, allowed: (window: CallWindow) => number): number {
    const usage = this.#usages.get(place);
    if (usage === undefined) return 0;
    const waits = this.#windows.map((window) => slotWait(usage, { ...window, calls: allowed(window) }, now));
    return Math.max(remaining(usage.closed?.at, usage.closed?.ms ?? 0, now), ...waits);
  }

  take(place: string): void {
    this.#open(place).inFlight += 1;
  }

  giveBack(place: string): void {
    this.#open(place).inFlight -= 1;
  }

  answered(place: string, now: number): void {
    const usage = this.#open(place);
    usage.inFlight -= 1;
    usage.answered.push(now);
    if (usage.answered.length > this.#most) usage.answered.shift();
  }

  close(place: string, ms: number, now: number): void {
    this.#open(place).closed = { at: now, ms };
  }

  #open(place: string): PlaceUsage {
    const usage = this.#usages.get(place) ?? { answered: [], inFlight: 0 };
    keepBound(this.#usages, place, usage, PLACES);
    return usage;
  }
}

function keptForEnds({ calls, ms }: CallWindow, replies: number): number {
  const ends = Math.ceil(replies * Math.min(1, ms / REPLY_MS));
  return Math.max(1, Math.ceil(calls * KEPT_FOR_ENDS), Math.min(ends, Math.floor(calls / 2)));
}

/**
 * Returns the milliseconds until a slot is free. `free` is the number of calls that the window allows besides the calls
 * in flight. If the last `free` answered calls are all in the window, a slot is free when the oldest of these leaves
 * the window.
 */
function slotWait({ answered, inFlight }: PlaceUsage, { calls, ms }: CallWindow, now: number): number {
  const free = calls - inFlight;
  if (free <= 0) return Number.POSITIVE_INFINITY;
  return remaining(answered[answered.length - free], ms, now);
}
