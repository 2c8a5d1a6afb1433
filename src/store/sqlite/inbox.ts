import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Inbox } from '../../core/stores/inbox.ts';
import { orUnavailable } from '../../sqlite.ts';
import { createSignals } from '../signals.ts';
import type { Steps } from '../sql.ts';
import { interruptionOf } from '../turn-rows.ts';
import { noteCheckpoints } from '../turns/claims.ts';
import { createInbox, LANE_LIMIT, logUnreadable } from '../turns/inbox.ts';
import type { TurnTable } from '../turns/table.ts';
import { addTurn, findTurn } from '../turns/turns.ts';
import type { Commits } from './commits.ts';
import { createEngine } from './engine.ts';
import type { KeyedDeps } from './keyed.ts';
import { createRun, type Run } from './run.ts';
import { claimTurn, createTurnTable, expireTurns, oldestReady, recoverTurns, renewLease } from './turns.ts';

/** Lease of a claim until it is renewed, in milliseconds; the worker renews it after a third of this time. */
const LEASE_MS = 10_000;

interface InboxDeps extends KeyedDeps {
  /** Stored in every claim. Must be the same after a restart, so that a restarted process takes its turns back. */
  readonly owner: string;
  readonly leaseMs?: number | undefined;
  readonly laneLimit?: number | undefined;
}

/**
 * Opens the inbox on SQLite. Turns that an earlier process of the same owner had claimed go back to waiting. Every
 * write joins the group commit, and every signal is sent after the commit that caused it.
 */
export async function openSqliteInbox(deps: InboxDeps): Promise<Inbox> {
  const { database, commits, clock, log, owner, leaseMs = LEASE_MS, laneLimit = LANE_LIMIT } = deps;
  const run = createRun(database);
  const table = createTurnTable(clock);
  const signals = createSignals(log);
  /** Identifies this opening of the store. */
  const life = randomUUID();
  const steadiness = createSteadiness(clock, leaseMs);
  await commits.write(() => run(recoverTurns(table, { owner, life })));
  const shared = createInbox({
    table,
    engine: createEngine(database, commits, clock),
    signals,
    laneLimit,
    add: (turn) => commits.write(() => run(addTurn(table, turn, laneLimit))),
    grouped:
      <Call, Result>(work: (calls: readonly Call[]) => Steps<readonly Result[]>) =>
      (call: Call) =>
        commits.write(() => run(work([call]))[0] as Result),
    urgently: (steps) => commits.write(() => run(steps())),
  });
  return {
    ...shared,
    isShared: false,
    claim: async () => {
      // Look for a ready turn without a transaction first, because that is cheaper.
      if (commits.idle && (await orUnavailable(() => run(oldestReady()))) === undefined) return undefined;
      const lease = { owner, life, until: clock.now() + leaseMs };
      const { claim, unreadable } = await commits.write(() => run(claimTurn(table, lease)));
      logUnreadable(log, unreadable, claim === undefined ? [] : [claim]);
      return claim;
    },
    holdsLease: () => true,
    // Only this process can claim turns from its file, so a renewal that fails does not lose the claim (fault
    // F29).
    renew: async (claim) => {
      try {
        const row = await commits.writeSoon(() => run(renewLease(claim, clock.now() + leaseMs)));
        return row === undefined ? 'lost' : (interruptionOf(row) ?? 'held');
      } catch {
        steadiness.noteFailure();
        return 'held';
      }
    },
    checkpoint: checkpointing(commits, run, table),
    interrupt: (id, why) =>
      shared.interrupt(id, why).catch((thrown) => {
        // A running turn belongs to this process, so it can be interrupted without the store.
        if (run(findTurn(id))?.state !== 'running') throw thrown;
        signals.send({ kind: 'interrupted', id, why });
        return 'running' as const;
      }),
    expire: async () => {
      const spared = steadiness.isSteady() ? undefined : life;
      const back = await commits.write(() => run(expireTurns(table, spared)));
      if (back > 0) signals.send({ kind: 'claimable' });
      return back;
    },
    // No other process shares the store.
    handOver: async () => undefined,
    close: async () => commits.close(),
  };
}

function checkpointing(commits: Commits, run: Run, table: TurnTable): Inbox['checkpoint'] {
  return (claim, known) => {
    const { owner, turn } = claim;
    const pending = { claim: { owner, turn: { id: turn.id, attempt: turn.attempt } }, known };
    const work = () => run(noteCheckpoints(table, [{ claim, known }]))[0] ?? 'lost';
    // The last checkpoint of a text is written immediately.
    const write = known.phase === 'ending' ? commits.write : commits.writeSoon;
    return write(work, { pending, value: 'held' });
  };
}

/**
 * Decides whether this process may treat its own leases as expired. When the clock jumps (it was set, or the machine
 * slept), or when the store refuses renewals, all leases of this process seem expired although their turns still run.
 * Each running turn renews its lease after a third of the lease's duration. Therefore, the process trusts the leases
 * again when one such duration has passed since the jump or the last failed renewal. `isSteady` must be called at least
 * once per lease, because a longer pause between two calls counts as a jump.
 */
export function createSteadiness(clock: Clock, leaseMs: number) {
  let steadySince = clock.now();
  let lastLook = steadySince;
  return {
    /** Returns true if, within the last lease, the clock did not jump and no renewal failed. */
    isSteady: (): boolean => {
      const now = clock.now();
      if (now < lastLook || now - lastLook > leaseMs) steadySince = now;
      lastLook = now;
      return now - steadySince >= leaseMs;
    },
    /** Records a failed renewal. For the duration of one lease, `isSteady` then returns false. */
    noteFailure: (): void => {
      steadySince = clock.now();
    },
  };
}
