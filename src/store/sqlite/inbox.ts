import { randomUUID } from 'node:crypto';
import type { SQLTagStore } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import type { TurnId } from '../../core/ids.ts';
import type { Inbox } from '../../core/stores/inbox.ts';
import type { Turn } from '../../core/turn.ts';
import { orUnavailable } from '../../sqlite.ts';
import { createSignals } from '../signals.ts';
import { idOf, type Row, replyScreensOf, turnOf } from '../turn-rows.ts';
import type { KeyedDeps } from './keyed.ts';
import { countAll, countWaiting, currentOf, runningIn, screensIn } from './lanes.ts';
import { expirePostponed, postponeTurn, resumeTurns } from './postponed.ts';
import { askInstead, newestOfReply, supersedeTurn, withdrawTurns } from './rewriting.ts';
import {
  addTurn,
  announceTurns,
  claimTurn,
  expireTurns,
  findRow,
  interruptTurn,
  newestAsking,
  noteCheckpoint,
  oldestReady,
  PRUNED_AT_ONCE,
  pruneTurns,
  recoverTurns,
  releaseTurn,
  renewLease,
  settleTurn,
} from './turn-table.ts';

/** Lease of a claim until it is renewed, in milliseconds; the worker renews it after a third of this time. */
const LEASE_MS = 10_000;
/** Maximum number of waiting turns per lane. */
const LANE_LIMIT = 50;

interface InboxDeps extends KeyedDeps {
  /** Stored in every claim. Must be the same after a restart, so that a restarted process takes its turns back. */
  readonly owner: string;
  readonly leaseMs?: number | undefined;
  readonly laneLimit?: number | undefined;
}

interface Parts extends InboxDeps {
  readonly leaseMs: number;
  readonly laneLimit: number;
  readonly sql: SQLTagStore;
  readonly signals: ReturnType<typeof createSignals>;
  /** Identifies this opening of the store. */
  readonly life: string;
  readonly steadiness: ReturnType<typeof createSteadiness>;
}

/**
 * Opens the inbox on SQLite. Turns that an earlier process of the same owner had claimed go back to waiting. Every
 * write joins the group commit, and every signal is sent after the commit that caused it.
 */
export async function openSqliteInbox(deps: InboxDeps): Promise<Inbox> {
  const { leaseMs = LEASE_MS, laneLimit = LANE_LIMIT } = deps;
  const parts: Parts = {
    ...deps,
    leaseMs,
    laneLimit,
    sql: deps.database.createTagStore(),
    signals: createSignals(deps.log),
    life: randomUUID(),
    steadiness: createSteadiness(deps.clock, leaseMs),
  };
  await deps.commits.write(() => recoverTurns(parts.sql, parts, deps.clock.now()));
  return {
    isShared: false,
    ...turnOperations(parts),
    ...rewriteOperations(parts),
    ...queries(parts),
    ...maintenance(parts),
  };
}

/** Operations on one turn, used by intake and workers. */
function turnOperations(parts: Parts) {
  const { sql, commits, clock, signals, owner, life, log, steadiness, leaseMs, laneLimit } = parts;
  /**
   * Makes a change that may make a turn claimable. Then sends the signal `claimable`, unless the result is one of
   * `without`.
   */
  const change = async <T>(work: () => T, ...without: T[]): Promise<T> =>
    changed(await commits.write(work), without);
  const changed = <T>(result: T, without: readonly T[]): T => {
    if (!without.includes(result)) signals.send({ kind: 'claimable' });
    return result;
  };
  return {
    add: async (turn) => {
      const { added, takenBack } = await commits.write(() => addTurn(sql, turn, laneLimit, clock.now()));
      if (takenBack !== undefined)
        signals.send({ kind: 'interrupted', id: takenBack, why: { kind: 'lost' } });
      if (added.kind === 'added' && added.ahead === 0) signals.send({ kind: 'claimable' });
      return added;
    },
    claim: async () => {
      // Look for a ready turn without a transaction first, because that is cheaper.
      if (commits.idle && (await orUnavailable(() => oldestReady(sql))) === undefined) return undefined;
      const { claim, unreadable } = await commits.write(() => {
        const now = clock.now();
        return claimTurn(sql, { owner, life, until: now + leaseMs }, now);
      });
      for (const turn of unreadable) {
        log.error({ turn }, 'A stored turn cannot be read. Its reply is unknown and stays as it is.');
      }
      if (claim?.damaged)
        log.error({ turn: claim.turn.id }, 'A stored turn is damaged. Its reply ends with an error.');
      return claim;
    },
    holdsLease: () => true,
    // Only this process can claim turns from its file, so a renewal that fails does not lose the claim (fault
    // F29).
    renew: (claim) =>
      commits
        .writeSoon(() => renewLease(sql, claim, clock.now() + leaseMs))
        .catch(() => {
          steadiness.noteFailure();
          return 'held';
        }),
    checkpoint: (claim, known) => {
      const { owner, turn } = claim;
      const pending = { claim: { owner, turn: { id: turn.id, attempt: turn.attempt } }, known };
      const work = () => noteCheckpoint(sql, claim, known);
      // The last checkpoint of a text is written immediately.
      const write = known.phase === 'ending' ? commits.write : commits.writeSoon;
      return write(work, { pending, value: 'held' });
    },
    release: (claim) => change(() => releaseTurn(sql, claim, clock.now()), 'lost'),
    postpone: (claim, why) => change(() => postponeTurn(sql, claim, why, clock.now()), 'lost'),
    resume: (limit, except) => change(() => resumeTurns(sql, limit, except), 0),
    expirePostponed: (before, except) => change(() => expirePostponed(sql, before, except), 0),
    settle: (claim, state, facts) =>
      change(() => settleTurn(sql, claim, { state, facts, now: clock.now() }), 'lost'),
    interrupt: async (id, why) => {
      const state = await change(() => interruptTurn(sql, id, why), 'running', 'none').catch((thrown) => {
        // A running turn belongs to this process, so it can be interrupted without the store.
        if (findRow(sql, id)?.state !== 'running') throw thrown;
        return 'running' as const;
      });
      if (state === 'running') signals.send({ kind: 'interrupted', id, why });
      return state;
    },
  } satisfies Partial<Inbox>;
}

