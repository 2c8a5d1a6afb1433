/** The rate limits of one tenant, with the reservations of each reply and the queue of requests. */

import { remaining } from '../bound.ts';
import type { FamilyLimit } from '../channel/limits.ts';
import { type Clock, openWait } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import type { Move } from '../screen.ts';
import { FamilyBudget } from './family.ts';
import { Gates } from './gates.ts';
import type { Permit, PermitRequest, Refusal, SideRequest } from './permit.ts';
import { Queue, type Waiter } from './queue.ts';
import { GrowingReplies, Reservations, StartRate } from './replies.ts';

/**
 * Milliseconds between two checks of the queue while calls are scarce: so many replies start that every remaining call
 * is reserved for ending one of them.
 */
const SCARCE_REVIEW_MS = 1_000;

/** Times at which calls were answered, oldest first, by family. */
export type RecentCalls = Readonly<Record<string, readonly number[]>>;

/** Applies to a family of calls for which the channel declares no limit. */
const FREE: FamilyLimit = { gapMs: 0 };

export class TenantBudgets {
  /** Called with the learned limits after each refusal of the channel. */
  onLearned: (limits: Readonly<Record<string, number>>, family: string) => void = () => undefined;
  /** Called whenever the channel has responded to a call. */
  onAnswered: () => void = () => undefined;
  readonly #limits: Readonly<Record<string, FamilyLimit>>;
  readonly #clock: Clock;
  readonly #families = new Map<string, FamilyBudget>();
  readonly #gates: Gates;
  readonly #reservations = new Reservations();
  /** Time of each reply's last call, by family. */
  readonly #lastCalls = new Map<TurnId, Map<string, number>>();
  /** Families of the calls that replies need for their end. */
  readonly #endFamilies = new Set<string>();
  readonly #startRate = new StartRate();
  readonly #growing = new GrowingReplies();
  readonly #queue: Queue;

  constructor(limits: Readonly<Record<string, FamilyLimit>>, clock: Clock) {
    this.#limits = limits;
    this.#gates = new Gates(limits);
    this.#clock = clock;
    this.#queue = new Queue(clock, (waiter) => this.#offer(waiter));
  }

  begin(reply: TurnId, needs: Readonly<Record<string, number>>): void {
    this.#startRate.note(this.#clock.now());
    for (const [family, slots] of Object.entries(needs)) {
      this.#endFamilies.add(family);
      this.#hold(reply, family, slots - this.#reservations.of(reply, family));
    }
  }

  async permit(request: PermitRequest, signal: AbortSignal): Promise<Permit> {
    for (;;) {
      signal.throwIfAborted();
      const rest = this.#ownGap(request);
      if (rest === 0) break;
      await this.#clock.wait(rest, signal);
    }
    const granted = this.#grant(request);
    return 'permit' in granted ? granted.permit : this.#queue.wait(request, granted.waitMs, signal);
  }

