/** Tracks the replies that are growing and estimates how long they will continue. */

import type { TurnId } from '../ids.ts';
import { remaining } from './bound.ts';
import { ReplyCounts } from './reply-counts.ts';

/** Estimated growth time of a reply before any has ended, and the bounds of the learned estimate, in milliseconds. */
const LIKELY_MS = 10_000;
const SHORTEST_MS = 5_000;
const LONGEST_MS = 60_000;
/** Weight of the newest sample in the moving average. */
const LEARNED = 0.2;
/** A reply that outlasts the estimate is expected to continue for this share of it. */
const LEAST_LEFT = 0.1;

interface Growth {
  readonly beganAt: number;
  readonly shownAt: number;
}

export class Growing {
  readonly #replies = new Map<TurnId, Growth>();
  /** By family. */
  readonly #counts = new ReplyCounts();
  #likelyMs = LIKELY_MS;
  #lastBegan: number | undefined;

  /** Records a call of the reply. Growth starts with the call that shows its first words. */
  recordCall(reply: TurnId, isFirst: boolean, now: number): void {
    const known = this.#replies.get(reply);
    if (known === undefined && !isFirst) return;
    if (known === undefined) this.#lastBegan = now;
    this.#replies.set(reply, { beganAt: known?.beganAt ?? now, shownAt: now });
  }

  /** Milliseconds until `ms` have passed since the reply's last call. */
  wait(reply: TurnId, ms: number, now: number): number {
    return remaining(this.#replies.get(reply)?.shownAt, ms, now);
  }

  /** Adds the reply to those that grow by calls of the family and returns their number. */
  add(family: string, reply: TurnId): number {
    return this.#counts.add(family, reply);
  }

  /** Removes an ended reply and updates the estimate with its growth time. */
  remove(reply: TurnId): void {
    this.#counts.remove(reply);
    const ended = this.#replies.get(reply);
    if (ended === undefined) return;
    this.#replies.delete(reply);
    const tookMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ended.shownAt - ended.beganAt));
    this.#likelyMs += (tookMs - this.#likelyMs) * LEARNED;
  }

  /** Milliseconds that the spare calls should last: until the newest reply is expected to end. */
  spanAt(now: number): number {
    const age = Math.max(0, now - (this.#lastBegan ?? now));
    return Math.max(this.#likelyMs - age, this.#likelyMs * LEAST_LEFT);
  }
}
