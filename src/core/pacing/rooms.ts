/** How often a room takes a post, whatever the tenant's minute says: a bucket that refills. */

import type { RoomRate } from '../channel.ts';
import { keepBound, remaining } from './bound.ts';

const SECOND_MS = 1_000;
/** Rooms remembered at once; one that is forgotten is taken as rested. */
const ROOMS = 10_000;

interface Bucket {
  readonly tokens: number;
  readonly at: number;
  readonly closedMs: number;
}

export class RoomBuckets {
  readonly #rate: RoomRate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: RoomRate) {
    this.#rate = rate;
  }

  wait(room: string, now: number): number {
    const bucket = this.#buckets.get(room);
    if (bucket === undefined) return 0;
    const missing = 1 - this.#tokens(bucket, now);
    const refill = missing <= 0 ? 0 : (missing / this.#rate.perSecond) * SECOND_MS;
    return Math.max(remaining(bucket.at, bucket.closedMs, now), Math.ceil(refill));
  }

  take(room: string, now: number): void {
    const bucket = this.#buckets.get(room);
    const tokens = bucket === undefined ? this.#rate.burst : this.#tokens(bucket, now);
    this.#set(room, { tokens: tokens - 1, at: now, closedMs: 0 });
  }

  close(room: string, ms: number, now: number): void {
    this.#set(room, { tokens: 0, at: now, closedMs: ms });
  }

  #tokens({ tokens, at }: Bucket, now: number): number {
    const passed = Math.max(0, now - at) / SECOND_MS;
    return Math.min(this.#rate.burst, tokens + passed * this.#rate.perSecond);
  }

  #set(room: string, bucket: Bucket): void {
    keepBound(this.#buckets, { key: room, value: bucket, bound: ROOMS });
  }
}
