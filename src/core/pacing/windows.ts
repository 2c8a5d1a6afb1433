/** So many calls in any stretch of time, by place: several stretches at once, which several families fill together. */

import { keepBound, remaining } from '../bound.ts';
import type { CallWindow } from '../channel/limits.ts';

/** A limit that counts calls by place, whatever the minute of the family says. */
export interface Gate {
  /** Time until a call there may be made, in milliseconds; infinite while only answers can free a slot. */
  wait(place: string, now: number): number;
  /** As `wait`, for progress, which leaves room for the ends of so many replies. */
  politeWait(place: string, now: number, replies: number): number;
  take(place: string, now: number): void;
  giveBack(place: string, now: number): void;
  /** The call was answered: it may have been counted as late as that. */
  answered(place: string, now: number): void;
  /** The channel refused a call there: nothing for so long. */
  close(place: string, ms: number, now: number): void;
}

/** Places remembered at once; one that is forgotten is taken as rested. */
const PLACES = 10_000;
/** The share of a window that progress leaves for the ends of replies at the least; of small windows one call. */
const KEPT_FOR_ENDS = 0.1;
/** A reply runs for about so long at the least: in a shorter window fewer of them end. */
const REPLY_MS = 10_000;

interface Book {
  /** When calls were answered, oldest first; no more than the largest window takes. */
  readonly answered: number[];
  inFlight: number;
  closed?: { readonly at: number; readonly ms: number };
}

export class Windows implements Gate {
  readonly #windows: readonly CallWindow[];
  readonly #most: number;
  /**
   * The shortest of several: first words may have it whole. The longer ones keep a call for an end, which then waits
   * for no more than this one's time.
   */
  readonly #burst: CallWindow | undefined;
  readonly #books = new Map<string, Book>();

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
      const kept = isFirst && window === this.#burst ? 0 : keptForEnds(window, replies);
      return window.calls - kept;
    });
  }

  #longest(place: string, now: number, allowed: (window: CallWindow) => number): number {
    const book = this.#books.get(place);
    if (book === undefined) return 0;
    const waits = this.#windows.map((window) => slotWait(book, { ...window, calls: allowed(window) }, now));
    return Math.max(remaining(book.closed?.at, book.closed?.ms ?? 0, now), ...waits);
  }

  take(place: string): void {
    this.#open(place).inFlight += 1;
  }

  giveBack(place: string): void {
    this.#open(place).inFlight -= 1;
  }

  answered(place: string, now: number): void {
    const book = this.#open(place);
    book.inFlight -= 1;
    book.answered.push(now);
    if (book.answered.length > this.#most) book.answered.shift();
  }

  close(place: string, ms: number, now: number): void {
    this.#open(place).closed = { at: now, ms };
  }

  #open(place: string): Book {
    const book = this.#books.get(place) ?? { answered: [], inFlight: 0 };
    keepBound(this.#books, place, book, PLACES);
    return book;
  }
}

function keptForEnds({ calls, ms }: CallWindow, replies: number): number {
  const ends = Math.ceil(replies * Math.min(1, ms / REPLY_MS));
  return Math.max(1, Math.ceil(calls * KEPT_FOR_ENDS), Math.min(ends, Math.floor(calls / 2)));
}

/** The call that must have left the window first is the one so many calls ago. */
function slotWait({ answered, inFlight }: Book, { calls, ms }: CallWindow, now: number): number {
  const free = calls - inFlight;
  if (free <= 0) return Number.POSITIVE_INFINITY;
  return remaining(answered[answered.length - free], ms, now);
}
