/**
 * The calls that one tenant made to one family of API methods in the last 60 seconds, with the slots that running
 * replies have reserved.
 */

import { remaining } from '../bound.ts';
import type { FamilyLimit } from '../channel/limits.ts';

/**
 * Milliseconds from the response to a call until the call's slot is free again. Counted from the response, because the
 * channel may count the call only then.
 */
const WINDOW_MS = 60_000;
/** Replies use `spareGapMs` while at least this share of the calls per minute is unused and unreserved. */
const MOSTLY_SPARE = 0.69;
/**
 * Minimum gap between two calls of one reply, as a share of the gap that would distribute the calls of all replies
 * evenly.
 */
const LEAST_SHARE = 0.35;
/**
 * A refusal multiplies the limit by this factor, but further refusals do not lower the limit again until 60 s after the
 * channel accepts calls again.
 */
const LOWERED = 0.7;
/** A lowered limit rises by this share of the documented limit in each minute without a refusal. */
const RAISED_PER_MINUTE = 0.05;

const sorted = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);

export class FamilyBudget {
  readonly #limit: FamilyLimit;
  /** Times at which the responses to the calls of the last minute arrived, oldest first. */
  #answered: number[] = [];
  /** The same times for the calls of other processes, oldest first. */
  #others: readonly number[] = [];
  #inFlight = 0;
  #reserved = 0;
  #closed: { readonly at: number; readonly ms: number } | undefined;
  #lowered: { readonly to: number; readonly at: number } | undefined;
  /** Time of the latest call with which any reply showed more text. */
  #progressAt: number | undefined;

  constructor(limit: FamilyLimit) {
    this.#limit = limit;
  }

  /** Returns the current limit in calls per minute, documented or learned; infinite if there is none. */
  limitAt(now: number): number {
    const documented = this.#limit.perMinute ?? Number.POSITIVE_INFINITY;
    if (this.#lowered === undefined) return documented;
    const minutes = Math.floor(Math.max(0, now - this.#lowered.at) / WINDOW_MS);
    const raised = this.#lowered.to + Math.ceil(documented * RAISED_PER_MINUTE) * minutes;
    return Math.min(documented, raised);
  }

  /** Returns the number of slots that are neither used nor reserved. */
  spare(now: number): number {
    return this.limitAt(now) - this.#used(now) - this.#reserved;
  }

  #used(now: number): number {
    while (remaining(this.#answered[0], WINDOW_MS, now) === 0 && this.#answered.length > 0) {
      this.#answered.shift();
    }
    this.#others = this.#others.filter((at) => remaining(at, WINDOW_MS, now) > 0);
    return this.#answered.length + this.#others.length + this.#inFlight;
  }

  closedFor(now: number): number {
    return remaining(this.#closed?.at, this.#closed?.ms ?? 0, now);
  }

  /**
   * Returns the milliseconds until `cost` slots are unused and unreserved; infinite if only the end of a reply can
   * free them.
   */
  spareWait(cost: number, now: number): number {
    return this.#slotWait(cost - this.spare(now), now);
  }

  /** Returns the milliseconds until a reply that has reserved a slot may use one. */
  reservedWait(now: number): number {
    return this.#slotWait(1 + this.#used(now) - this.limitAt(now), now);
  }

  #slotWait(missing: number, now: number): number {
    if (missing <= 0) return 0;
    const all = this.#others.length === 0 ? this.#answered : sorted([...this.#answered, ...this.#others]);
    const freed = all[missing - 1];
    return freed === undefined ? Number.POSITIVE_INFINITY : remaining(freed, WINDOW_MS, now);
  }

  /**
   * Returns the milliseconds to wait before the next progress call of any reply. Such waits spread the slots that no
   * reply has reserved over `spanMs`.
   */
  spreadWait(spanMs: number, now: number): number {
    return remaining(this.#progressAt, this.#gap(spanMs, now), now);
  }

  #gap(spanMs: number, now: number): number {
    return Math.min(spanMs / Math.max(1, this.spare(now)), WINDOW_MS / this.limitAt(now));
  }

  /** Returns the minimum milliseconds between two calls of one reply, independent of other replies. */
  gapMs(now: number): number {
    const { gapMs, spareGapMs = gapMs } = this.#limit;
    return this.spare(now) >= this.limitAt(now) * MOSTLY_SPARE ? spareGapMs : gapMs;
  }

  /**
   * Returns the minimum milliseconds between two progress calls of one reply while `replies` replies are being
   * written.
   */
  shareGap(replies: number, spanMs: number, now: number): number {
    return replies < 2 ? 0 : replies * this.#gap(spanMs, now) * LEAST_SHARE;
  }

  take(): void {
    this.#inFlight += 1;
  }

  noteProgress(now: number): void {
    this.#progressAt = now;
  }

  giveBack(): void {
    this.#inFlight -= 1;
  }

  answered(now: number): void {
    this.#inFlight -= 1;
    if (this.#limit.perMinute !== undefined) this.#answered.push(now);
  }

  /** Returns this process's calls of the last minute; a call in flight counts as answered now. */
  recentCalls(now: number): readonly number[] {
    this.#used(now);
    return [...this.#answered, ...Array.from({ length: this.#inFlight }, () => now)];
  }

  /** Sets the calls that other processes made, because the channel counts them too. */
  setOthers(answered: readonly number[], now: number): void {
    this.#others = sorted(answered.map((at) => Math.min(at, now)));
  }

  reserve(slots: number): void {
    this.#reserved += slots;
  }

  /**
   * Handles a refusal by the channel: blocks the family for `ms` milliseconds, and lowers its limit unless an earlier
   * refusal did so recently.
   */
  close(ms: number, now: number): void {
    const again = remaining(this.#closed?.at, (this.#closed?.ms ?? 0) + WINDOW_MS, now) > 0;
    const left = this.closedFor(now);
    this.#closed = { at: now, ms: Math.max(ms, left) };
    if (this.#limit.perMinute === undefined || again) return;
    this.#lowered = { to: Math.max(1, Math.floor(this.limitAt(now) * LOWERED)), at: now };
  }

  /** Returns the learned limit; undefined if it equals the documented one. */
  learned(now: number): number | undefined {
    const limit = this.limitAt(now);
    return limit === (this.#limit.perMinute ?? limit) ? undefined : limit;
  }

  recall(limit: number, now: number): void {
    if (this.#lowered === undefined) this.#lowered = { to: Math.max(1, Math.floor(limit)), at: now };
  }
}
