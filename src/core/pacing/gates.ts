/** The limits on one tenant's calls by room, by thread and for the whole tenant. Finds those that apply to a call. */

import { keepBound, remaining } from '../bound.ts';
import type { CallPlace, FamilyLimit, RoomRate, SharedWindows } from '../channel/limits.ts';
import type { TurnId } from '../ids.ts';
import type { PermitRequest } from './permit.ts';
import { ReplyCounts } from './replies.ts';
import { type Gate, Windows } from './windows.ts';

/** A limit, and the key of the room, thread or tenant in which the call counts. */
interface PlacedGate {
  readonly gate: Gate;
  readonly name: string;
  readonly place: string;
}

export class Gates {
  readonly #limits: Readonly<Record<string, FamilyLimit>>;
  readonly #rooms = new Map<string, RoomBuckets>();
  readonly #shared = new Map<string, Windows>();
  readonly #counts = new ReplyCounts();

  constructor(limits: Readonly<Record<string, FamilyLimit>>) {
    this.#limits = limits;
  }

  wait(family: string, place: CallPlace, now: number): number {
    return longest(this.#of(family, place), ({ gate, place: at }) => gate.wait(at, now));
  }

  /**
   * Returns the milliseconds that a call must wait to leave slots for more urgent calls. The first text of a reply
   * comes before the ends of other replies; families with `yields` come last.
   */
  politeWait(family: string, request: PermitRequest, now: number): number {
    const yields = this.#limits[family]?.yields === true;
    return longest(this.#of(family, request), ({ gate, name, place }) => {
      const replies = this.#counts.add(`${name} ${place}`, request.reply);
      return gate.politeWait(place, now, yields ? Number.POSITIVE_INFINITY : request.first ? 0 : replies);
    });
  }

  /** Stops counting an ended reply, so that no slots are kept for its end. */
  free(reply: TurnId): void {
    this.#counts.remove(reply);
  }

  take(family: string, place: CallPlace, now: number): void {
    for (const { gate, place: at } of this.#of(family, place)) gate.take(at, now);
  }

  giveBack(family: string, place: CallPlace, now: number): void {
    for (const { gate, place: at } of this.#of(family, place)) gate.giveBack(at, now);
  }

  answered(family: string, place: CallPlace, now: number): void {
    for (const { gate, place: at } of this.#of(family, place)) gate.answered(at, now);
  }

  /**
   * Blocks the narrowest limit of the call (thread, room or tenant), because a refusal does not say which limit was
   * reached. Returns false if the call has no such limit, or if it was already blocked for at least as long.
   */
  close(family: string, place: CallPlace, ms: number, now: number): boolean {
    const [narrowest] = this.#of(family, place);
    if (narrowest === undefined || narrowest.gate.wait(narrowest.place, now) >= ms) return false;
    narrowest.gate.close(narrowest.place, ms, now);
    return true;
  }

  /** Returns the limits that apply to a call, narrowest first. */
  #of(family: string, { room, thread = room }: CallPlace): readonly PlacedGate[] {
    const { perRoom, shared = [] } = this.#limits[family] ?? {};
    const own =
      perRoom === undefined ? [] : [{ gate: this.#roomsOf(family, perRoom), name: family, place: room }];
    const others = shared.map((each) => ({
      gate: this.#windowsOf(each),
      name: each.name,
      place: { thread, room, tenant: '' }[each.of],
    }));
    return [...own, ...others];
  }

  #roomsOf(family: string, rate: RoomRate): RoomBuckets {
    const found = this.#rooms.get(family) ?? new RoomBuckets(rate);
    this.#rooms.set(family, found);
    return found;
  }

  #windowsOf({ name, windows }: SharedWindows): Windows {
    const found = this.#shared.get(name) ?? new Windows(windows);
    this.#shared.set(name, found);
    return found;
  }
}

function longest(gates: readonly PlacedGate[], wait: (placed: PlacedGate) => number): number {
  return gates.reduce((most, placed) => Math.max(most, wait(placed)), 0);
}

const SECOND_MS = 1_000;
/** Maximum number of rooms in memory; a room that was dropped counts as unused. */
const ROOMS = 10_000;

interface Bucket {
  /**
   * Number of tokens at the time `at`. Calls in flight are not deducted yet, because the channel may count a call only
   * when it answers.
   */
  readonly tokens: number;
  readonly at: number;
  readonly inFlight: number;
  /** Milliseconds after `at` during which the channel refuses calls into the room. */
  readonly closedMs: number;
}

/** Limits the calls into each room with a token bucket, independently of the tenant's calls per minute. */
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

  /** Same as `wait`: a bucket refills so fast that it needs no reservations. */
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
    keepBound(this.#buckets, room, bucket, ROOMS);
  }
}
