/** The budgets' data on running replies: starts, growth, reserved slots and places. */

import { remaining } from '../bound.ts';
import type { TurnId } from '../ids.ts';

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

/** Tracks the replies that still grow, and estimates how long they will continue. */
export class Growing {
  readonly #replies = new Map<TurnId, Growth>();
  /** Growing replies by family. */
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

  /** Returns the milliseconds until `ms` have passed since the reply's last call. */
  wait(reply: TurnId, ms: number, now: number): number {
    return remaining(this.#replies.get(reply)?.shownAt, ms, now);
  }

  /** Adds the reply to the growing replies of the family and returns their number. */
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

  /**
   * Returns the milliseconds for which the spare calls must last: until the newest reply is expected to end.
   */
  spanAt(now: number): number {
    const age = Math.max(0, now - (this.#lastBegan ?? now));
    return Math.max(this.#likelyMs - age, this.#likelyMs * LEAST_LEFT);
  }
}

const MINUTE_MS = 60_000;
/** Period in which a rush of new replies is detected, in milliseconds. */
const RUSH_MS = 10_000;

/** Counts the starts of replies, because each reply will need calls for its end. */
export class Demand {
  /** Starts of the last minute, oldest first. */
  readonly #begins: number[] = [];

  note(now: number): void {
    while ((this.#begins[0] ?? now) <= now - MINUTE_MS) this.#begins.shift();
    this.#begins.push(now);
  }

  /** Returns the replies per minute: the larger of the last minute's count and the rate of the last seconds. */
  perMinute(now: number): number {
    const rush = this.#countAfter(now - RUSH_MS) * (MINUTE_MS / RUSH_MS);
    return Math.max(this.#countAfter(now - MINUTE_MS), rush);
  }

  #countAfter(moment: number): number {
    let low = 0;
    let high = this.#begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#begins[middle] ?? 0) > moment) high = middle;
      else low = middle + 1;
    }
    return this.#begins.length - low;
  }
}

/** Reserved slots, by reply and family. */
export class Reservations {
  readonly #held = new Map<TurnId, Map<string, number>>();

  of(reply: TurnId, family: string): number {
    return this.#held.get(reply)?.get(family) ?? 0;
  }

  change(reply: TurnId, family: string, by: number): void {
    const held = this.#held.get(reply) ?? new Map<string, number>();
    this.#held.set(reply, held.set(family, this.of(reply, family) + by));
  }

  /** Deletes the reply and returns its reservations. */
  drop(reply: TurnId): ReadonlyMap<string, number> {
    const held = this.#held.get(reply) ?? new Map<string, number>();
    this.#held.delete(reply);
    return held;
  }
}

/** Counts the running replies of each place, because each will need calls for its end there. */
export class ReplyCounts {
  readonly #replies = new Map<string, Set<TurnId>>();
  readonly #places = new Map<TurnId, Set<string>>();

  /** Counts the reply in the place until it is removed. Returns the number of replies there. */
  add(place: string, reply: TurnId): number {
    const replies = this.#replies.get(place) ?? new Set();
    this.#replies.set(place, replies.add(reply));
    this.#places.set(reply, (this.#places.get(reply) ?? new Set()).add(place));
    return replies.size;
  }

  remove(reply: TurnId): void {
    for (const place of this.#places.get(reply) ?? []) {
      const replies = this.#replies.get(place);
      replies?.delete(reply);
      if (replies?.size === 0) this.#replies.delete(place);
    }
    this.#places.delete(reply);
  }
}
