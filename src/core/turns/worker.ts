/** Claims turns, bounds how many run at once, keeps their leases, and drains on stop. */

import { asBridgeError } from '../../errors.ts';
import { type Clock, OVER, openWait } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import { openScope, type TurnScope } from '../live-reply/scope.ts';
import type { Claim, Inbox } from '../stores/inbox.ts';
import { createTasks, type Tasks } from '../tasks.ts';
import type { Interruption } from '../turn.ts';
import type { TurnEvents } from '../turn-events.ts';

/** Interval between searches for expired leases, and the maximum sleep without a signal, in milliseconds. */
const EXPIRE_EVERY_MS = 1_000;
/** A lease is renewed when a third of it has passed. */
const RENEWALS_PER_LEASE = 3;
/** Pause after the store failed, so that an outage is not a busy loop. */
const OUTAGE_PAUSE_MS = 500;

export interface WorkerDeps {
  readonly inbox: Inbox;
  readonly owner: string;
  readonly clock: Clock;
  readonly turnEvents: TurnEvents;
  /** Turns at once in this process. */
  readonly atOnce: number;
  /** A turn's whole time, from its claim (delivery contract 1: within 10 minutes). */
  readonly turnMs: number;
  /** Runs one claimed turn to its end; the scope says when it must stop. */
  run(claim: Claim, scope: TurnScope): Promise<void>;
}

export interface Worker {
  /** Takes the owner's own turns back, then claims until `drain`. */
  start(): Promise<void>;
  readonly running: number;
  /** Claims nothing more, gives running turns `graceMs`, then interrupts them with `release` and waits. */
  drain(graceMs: number): Promise<void>;
}

export function createWorker(deps: WorkerDeps): Worker {
  const { inbox, clock } = deps;
  const scopes = new Map<TurnId, TurnScope>();
  const draining = new AbortController();
  let wake = Promise.withResolvers<void>();
  const tasks = createTasks((error) => reportTrouble(error, deps));
  const unsubscribe = inbox.onSignal((signal) => {
    if (signal.kind === 'claimable') wake.resolve();
    else scopes.get(signal.id)?.interrupt(signal.why);
  });

  /** Unless the same turn runs here again: its lease was lost, and this process claimed it anew. */
  const leave = (turn: TurnId, scope: TurnScope) => {
    if (scopes.get(turn) === scope) scopes.delete(turn);
  };
  const begin = (claim: Claim) => {
    const scope = openScope();
    scopes.set(claim.turn.id, scope);
    tasks.start(() => runClaim(claim, scope, deps).finally(() => leave(claim.turn.id, scope)));
  };
  const onTime = createPunctuality(clock, draining.signal);
  const loop = async () => {
    let expireAt = 0;
    while (!draining.signal.aborted) {
      wake = Promise.withResolvers<void>();
      try {
        if (clock.now() >= expireAt) {
          await inbox.expire();
          expireAt = clock.now() + EXPIRE_EVERY_MS;
        }
        await claimAll(deps, { tasks, begin, onTime, draining: draining.signal });
      } catch (error) {
        reportTrouble(error, deps);
        await clock.wait(OUTAGE_PAUSE_MS, draining.signal).catch(() => undefined);
      }
      await sleep(tasks, deps, wake.promise, draining.signal);
    }
  };

  let looping: Promise<void> = Promise.resolve();
  return {
    async start() {
      await inbox.recover(deps.owner);
      looping = loop();
    },
    get running() {
      return tasks.size;
    },
    async drain(graceMs) {
      draining.abort();
      wake.resolve();
      await looping;
      const graceOver = new AbortController();
      const grace = clock.wait(graceMs, graceOver.signal).catch(() => undefined);
      await Promise.race([grace, tasks.allEnded()]);
      graceOver.abort();
      for (const scope of scopes.values()) scope.interrupt({ kind: 'release' });
      await tasks.allEnded();
      unsubscribe();
    },
  };
}

interface Claiming {
  readonly tasks: Tasks;
  readonly draining: AbortSignal;
  begin(claim: Claim): void;
  /** Resolves once the process keeps up with what it has begun. */
  onTime(): Promise<void>;
}

async function claimAll(deps: WorkerDeps, { tasks, draining, begin, onTime }: Claiming): Promise<void> {
  while (tasks.size < deps.atOnce && !draining.aborted) {
    const claim = await deps.inbox.claim(deps.owner);
    if (claim === undefined) return;
    begin(claim);
    await onTime();
  }
}

/** Until a turn may be claimable; while all places are taken, until one is free. */
async function sleep(
  tasks: Tasks,
  deps: WorkerDeps,
  woken: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const wait = openWait(signal);
  const rest = deps.clock.wait(EXPIRE_EVERY_MS, wait.signal).catch(() => undefined);
  const full = tasks.size >= deps.atOnce;
  await Promise.race([rest, full ? tasks.oneEnded() : woken]);
  wait.end();
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

/** Renews until the turn is over; a lease that could not be renewed in time counts as lost. */
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
  const error = asBridgeError(thrown);
  turnEvents.trouble(error, clock.now());
}

/** A look costs this much time; it is too late by how much longer it takes. */
const LOOK_MS = 1;
/** So often it is looked at the most. */
const LOOK_EVERY_MS = 20;
/** A process that is later than this begins nothing more until it is on time again. */
const LATE_MS = 50;
/** Looks before one more turn begins all the same: late for ever must not mean stopped. */
const PATIENCE = 20;

/**
 * Resolves as soon as the process is on time, at once if it was a moment ago. Events must be kept and acknowledged,
 * however many turns wait to begin.
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
