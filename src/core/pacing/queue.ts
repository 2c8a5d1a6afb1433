/** Who waits for leave in one tenant: reviewed whenever a slot may be free, the most urgent first. */

import { type Clock, OVER } from '../clock.ts';
import type { Leave, Wish } from './wish.ts';

/** Reviews are at least this far apart, so that many waits cost one look. */
const REVIEW_EVERY_MS = 5;

export interface Waiter {
  readonly wish: Wish;
  resolve(leave: Leave): void;
}

export class Queue {
  readonly #clock: Clock;
  /** Grants leave where it can, and then gives 0; else how long until it may. */
  readonly #offer: (waiter: Waiter) => number;
  #waiters: Waiter[] = [];
  #reviewAt = Number.POSITIVE_INFINITY;
  #timer = new AbortController();

  constructor(clock: Clock, offer: (waiter: Waiter) => number) {
    this.#clock = clock;
    this.#offer = offer;
  }

  wait(wish: Wish, waitMs: number, signal: AbortSignal): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
        if (this.#waiters.length === 0) this.#rest();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        wish,
        resolve(granted) {
          signal.removeEventListener('abort', leave);
          resolve(granted);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
      this.#reviewIn(waitMs);
    });
  }

  /** Something changed that may let one of them go. */
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

  /** Nobody waits: nothing is to be looked at. */
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

const endsReply = ({ wish }: Waiter): boolean => wish.moves.some(({ essential }) => essential);

/** What ends a reply, then what nobody sees anything of yet, then the oldest unseen text. */
function byUrgency(one: Waiter, other: Waiter): number {
  return (
    Number(endsReply(other)) - Number(endsReply(one)) ||
    Number(other.wish.first) - Number(one.wish.first) ||
    one.wish.since - other.wish.since
  );
}
