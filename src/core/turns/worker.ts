/** Claims turns, limits the number of running turns, renews their leases, and drains on stop. */

import { asBridgeError } from '../../errors.ts';
import { type Clock, OVER, openWait, within } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import { openScope, type TurnScope } from '../live-reply/scope.ts';
import type { Claim, Inbox } from '../stores/inbox.ts';
import { createTasks, type Tasks } from '../tasks.ts';
import type { Interruption } from '../turn.ts';
import type { TurnEvents } from '../turn-events.ts';

/** Interval between searches for expired leases, and the maximum sleep without a signal, in milliseconds. */
const EXPIRE_EVERY_MS = 1_000;
/** Renewals per lease: a lease is renewed after a third of it. */
const RENEWALS_PER_LEASE = 3;
/** Pause after a failure of the store, in milliseconds, so that an outage causes no busy loop. */
const OUTAGE_PAUSE_MS = 500;

export interface WorkerDeps {
  readonly inbox: Inbox;
  readonly owner: string;
  readonly clock: Clock;
  readonly turnEvents: TurnEvents;
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

  /** Takes back the owner's turns of an earlier process, then claims turns until `drain`. */
  async start(): Promise<void> {
    await this.#deps.inbox.recover(this.#deps.owner);
    this.#looping = this.#loop();
  }

  /** Stops claiming, gives running turns `graceMs`, then interrupts them with `release` and waits for their end. */
  async drain(graceMs: number): Promise<void> {
    this.#draining.abort();
    this.#woken.resolve();
    await this.#looping;
    await within(this.#tasks.allEnded(), graceMs, this.#deps.clock);
    for (const scope of this.#scopes.values()) scope.interrupt({ kind: 'release' });
    await this.#tasks.allEnded();
    this.#unsubscribe();
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
    const { inbox, owner, atOnce } = this.#deps;
    while (this.#tasks.size < atOnce && !this.#draining.signal.aborted) {
      const claim = await inbox.claim(owner);
      if (claim === undefined) return;
      this.#begin(claim);
      await this.#onTime();
    }
  }

  #begin(claim: Claim): void {
    const { id } = claim.turn;
    const scope = openScope();
    this.#scopes.set(id, scope);
    this.#tasks.start(() =>
      runClaim(claim, scope, this.#deps).finally(() => {
        // If the lease was lost and this process claimed the turn again, the entry is the newer claim's.
        if (this.#scopes.get(id) === scope) this.#scopes.delete(id);
      }),
    );
  }

  /** Resolves when a turn may be claimable. While the maximum number of turns runs, resolves when one ends. */
  async #sleep(): Promise<void> {
    const wait = openWait(this.#draining.signal);
    const rest = this.#deps.clock.wait(EXPIRE_EVERY_MS, wait.signal).catch(() => undefined);
    const full = this.#tasks.size >= this.#deps.atOnce;
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

/** Renews the lease until the turn ends. If it cannot be renewed in time, it counts as lost. */
async function keepLease(claim: Claim, scope: TurnScope, deps: WorkerDeps, over: AbortSignal): Promise<void> {
  const { clock, inbox } = deps;
  const lease = claim.until - clock.now();
  let until = claim.until;
  while (!over.aborted) {
    await clock.wait(lease / RENEWALS_PER_LEASE, over).catch(() => undefined);
    if (over.aborted) return;
    const asked = clock.now();
    const answer = await inbox.renew(claim).catch((): Renewal => 'unknown');
    if (answer === 'held') until = asked + lease;
    else if (answer === 'lost' || (answer === 'unknown' && clock.now() >= until)) {
      scope.interrupt({ kind: 'lost' });
      return;
    } else if (answer !== 'unknown') scope.interrupt(answer);
  }
}

type Renewal = 'held' | 'lost' | 'unknown' | Interruption;

function reportTrouble(thrown: unknown, { turnEvents, clock }: WorkerDeps): void {
  turnEvents.trouble(asBridgeError(thrown), clock.now());
}

/** Duration of one check, in milliseconds. Any additional time is the process's delay. */
const LOOK_MS = 1;
/** Minimum time between two checks, in milliseconds. */
const LOOK_EVERY_MS = 20;
/** Delay above which the process starts no further turn, in milliseconds. */
const LATE_MS = 50;
/**
 * Maximum number of checks before a turn starts despite the delay, so that a process that is always late still works.
 */
const PATIENCE = 20;

/**
 * Returns a function that resolves once the event loop is on time; immediately if the last check is recent. This keeps
 * the acknowledgement of events fast while many turns start.
 */
export function createPunctuality(clock: Clock, signal: AbortSignal): () => Promise<void> {
  let looked = Number.NEGATIVE_INFINITY;
  return async () => {
    if (Math.abs(clock.now() - looked) < LOOK_EVERY_MS) return;
    for (let look = 0; look < PATIENCE && !signal.aborted; look++) {
      const asked = clock.now();
      await clock.wait(LOOK_MS, signal).catch(() => undefined);
      looked = clock.now();
      if (looked - asked - LOOK_MS <= LATE_MS) return;
    }
  };
}
