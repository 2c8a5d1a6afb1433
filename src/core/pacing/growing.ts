/** The replies that grow just now, and how long they are likely to go on. */

import type { TurnId } from '../ids.ts';
import { remaining } from './bound.ts';
import { Crowds } from './crowds.ts';

/** Milliseconds that a reply is taken to grow for before any has ended, and the bounds of what is learned. */
const LIKELY_MS = 10_000;
const SHORTEST_MS = 5_000;
const LONGEST_MS = 60_000;
/** The weight of the reply that ended last in what is learned. */
const LEARNED = 0.2;
/** Replies that grow for longer than expected are taken to go on for this share of it. */
const LEAST_LEFT = 0.1;

interface Growth {
  readonly beganAt: number;
  readonly shownAt: number;
}

export class Growing {
  readonly #replies = new Map<TurnId, Growth>();
  /** By family. */
  readonly #crowds = new Crowds();
  #likelyMs = LIKELY_MS;
  #lastBegan: number | undefined;

  /** A call of the reply goes out. It begins to grow with its first words. */
  show(reply: TurnId, isFirst: boolean, now: number): void {
    const known = this.#replies.get(reply);
    if (known === undefined && !isFirst) return;
    if (known === undefined) this.#lastBegan = now;
    this.#replies.set(reply, { beganAt: known?.beganAt ?? now, shownAt: now });
  }

  /** How much of `ms` is left since the reply's last call. */
  wait(reply: TurnId, ms: number, now: number): number {
    return remaining(this.#replies.get(reply)?.shownAt, ms, now);
  }

  /** Counts the reply among those that grow by calls of the family; how many there are. */
  join(family: string, reply: TurnId): number {
    return this.#crowds.join(family, reply);
  }

  /** The reply is over: how long it grew is what the next ones are likely to take. */
  leave(reply: TurnId): void {
    this.#crowds.leave(reply);
    const ended = this.#replies.get(reply);
    if (ended === undefined) return;
    this.#replies.delete(reply);
    const tookMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ended.shownAt - ended.beganAt));
    this.#likelyMs += (tookMs - this.#likelyMs) * LEARNED;
  }

  /** Milliseconds that the spare calls should last: until the youngest reply is likely to end. */
  spanAt(now: number): number {
    const age = Math.max(0, now - (this.#lastBegan ?? now));
    return Math.max(this.#likelyMs - age, this.#likelyMs * LEAST_LEFT);
  }
}
