/** Claims turns, limits the number of running turns, renews their leases, and drains on stop. */

import { asBridgeError } from '../../errors.ts';
import { type Clock, OVER, openWait, within } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import type { TurnDeps } from '../live-reply/deps.ts';
import { openScope, type TurnScope } from '../live-reply/scope.ts';
import type { Claim } from '../stores/inbox.ts';
import { createTasks, type Tasks } from '../tasks.ts';
import type { Interruption } from '../turn.ts';

/**
 * Interval between searches for expired leases, and the maximum sleep if no signal arrives, in milliseconds.
 */
const EXPIRE_EVERY_MS = 1_000;
/** Number of renewals per lease: after each third of its duration. */
const RENEWALS_PER_LEASE = 3;
/** Maximum pause between two attempts to hand over workspaces during a shutdown, in milliseconds. */
const HAND_OVER_EVERY_MS = 500;
/** Pause after a failure of the store, in milliseconds, so that an outage causes no busy loop. */
const OUTAGE_PAUSE_MS = 500;

export interface WorkerDeps extends Pick<TurnDeps, 'inbox' | 'clock' | 'turnEvents'> {
  /** Maximum number of concurrent turns in this process. */
  readonly atOnce: number;
  /** Maximum duration of a turn from its claim, in milliseconds (delivery contract 1: within 10 minutes). */
  readonly turnMs: number;
  /** Runs one claimed turn to its end. The scope signals when it must stop. */
  run(claim: Claim, scope: TurnScope): Promise<void>;
}

