import type { Clock } from '../../core/clock.ts';
import type { TurnId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Claim, Inbox, NewTurn } from '../../core/stores/inbox.ts';
import type { Signals } from '../signals.ts';
import { replyScreensOf } from '../turn-rows.ts';
import { addTurns } from './adding.ts';
import type { Batches } from './batches.ts';
import {
  claimTurns,
  type Noted,
  noteCheckpoints,
  releaseTurns,
  renewClaims,
  type Settling,
  settleTurns,
} from './claims.ts';
import type { Database, Query, Row } from './database.ts';
import { sendHint } from './hints.ts';
import { countAhead, countAll, countWaiting, currentOf, runningIn, screensIn } from './lanes.ts';
import { LEASE_MS } from './lease.ts';
import { type OwnClaims, trackOwnClaims } from './own-claims.ts';
import { expirePostponed, type Postponing, postponeTurns, resumeTurns } from './postponed.ts';
import type { Replica } from './replica.ts';
import {
  askInstead,
  findTurn,
  interruptionsOf,
  interruptTurn,
  newestOfReply,
  supersedeTurn,
  withdrawTurns,
} from './rewriting.ts';
import { newestAsking, readTurn } from './turns.ts';

/** Maximum number of waiting turns per lane. */
const LANE_LIMIT = 50;
/** Maximum number of ended turns that one statement deletes. */
const PRUNED_AT_ONCE = 1_000;

interface InboxDeps {
  readonly database: Database;
  readonly batches: Batches;
  /** Batches of claims, and of changes for which a channel waits. They do not wait for checkpoints of running turns. */
  readonly urgent: Batches;
  readonly clock: Clock;
  readonly log: Log;
  readonly replica: Replica;
  readonly signals: Signals;
  readonly laneLimit?: number | undefined;
}

interface ClaimingDeps extends InboxDeps {
  readonly ownClaims: OwnClaims;
}

/** Creates the inbox of one replica on PostgreSQL. Concurrent calls of one kind share a transaction. */
export function createPostgresInbox(given: InboxDeps): Inbox {
  const deps = { ...given, ownClaims: trackOwnClaims(given) };
  return {
    isShared: true,
    ...turnOperations(deps),
    ...rewriteOperations(deps),
    ...queries(deps),
    ...maintenance(deps),
  };
}

/** Adds a kind of call. Each group of its calls runs in one transaction. */
function inGroups<Call, Result>(
  { batches, database }: Pick<InboxDeps, 'batches' | 'database'>,
  work: (query: Query, calls: readonly Call[]) => Promise<readonly Result[]>,
  options?: Parameters<Batches['kind']>[1],
): (call: Call) => Promise<Result> {
  return batches.kind<Call, Result>((calls) => database.transaction((query) => work(query, calls)), options);
}

function tellOf({ signals }: InboxDeps) {
  return {
    claimable: () => signals.send({ kind: 'claimable' }),
    interrupted: (ids: readonly TurnId[], kind: 'superseded' | 'withdrawn' | 'lost') => {
      for (const id of ids) signals.send({ kind: 'interrupted', id, why: { kind } });
    },
  };
}

