/**
 * Data about the running replies: their start times, how long replies take to write, and the slots that they have
 * reserved.
 */

import { remaining } from '../bound.ts';
import type { TurnId } from '../ids.ts';

/** Estimated time to write a reply, in milliseconds, until the first reply has ended. Then the estimate is learned. */
const LIKELY_MS = 10_000;
/** Bounds of the learned estimate, in milliseconds. */
const SHORTEST_MS = 5_000;
const LONGEST_MS = 60_000;
/** Weight of the newest reply in the moving average of writing times. */
const LEARNED = 0.2;
/** A reply that exceeds the estimate is expected to continue for this share of the estimate. */
const LEAST_LEFT = 0.1;

interface Growth {
  readonly beganAt: number;
  readonly shownAt: number;
}

/** Tracks the replies that are being written, and estimates how long they will continue. */
export class GrowingReplies {
  readonly #replies = new Map<TurnId, Growth>();
  /** Numbers of replies that are being written, by family. */
  readonly #counts = new ReplyCounts();
  #likelyMs = LIKELY_MS;
  #lastBegan: number | undefined;

  /**
   * Records a call of the reply. `isFirst` is true for the call that shows the reply's first text. Earlier calls are
   * ignored, because the reply is not being written yet.
   */
  recordCall(reply: TurnId, isFirst: boolean, now: number): void {
    const known = this.#replies.get(reply);
    if (known === undefined && !isFirst) return;
    if (known === undefined) this.#lastBegan = now;
    this.#replies.set(reply, { beganAt: known?.beganAt ?? now, shownAt: now });
  }

  /** Returns the milliseconds until `ms` have passed since the reply's last call; 0 if there was no such call. */
  wait(reply: TurnId, ms: number, now: number): number {
    return remaining(this.#replies.get(reply)?.shownAt, ms, now);
  }

  /** Counts the reply as being written in the family, and returns the number of such replies. */
  add(family: string, reply: TurnId): number {
    return this.#counts.add(family, reply);
  }

  /** Removes an ended reply and updates the estimate with its writing time. */
  remove(reply: TurnId): void {
    this.#counts.remove(reply);
    const ended = this.#replies.get(reply);
    if (ended === undefined) return;
    this.#replies.delete(reply);
    const tookMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ended.shownAt - ended.beganAt));
    this.#likelyMs += (tookMs - this.#likelyMs) * LEARNED;
  }

  /** Returns the milliseconds for which the unreserved calls must last: until the newest reply is expected to end. */
  spanAt(now: number): number {
    const age = Math.max(0, now - (this.#lastBegan ?? now));
    return Math.max(this.#likelyMs - age, this.#likelyMs * LEAST_LEFT);
  }
}

const MINUTE_MS = 60_000;
/** Length of the period in which a sudden rise in new replies is detected, in milliseconds. */
const RUSH_MS = 10_000;

/** Counts the starts of replies, because each reply will need calls for its end. */
export class StartRate {
  /** Times at which replies started in the last minute, oldest first. */
  readonly #begins: number[] = [];

  note(now: number): void {
    while ((this.#begins[0] ?? now) <= now - MINUTE_MS) this.#begins.shift();
    this.#begins.push(now);
  }

  /**
   * Returns the starts per minute: the number in the last minute, or the rate of the last 10 seconds if that is
   * higher.
   */
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

/** The reserved slots of each reply, by family. */
export class Reservations {
  readonly #held = new Map<TurnId, Map<string, number>>();

  of(reply: TurnId, family: string): number {
    return this.#held.get(reply)?.get(family) ?? 0;
  }

  change(reply: TurnId, family: string, by: number): void {
    const held = this.#held.get(reply) ?? new Map<string, number>();
    this.#held.set(reply, held.set(family, this.of(reply, family) + by));
  }

  /** Deletes the reply's reservations and returns them. */
  drop(reply: TurnId): ReadonlyMap<string, number> {
    const held = this.#held.get(reply) ?? new Map<string, number>();
    this.#held.delete(reply);
    return held;
  }
}

/**
 * Counts the running replies of each place (a thread, room or tenant), because the calls for the end of a reply count
 * in each of its places.
 */
export class ReplyCounts {
  readonly #replies = new Map<string, Set<TurnId>>();
  readonly #places = new Map<TurnId, Set<string>>();

  /** Counts the reply in the place until `remove` is called. Returns the number of replies there. */
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
