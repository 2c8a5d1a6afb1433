/** How often a room takes a post, whatever the tenant's minute says: a bucket that refills. */

import type { RoomRate } from '../channel/limits.ts';
import { keepBound, remaining } from './bound.ts';
import type { Gate } from './windows.ts';

const SECOND_MS = 1_000;
/** Rooms remembered at once; one that is forgotten is taken as rested. */
const ROOMS = 10_000;

interface Bucket {
  /** As of `at`, without the calls under way: the channel may count them as late as their answers. */
  readonly tokens: number;
  readonly at: number;
  readonly inFlight: number;
  /** Closed by the channel for so long since `at`. */
  readonly closedMs: number;
}

export class RoomBuckets implements Gate {
  readonly #rate: RoomRate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: RoomRate) {
    this.#rate = rate;
  }

  wait(room: string, now: number): number {
    const bucket = this.#buckets.get(room);
    if (bucket === undefined) return 0;
    const missing = 1 + bucket.inFlight - this.#tokens(bucket, now);
    const refill = Math.ceil((missing / this.#rate.perSecond) * SECOND_MS);
    return Math.max(remaining(bucket.at, bucket.closedMs, now), refill);
  }

  /** A bucket refills so soon that nothing is left in it for later. */
  politeWait(room: string, now: number): number {
    return this.wait(room, now);
  }

  take(room: string, now: number): void {
    const bucket = this.#find(room, now);
    this.#set(room, { ...bucket, inFlight: bucket.inFlight + 1 });
  }

  giveBack(room: string, now: number): void {
    const bucket = this.#find(room, now);
    this.#set(room, { ...bucket, inFlight: Math.max(0, bucket.inFlight - 1) });
  }

  answered(room: string, now: number): void {
    const bucket = this.#find(room, now);
    const { inFlight, at, closedMs } = bucket;
    this.#set(room, {
      tokens: this.#tokens(bucket, now) - 1,
      at: now,
      inFlight: Math.max(0, inFlight - 1),
      closedMs: remaining(at, closedMs, now),
    });
  }

  close(room: string, ms: number, now: number): void {
    const { inFlight } = this.#find(room, now);
    this.#set(room, { tokens: 0, at: now, inFlight, closedMs: ms });
  }

  #find(room: string, now: number): Bucket {
    return this.#buckets.get(room) ?? { tokens: this.#rate.burst, at: now, inFlight: 0, closedMs: 0 };
  }

  #tokens({ tokens, at }: Bucket, now: number): number {
    const passed = Math.max(0, now - at) / SECOND_MS;
    return Math.min(this.#rate.burst, tokens + passed * this.#rate.perSecond);
  }

  #set(room: string, bucket: Bucket): void {
    keepBound(this.#buckets, { key: room, value: bucket, bound: ROOMS });
  }
}