/** Operations on one turn, used by intake and workers. */
function turnOperations(deps: ClaimingDeps) {
  const { replica, laneLimit = LANE_LIMIT } = deps;
  const { time } = replica;
  const tell = tellOf(deps);
  const add = inGroups(
    { ...deps, batches: deps.urgent },
    async (query, turns: readonly NewTurn[]) => {
      const owners = await replica.assign(
        query,
        turns.map(({ message }) => message.thread),
      );
      if (owners.size > 0) await sendHint(query, 'claimable');
      return addTurns(query, turns, { now: time.now(), laneLimit });
    },
    { isUrgent: true },
  );
  const renew = inGroups<Claim, Awaited<ReturnType<Inbox['renew']>>>(deps, renewClaims);
  const note = inGroups<Noted, 'held' | 'lost'>(deps, noteCheckpoints);
  const release = inGroups(deps, (query, claims: readonly Claim[]) =>
    releaseTurns(query, claims, time.now()),
  );
  const postpone = inGroups(deps, (query, calls: readonly Postponing[]) =>
    postponeTurns(query, calls, time.now()),
  );
  const settle = inGroups(deps, (query, endings: readonly Settling[]) =>
    settleTurns(query, endings, time.now()),
  );
  const own = deps.ownClaims;
  const claim = deps.urgent.kind((calls) => claimSome(calls.length, deps));
  return {
    add: async (turn) => {
      const { added, takenBack } = await add(turn);
      if (takenBack !== undefined) tell.interrupted([takenBack], 'lost');
      if (added.kind === 'added' && added.ahead === 0) tell.claimable();
      return added;
    },
    claim: () => claim(undefined),
    renew,
    holdsLease: ({ owner }) => replica.holdsLease() && owner === replica.id,
    checkpoint: (held, known) => note({ claim: held, known }),
    release: async (held) => {
      const result = await release(held);
      own.remove(held);
      if (result !== 'lost') tell.claimable();
      return result;
    },
    postpone: async (held, why) => {
      const result = await postpone({ claim: held, why });
      own.remove(held);
      if (result !== 'lost') tell.claimable();
      return result;
    },
    settle: async (held, state, facts) => {
      const result = await settle({ claim: held, state, facts });
      own.remove(held);
      if (result !== 'lost') tell.claimable();
      return result;
    },
  } satisfies Partial<Inbox>;
}

/** Claims up to `limit` turns. Resolves with `limit` entries; the entries without a turn are undefined. */
async function claimSome(limit: number, deps: ClaimingDeps): Promise<readonly (Claim | undefined)[]> {
  const { database, clock, replica, ownClaims, log } = deps;
  const lease = { owner: replica.id, limit, until: clock.now() + LEASE_MS, time: replica.time };
  const { claims, unreadable } = await database
    .transaction((query) => claimTurns(query, lease))
    .catch((thrown: unknown) => {
      ownClaims.failed();
      throw thrown;
    });
  ownClaims.add(claims);
  for (const turn of unreadable)
    log.error({ turn }, 'A stored turn cannot be read. Its reply is unknown and stays as it is.');
  for (const { turn, damaged } of claims) {
    if (damaged) log.error({ turn: turn.id }, 'A stored turn is damaged. Its reply ends with an error.');
  }
  return Array.from({ length: limit }, (_, nth) => claims[nth]);
}

/** Operations that interrupt, edit or delete a question. The turns of the question may run in other replicas. */
function rewriteOperations(deps: InboxDeps) {
  const { urgent, database, replica, signals, laneLimit = LANE_LIMIT } = deps;
  const { time } = replica;
  const tell = tellOf(deps);
  const alone = urgent.kind<(query: Query) => Promise<unknown>, unknown>(
    async (works) => {
      const results: unknown[] = [];
      for (const work of works) results.push(await database.transaction(work));
      return results;
    },
    { isUrgent: true },
  );
  /** Runs one change in a transaction of its own, and tells the other replicas. */
  const change = async <T extends { readonly interrupted: readonly TurnId[] }>(
    work: (query: Query) => Promise<T>,
  ): Promise<T> =>
    (await alone(async (query) => {
      const done = await work(query);
      await sendHint(query, done.interrupted.length > 0 ? 'interrupted' : 'claimable');
      return done;
    })) as T;
  return {
    interrupt: async (id, why) => {
      const { result } = await change(async (query) => {
        const result = await interruptTurn(query, id, why);
        return { result, interrupted: result === 'running' ? [id] : [] };
      });
      if (result === 'running') signals.send({ kind: 'interrupted', id, why });
      if (result === 'waiting') tell.claimable();
      return result;
    },
    supersede: async (turn) => {
      const { result, interrupted } = await change((query) =>
        supersedeTurn(query, turn, { time, laneLimit }),
      );
      tell.interrupted(interrupted, 'superseded');
      tell.claimable();
      return result;
    },
    withdraw: async (messageKey, turnFor) => {
      const { result, interrupted } = await change((query) =>
        withdrawTurns(query, messageKey, { time, turnFor }),
      );
      tell.interrupted(interrupted, 'withdrawn');
      tell.claimable();
      return result;
    },
    instead: async (lane, person, turn) => {
      const { result, interrupted } = await change((query) => askInstead(query, lane, person, turn));
      for (const id of interrupted)
        signals.send({ kind: 'interrupted', id, why: { kind: 'stop', by: person } });
      return result && readTurn(result, time);
    },
  } satisfies Partial<Inbox>;
}