export class Worker {
  readonly #deps: WorkerDeps;
  readonly #scopes = new Map<TurnId, TurnScope>();
  readonly #draining = new AbortController();
  readonly #tasks: Tasks;
  readonly #onTime: () => Promise<void>;
  readonly #unsubscribe: () => void;
  #woken = Promise.withResolvers<void>();
  #looping: Promise<void> = Promise.resolve();

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#tasks = createTasks((error) => reportTrouble(error, deps));
    this.#onTime = createPunctuality(deps.clock, this.#draining.signal);
    this.#unsubscribe = deps.inbox.onSignal((signal) => {
      if (signal.kind === 'claimable') this.#woken.resolve();
      else this.#scopes.get(signal.id)?.interrupt(signal.why);
    });
  }

  get running(): number {
    return this.#tasks.size;
  }

  /** Claims turns until `drain`. */
  start(): void {
    this.#looping = this.#loop();
  }

  /**
   * Stops claiming, gives running turns `graceMs`, then interrupts them with `release` and waits for their end.
   * Meanwhile hands over each workspace as soon as none of the workspace's turns runs here.
   */
  async drain(graceMs: number): Promise<void> {
    this.#draining.abort();
    this.#woken.resolve();
    await this.#looping;
    const handedOver = this.#handOver();
    await within(this.#tasks.allEnded(), graceMs, this.#deps.clock);
    for (const scope of this.#scopes.values()) scope.interrupt({ kind: 'release' });
    await this.#tasks.allEnded();
    await handedOver;
    this.#unsubscribe();
  }

  async #handOver(): Promise<void> {
    const { inbox, clock } = this.#deps;
    for (let isLast = false; !isLast; ) {
      isLast = this.#tasks.size === 0;
      await inbox.handOver().catch((error: unknown) => reportTrouble(error, this.#deps));
      if (this.#tasks.size === 0) continue;
      const over = new AbortController();
      const rest = clock.wait(HAND_OVER_EVERY_MS, over.signal).catch(() => undefined);
      await Promise.race([rest, this.#tasks.oneEnded()]);
      over.abort(OVER);
    }
  }

  async #loop(): Promise<void> {
    const { inbox, clock } = this.#deps;
    const { signal } = this.#draining;
    for (let expireAt = 0; !signal.aborted; ) {
      this.#woken = Promise.withResolvers();
      try {
        if (clock.now() >= expireAt) {
          await inbox.expire();
          expireAt = clock.now() + EXPIRE_EVERY_MS;
        }
        await this.#claimAll();
      } catch (error) {
        reportTrouble(error, this.#deps);
        await clock.wait(OUTAGE_PAUSE_MS, signal).catch(() => undefined);
      }
      await this.#sleep();
    }
  }

  async #claimAll(): Promise<void> {
    const { inbox } = this.#deps;
    while (!this.#isFull() && !this.#draining.signal.aborted) {
      const claim = await inbox.claim();
      if (claim === undefined) return;
      this.#begin(claim);
      await this.#onTime();
    }
  }

  /**
   * True if no further turn may start. The first `atOnce` stalled turns do not count; further ones count, so that
   * memory stays bounded.
   */
  #isFull(): boolean {
    const { atOnce } = this.#deps;
    const stalled = [...this.#scopes.values()].filter((scope) => scope.stalled).length;
    return this.#tasks.size - Math.min(stalled, atOnce) >= atOnce;
  }

  #begin(claim: Claim): void {
    const { id } = claim.turn;
    const scope = openScope();
    this.#scopes.set(id, scope);
    this.#tasks.start(() =>
      runClaim(claim, scope, this.#deps).finally(() => {
        // If this process lost the lease and claimed the turn again, the entry belongs to the newer claim.
        if (this.#scopes.get(id) === scope) this.#scopes.delete(id);
      }),
    );
  }

  /**
   * Waits at most 1 s. Resolves earlier when a turn may be claimable. While the maximum number of turns runs, resolves
   * earlier only when a turn ends.
   */
  async #sleep(): Promise<void> {
    const wait = openWait(this.#draining.signal);
    const rest = this.#deps.clock.wait(EXPIRE_EVERY_MS, wait.signal).catch(() => undefined);
    const full = this.#isFull();
    await Promise.race([rest, full ? this.#tasks.oneEnded() : this.#woken.promise]);
    wait.end();
  }
}

async function runClaim(claim: Claim, scope: TurnScope, deps: WorkerDeps): Promise<void> {
  if (claim.interruption !== undefined) scope.interrupt(claim.interruption);
  const over = new AbortController();
  const keeping = keepLease(claim, scope, deps, over.signal);
  const timing = endAtDeadline(scope, deps, over.signal);
  try {
    await deps.run(claim, scope);
  } finally {
    over.abort(OVER);
    await Promise.all([keeping, timing]);
  }
}

async function endAtDeadline(scope: TurnScope, deps: WorkerDeps, over: AbortSignal): Promise<void> {
  await deps.clock.wait(deps.turnMs, over).then(
    () => scope.interrupt({ kind: 'deadline' }),
    () => undefined,
  );
}

/**
 * Renews the lease until the turn ends or the lease is lost. While the outcome of a renewal is unknown, the turn goes
 * on, because it may still belong to this process. `holdsLease` decides whether its reply may be written.
 */
async function keepLease(claim: Claim, scope: TurnScope, deps: WorkerDeps, over: AbortSignal): Promise<void> {
  const { clock, inbox } = deps;
  const pauseMs = (claim.until - clock.now()) / RENEWALS_PER_LEASE;
  while (!over.aborted) {
    await clock.wait(pauseMs, over).catch(() => undefined);
    if (over.aborted) return;
    const answer = await inbox.renew(claim).catch((): Renewal => 'held');
    if (answer !== 'held') scope.interrupt(answer === 'lost' ? { kind: 'lost' } : answer);
    if (answer === 'lost') return;
  }
}

type Renewal = 'held' | 'lost' | Interruption;

function reportTrouble(thrown: unknown, { turnEvents, clock }: WorkerDeps): void {
  turnEvents.trouble(asBridgeError(thrown), clock.now());
}

/** Duration of one check, in milliseconds. Any time beyond it is the delay of the event loop. */
const CHECK_MS = 1;
/** Minimum time between two checks, in milliseconds. */
const CHECK_INTERVAL_MS = 20;
/** Maximum delay of the event loop at which a further turn may start, in milliseconds. */
const MAX_DELAY_MS = 50;
/**
 * Maximum number of checks. After these, a turn starts although the event loop has a delay; otherwise a permanently
 * busy process would start no turn.
 */
const MAX_CHECKS = 20;

/**
 * Returns a function that resolves once the event loop has no delay; immediately if the last check is recent.
 * This keeps the acknowledgement of events fast while many turns start.
 */
export function createPunctuality(clock: Clock, signal: AbortSignal): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (Math.abs(clock.now() - checkedAt) < CHECK_INTERVAL_MS) return;
    for (let check = 0; check < MAX_CHECKS && !signal.aborted; check++) {
      const startedAt = clock.now();
      await clock.wait(CHECK_MS, signal).catch(() => undefined);
      checkedAt = clock.now();
      if (checkedAt - startedAt - CHECK_MS <= MAX_DELAY_MS) return;
    }
  };
}