  /**
   * Like `permit`, but resolves to undefined if no permit can be granted within `ms` milliseconds. If that is already
   * certain, resolves without waiting.
   */
  async permitWithin(ms: number, request: PermitRequest, signal: AbortSignal): Promise<Permit | undefined> {
    signal.throwIfAborted();
    const granted = this.#grant(request);
    if ('permit' in granted) return granted.permit;
    if (granted.waitMs !== Number.POSITIVE_INFINITY && granted.waitMs >= ms) return undefined;
    const wait = openWait(signal);
    void this.#clock.wait(ms, wait.signal).then(
      () => wait.end(),
      () => undefined,
    );
    try {
      return await this.#queue.wait(request, granted.waitMs, wait.signal);
    } catch {
      signal.throwIfAborted();
      return undefined;
    } finally {
      wait.end();
    }
  }

  /** Takes a slot without waiting. The call counts towards the limits. */
  takeAnyway(request: SideRequest): Permit {
    return this.#take(request.moves[0], request, this.#clock.now());
  }

  close({ family, ms, ...place }: Refusal): void {
    const now = this.#clock.now();
    if (!this.#gates.close(family, place, ms, now)) this.#family(family).close(ms, now);
    this.onLearned(this.#learned(now), family);
    this.#queue.review();
  }

  free(reply: TurnId): void {
    for (const [family, slots] of this.#reservations.drop(reply)) this.#family(family).reserve(-slots);
    this.#lastCalls.delete(reply);
    this.#growing.remove(reply);
    this.#gates.free(reply);
    this.#queue.review();
  }

  /**
   * Returns the times of this process's calls of the last minute, by family. Only families with a limit per minute are
   * included.
   */
  recentCalls(): RecentCalls {
    const now = this.#clock.now();
    const limited = [...this.#families].filter(([name]) => this.#limits[name]?.perMinute !== undefined);
    const calls = limited.map(([name, family]) => [name, family.recentCalls(now)] as const);
    return Object.fromEntries(calls.filter(([, times]) => times.length > 0));
  }

  /** Sets the calls that other processes made for this tenant within the last minute. */
  setOthers(calls: RecentCalls): void {
    const now = this.#clock.now();
    for (const name of new Set([...this.#families.keys(), ...Object.keys(calls)]))
      this.#family(name).setOthers(calls[name] ?? [], now);
    this.#queue.review();
  }

  recall(limits: Readonly<Record<string, number>>): void {
    const now = this.#clock.now();
    for (const [family, limit] of Object.entries(limits)) this.#family(family).recall(limit, now);
  }

  #learned(now: number): Readonly<Record<string, number>> {
    const taught = [...this.#families].map(([name, family]) => [name, family.learned(now)] as const);
    return Object.fromEntries(
      taught.flatMap(([name, limit]) => (limit === undefined ? [] : [[name, limit]])),
    );
  }

  #family(name: string): FamilyBudget {
    const found = this.#families.get(name) ?? new FamilyBudget(this.#limits[name] ?? FREE);
    this.#families.set(name, found);
    return found;
  }

  /**
   * Returns the milliseconds until one of the moves has the required gap to the reply's last call. Calls that end the
   * reply ignore the gap unless the family is `strict`.
   */
  #ownGap({ reply, moves }: PermitRequest): number {
    const calls = this.#lastCalls.get(reply);
    if (calls === undefined) return 0;
    const now = this.#clock.now();
    const gaps = moves.map(({ family, essential }) => {
      const isFree = essential && this.#limits[family]?.strict !== true;
      return isFree ? 0 : remaining(calls.get(family), this.#family(family).gapMs(now), now);
    });
    return Math.min(...gaps);
  }

  #offer(waiter: Waiter): number {
    const granted = this.#grant(waiter.request);
    if ('waitMs' in granted) return granted.waitMs;
    waiter.resolve(granted.permit);
    return 0;
  }

  /**
   * Returns a permit for the first move that is allowed now; otherwise the milliseconds until one may be allowed, or
   * infinity if unknown.
   */
  #grant(request: PermitRequest): { readonly permit: Permit } | { readonly waitMs: number } {
    const now = this.#clock.now();
    let waitMs = Number.POSITIVE_INFINITY;
    for (const move of request.moves) {
      const wait = this.#waitFor(move, request, now);
      if (wait === 0) return { permit: this.#take(move, request, now) };
      waitMs = Math.min(waitMs, wait);
    }
    return { waitMs };
  }

  #waitFor(move: Move, request: PermitRequest, now: number): number {
    const family = this.#family(move.family);
    const growth = this.#growth(move, request.reply);
    const shared = Math.max(
      family.closedFor(now),
      this.#gates.wait(move.family, request, now),
      ...growth.map(([name, slots]) => this.#family(name).spareWait(slots, now)),
    );
    if (this.#usesReserved(move, request.reply)) return Math.max(shared, family.reservedWait(now));
    const own = growth.find(([name]) => name === move.family)?.[1] ?? 0;
    const unhurried = move.essential ? 0 : this.#politeWait(move, request, now);
    return Math.max(shared, unhurried, family.spareWait(1 + own, now));
  }

  /**
   * Returns the milliseconds to delay a progress call: the longest of three waits. These keep the gap to the reply's
   * own last call, spread calls evenly over time, and leave calls for the ends of other replies.
   */
  #politeWait(move: Move, request: PermitRequest, now: number): number {
    const { reply, first, isSideCall = false } = request;
    const family = this.#family(move.family);
    const spread = first || isSideCall ? 0 : this.#spreadWait(move.family, reply, now);
    const held = move.needs?.[move.family] ?? this.#reservations.of(reply, move.family);
    const isExtra = (held > 0 || isSideCall) && this.#endFamilies.has(move.family);
    const scarce = isExtra && this.#startRate.perMinute(now) > family.limitAt(now);
    const gates = this.#gates.politeWait(move.family, request, now);
    return Math.max(spread, gates, this.#gapOf(move, reply, now), scarce ? SCARCE_REVIEW_MS : 0);
  }

  /**
   * Returns the milliseconds until the reply's next progress call. Spreads the calls of all replies over time, so
   * that each reply gets an equal share.
   */
  #spreadWait(name: string, reply: TurnId, now: number): number {
    const family = this.#family(name);
    const span = this.#growing.spanAt(now);
    const gap = family.shareGap(this.#growing.add(name, reply), span, now);
    return Math.max(family.spreadWait(span, now), this.#growing.wait(reply, gap, now));
  }

  #gapOf({ family }: Move, reply: TurnId, now: number): number {
    return remaining(this.#lastCalls.get(reply)?.get(family), this.#family(family).gapMs(now), now);
  }

  #usesReserved({ essential, family }: Move, reply: TurnId): boolean {
    return essential && this.#reservations.of(reply, family) > 0;
  }

  /**
   * Returns how many more slots of each family the reply must reserve. If a number is negative, the reply can release
   * slots.
   */
  #changes(move: Move, reply: TurnId): readonly (readonly [string, number])[] {
    return Object.entries(move.needs ?? {}).map(([family, slots]) => {
      const used = family === move.family && this.#usesReserved(move, reply) ? 1 : 0;
      return [family, slots - (this.#reservations.of(reply, family) - used)] as const;
    });
  }

  #growth(move: Move, reply: TurnId): readonly (readonly [string, number])[] {
    return this.#changes(move, reply).filter(([, slots]) => slots > 0);
  }

  #take(move: Move, request: PermitRequest, now: number): Permit {
    const { reply } = request;
    const family = this.#family(move.family);
    const changes = this.#changes(move, reply);
    const reserved = this.#usesReserved(move, reply);
    if (reserved) this.#hold(reply, move.family, -1);
    for (const [name, slots] of changes) this.#hold(reply, name, slots);
    family.take();
    if (!move.essential && !request.isSideCall) family.noteProgress(now);
    this.#gates.take(move.family, request, now);
    if (!request.isSideCall) {
      this.#noteCall(reply, move.family, now);
      this.#growing.recordCall(reply, request.first && !move.essential, now);
    }
    return {
      move,
      answered: () => {
        family.answered(this.#clock.now());
        const runs = this.#lastCalls.has(reply);
        if (runs && this.#limits[move.family]?.strict) this.#noteCall(reply, move.family, this.#clock.now());
        this.#gates.answered(move.family, request, this.#clock.now());
        this.onAnswered();
        this.#queue.review();
      },
      giveBack: () => {
        family.giveBack();
        this.#gates.giveBack(move.family, request, this.#clock.now());
        for (const [name, slots] of changes) this.#hold(reply, name, -slots);
        if (reserved) this.#hold(reply, move.family, 1);
        this.#queue.review();
      },
    };
  }

  #hold(reply: TurnId, family: string, slots: number): void {
    this.#reservations.change(reply, family, slots);
    this.#family(family).reserve(slots);
  }

  #noteCall(reply: TurnId, family: string, now: number): void {
    const calls = this.#lastCalls.get(reply) ?? new Map<string, number>();
    this.#lastCalls.set(reply, calls.set(family, now));
  }
}