function queries({ database: { query }, replica, signals }: InboxDeps) {
  const { time } = replica;
  const read = (row: Row | undefined) => row && readTurn(row, time);
  return {
    find: async (id) => read(await findTurn(query, id)),
    ofMessage: async (key) => read(await newestAsking(query, key)),
    newestOfReply: async (id) => read(await newestOfReply(query, id)),
    current: async (lane) => read(await currentOf(query, lane)),
    runningIn: async (channel, tenant) =>
      (await runningIn(query, channel, tenant)).flatMap((row) => readTurn(row, time) ?? []),
    waiting: (lane) => countWaiting(query, lane),
    screensIn: async (lane, since) => replyScreensOf(await screensIn(query, lane, time.fromLocal(since))),
    counts: () => countAll(query),
    takeUnannounced: async ({ behind, ready }, limit) => {
      const rows = await query(ANNOUNCE, [time.fromLocal(ready), time.fromLocal(behind), limit, replica.id]);
      const turns = rows
        .toSorted((a, b) => Number(a.place) - Number(b.place))
        .flatMap((row) => readTurn(row, time) ?? []);
      return Promise.all(turns.map(async (turn) => ({ turn, ahead: await countAhead(query, turn.id) })));
    },
    onSignal: signals.listen,
  } satisfies Partial<Inbox>;
}

/**
 * Returns waiting turns whose people are to be told that they wait. Only the process that owns a tenant tells its people,
 * because this process also writes the tenant's replies.
 */
const ANNOUNCE = `
  UPDATE parley.turns SET announced = true WHERE id IN (
    SELECT turns.id FROM parley.turns JOIN parley.tenants USING (channel, tenant)
    WHERE turns.state = 'waiting' AND NOT turns.announced AND tenants.owner = $4
      AND turns.kept_at < CASE WHEN turns.ready > 0 THEN $1::float8 ELSE $2::float8 END
    ORDER BY turns.kept_at, turns.place LIMIT $3 FOR UPDATE OF turns SKIP LOCKED) RETURNING *`;

function maintenance(deps: ClaimingDeps) {
  const { batches, urgent, database, replica, signals, ownClaims } = deps;
  // Runs in the same batches as the claims, and therefore never while a claim is in progress.
  const giveBackUnknown = urgent.kind(async (calls: readonly undefined[]) => {
    const back = await ownClaims.giveBackUnknown();
    return calls.map(() => back);
  });
  return {
    expire: async () => {
      for (const each of await interruptionsOf(database.query, replica.id)) signals.send(each);
      const back = (await replica.takeOver()) + (await giveBackUnknown(undefined));
      if (back > 0) tellOf(deps).claimable();
      return back;
    },
    handOver: replica.handOver,
    resume: async (limit, except) => {
      const resumed = await database.transaction((query) => resumeTurns(query, replica.id, limit, except));
      if (resumed > 0) tellOf(deps).claimable();
      return resumed;
    },
    expirePostponed: async (before, except) => {
      const expired = await database.transaction(async (query) => {
        const ended = await expirePostponed(query, replica.time.fromLocal(before), except);
        if (ended > 0) await sendHint(query, 'claimable');
        return ended;
      });
      if (expired > 0) tellOf(deps).claimable();
      return expired;
    },
    prune: async (before) => {
      const over = replica.time.fromLocal(before);
      await database.query('DELETE FROM parley.withdrawn WHERE at < $1', [over]);
      for (let pruned = 0; ; ) {
        const dropped = await database.query(
          `DELETE FROM parley.turns WHERE id IN (
            SELECT id FROM parley.turns WHERE ended_at < $1 LIMIT ${PRUNED_AT_ONCE}) RETURNING 1`,
          [over],
        );
        pruned += dropped.length;
        if (dropped.length < PRUNED_AT_ONCE) return pruned;
      }
    },
    close: async () => void (await Promise.all([urgent.close(), batches.close()])),
  } satisfies Partial<Inbox>;
}
