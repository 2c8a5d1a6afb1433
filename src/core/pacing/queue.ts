/**
 * The queue of permit requests of one tenant. All requests are checked, most urgent first, whenever a slot may be
 * free.
 */

import { type Clock, OVER } from '../clock.ts';
import type { Permit, PermitRequest } from './permit.ts';

/** Minimum milliseconds between two checks of the queue, so that many changes cause only one check. */
const REVIEW_EVERY_MS = 5;

export interface Waiter {
  readonly request: PermitRequest;
  resolve(giveUp: Permit): void;
}

export class Queue {
  readonly #clock: Clock;
  /** Grants the permit and returns 0, or returns the milliseconds until a permit may be possible. */
  readonly #offer: (waiter: Waiter) => number;
  #waiters: Waiter[] = [];
  #reviewAt = Number.POSITIVE_INFINITY;
  #timer = new AbortController();

  constructor(clock: Clock, offer: (waiter: Waiter) => number) {
    this.#clock = clock;
    this.#offer = offer;
  }

  wait(request: PermitRequest, waitMs: number, signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
        if (this.#waiters.length === 0) this.#rest();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        request,
        resolve(granted) {
          signal.removeEventListener('abort', giveUp);
          resolve(granted);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiters.push(waiter);
      this.#reviewIn(waitMs);
    });
  }

  /** Schedules a check of the queue after a change that may have freed a slot. */
  review(): void {
    if (this.#waiters.length > 0) this.#reviewIn(0);
  }

  #reviewIn(ms: number): void {
    const at = this.#clock.now() + Math.max(REVIEW_EVERY_MS, ms);
    if (at >= this.#reviewAt) return;
    this.#timer.abort(OVER);
    this.#timer = new AbortController();
    this.#reviewAt = at;
    void this.#clock.wait(at - this.#clock.now(), this.#timer.signal).then(
      () => this.#offerAll(),
      () => undefined,
    );
  }

  /** Stops the timer, because no request is waiting. */
  #rest(): void {
    this.#timer.abort(OVER);
    this.#reviewAt = Number.POSITIVE_INFINITY;
  }

  #offerAll(): void {
    this.#reviewAt = Number.POSITIVE_INFINITY;
    const waiting: Waiter[] = [];
    let waitMs = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters.sort(byUrgency)) {
      const wait = this.#offer(waiter);
      if (wait === 0) continue;
      waiting.push(waiter);
      waitMs = Math.min(waitMs, wait);
    }
    this.#waiters = waiting;
    this.#reviewIn(waitMs);
  }
}

const endsReply = ({ request }: Waiter): boolean => request.moves.some(({ essential }) => essential);

/**
 * Sorts calls that end a reply first, then calls for replies without visible text, then all other calls by the age of
 * their unseen text, oldest first.
 */
function byUrgency(one: Waiter, other: Waiter): number {
  return (
    Number(endsReply(other)) - Number(endsReply(one)) ||
    Number(other.request.first) - Number(one.request.first) ||
    one.request.since - other.request.since
  );
}