/** Operations for edits and deletions of a question. */
function rewriteOperations({ sql, commits, clock, signals, laneLimit }: Parts) {
  const tell = (ids: readonly TurnId[], kind: 'superseded' | 'withdrawn') => {
    for (const id of ids) signals.send({ kind: 'interrupted', id, why: { kind } });
    signals.send({ kind: 'claimable' });
  };
  return {
    supersede: async (turn) => {
      const { result, interrupted } = await commits.write(() =>
        supersedeTurn(sql, turn, laneLimit, clock.now()),
      );
      tell(interrupted, 'superseded');
      return result;
    },
    withdraw: async (messageKey, turnFor) => {
      const { result, interrupted } = await commits.write(() =>
        withdrawTurns(sql, messageKey, turnFor, clock.now()),
      );
      tell(interrupted, 'withdrawn');
      return result;
    },
    instead: async (lane, person, turn) => {
      const stopped = await commits.write(() => askInstead(sql, lane, person, turn));
      if (stopped === undefined) return undefined;
      signals.send({ kind: 'interrupted', id: idOf(stopped), why: { kind: 'stop', by: person } });
      return turnOf(stopped);
    },
  } satisfies Partial<Inbox>;
}

/** Queries of turns. */
function queries({ sql, signals, commits }: Parts) {
  const turnIn = (find: () => Row | undefined): Promise<Turn | undefined> =>
    orUnavailable(() => {
      const row = find();
      return row && turnOf(row);
    });
  return {
    find: (id) => turnIn(() => findRow(sql, id)),
    ofMessage: (messageKey) => turnIn(() => newestAsking(sql, messageKey)),
    newestOfReply: (id) => turnIn(() => newestOfReply(sql, id)),
    current: (lane) => turnIn(() => currentOf(sql, lane)),
    runningIn: (channel, tenant) =>
      orUnavailable(() => runningIn(sql, channel, tenant).flatMap((row) => turnOf(row) ?? [])),
    waiting: (lane) => orUnavailable(() => countWaiting(sql, lane)),
    screensIn: (lane, since) => orUnavailable(() => replyScreensOf(screensIn(sql, lane, since))),
    counts: () => orUnavailable(() => countAll(sql)),
    takeUnannounced: (kept, limit) => commits.write(() => announceTurns(sql, kept, limit)),
    onSignal: signals.listen,
  } satisfies Partial<Inbox>;
}

/** Maintenance of the store. */
function maintenance({ sql, commits, clock, signals, life, steadiness }: Parts) {
  return {
    // No other process shares the store.
    handOver: async () => undefined,
    expire: async () => {
      const spared = steadiness.isSteady() ? undefined : life;
      const back = await commits.write(() => expireTurns(sql, clock.now(), spared));
      if (back > 0) signals.send({ kind: 'claimable' });
      return back;
    },
    prune: async (before) => {
      for (let pruned = 0; ; ) {
        const dropped = await commits.write(() => pruneTurns(sql, before));
        pruned += dropped;
        if (dropped < PRUNED_AT_ONCE) return pruned;
      }
    },
    close: async () => commits.close(),
  } satisfies Partial<Inbox>;
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
