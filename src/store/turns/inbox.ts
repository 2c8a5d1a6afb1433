/** The part of the inbox that both engines share. */

import type { TurnId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Claim, Inbox, NewTurn } from '../../core/stores/inbox.ts';
import type { Engine } from '../engine.ts';
import type { Signals } from '../signals.ts';
import { type Steps, sql } from '../sql.ts';
import type { AddedTurn } from '../store.ts';
import { countsOf, type Row, replyScreensOf } from '../turn-rows.ts';
import {
  expirePostponed,
  type Postponing,
  postponeTurns,
  releaseTurns,
  resumeTurns,
  type Settling,
  settleTurns,
} from './claims.ts';
import { countAll, currentOf, runningIn, screensIn } from './lanes.ts';
import { askInstead, interruptTurn, newestOfReply, supersedeTurn, withdrawTurns } from './rewriting.ts';
import type { TurnTable } from './table.ts';
import { announceTurns, findTurn, newestAsking, readTurn } from './turns.ts';

/** Default of the maximum number of waiting turns per lane. */
export const LANE_LIMIT = 50;
/** Maximum number of ended turns that one statement deletes. */
const PRUNED_AT_ONCE = 1_000;

export interface InboxDeps {
  readonly table: TurnTable;
  readonly engine: Pick<Engine, 'read' | 'write' | 'transaction'>;
  readonly signals: Signals;
  readonly laneLimit: number;
  add(turn: NewTurn): Promise<AddedTurn>;
  /** Adds a kind of call, whose concurrent calls may share a transaction. */
  grouped<Call, Result>(
    work: (calls: readonly Call[]) => Steps<readonly Result[]>,
  ): (call: Call) => Promise<Result>;
  /** Runs a change for which a channel waits in one transaction. */
  urgently<T>(steps: () => Steps<T>): Promise<T>;
  /** Called when this process no longer runs the claim's turn. */
  ended?(claim: Claim): void;
}

/** Returns the functions of the inbox that only run shared statements. */
export const createInbox = (deps: InboxDeps) => ({
  ...turnOperations(deps),
  ...rewriteOperations(deps),
  ...queries(deps),
  ...maintenance(deps),
});

/** Logs the damage that a claim found. */
export function logUnreadable(log: Log, unreadable: readonly string[], claims: readonly Claim[]): void {
  for (const turn of unreadable)
    log.error({ turn }, 'A stored turn cannot be read. Its reply is unknown and stays as it is.');
  for (const { turn, damaged } of claims) {
    if (damaged) log.error({ turn: turn.id }, 'A stored turn is damaged. Its reply ends with an error.');
  }
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
function turnOperations(deps: InboxDeps) {
  const { table, add, grouped, ended } = deps;
  const tell = tellOf(deps);
  const release = grouped((claims: readonly Claim[]) => releaseTurns(table, claims));
  const postpone = grouped((calls: readonly Postponing[]) => postponeTurns(table, calls));
  const settle = grouped((endings: readonly Settling[]) => settleTurns(table, endings));
  const end = async <Result>(claim: Claim, work: Promise<Result>): Promise<Result> => {
    const result = await work;
    ended?.(claim);
    if (result !== 'lost') tell.claimable();
    return result;
  };
  return {
    add: async (turn) => {
      const { added, takenBack } = await add(turn);
      if (takenBack !== undefined) tell.interrupted([takenBack], 'lost');
      if (added.kind === 'added' && added.ahead === 0) tell.claimable();
      return added;
    },
    release: (claim) => end(claim, release(claim)),
    postpone: (claim, why) => end(claim, postpone({ claim, why })),
    settle: (claim, state, facts) => end(claim, settle({ claim, state, facts })),
  } satisfies Partial<Inbox>;
}

/** Operations that interrupt, edit or delete a question. */
function rewriteOperations(deps: InboxDeps) {
  const { table, urgently, signals, laneLimit } = deps;
  const tell = tellOf(deps);
  return {
    interrupt: async (id, why) => {
      const result = await urgently(() => interruptTurn(table, id, why));
      if (result === 'running') signals.send({ kind: 'interrupted', id, why });
      if (result === 'waiting') tell.claimable();
      return result;
    },
    supersede: async (turn) => {
      const { result, interrupted } = await urgently(() => supersedeTurn(table, turn, laneLimit));
      tell.interrupted(interrupted, 'superseded');
      tell.claimable();
      return result;
    },
    withdraw: async (messageKey, turnFor) => {
      const { result, interrupted } = await urgently(() => withdrawTurns(table, messageKey, turnFor));
      tell.interrupted(interrupted, 'withdrawn');
      tell.claimable();
      return result;
    },
    instead: async (lane, person, turn) => {
      const stopped = readTurn(table, await urgently(() => askInstead(table, lane, person, turn)));
      if (stopped !== undefined)
        signals.send({ kind: 'interrupted', id: stopped.id, why: { kind: 'stop', by: person } });
      return stopped;
    },
  } satisfies Partial<Inbox>;
}

function queries({ table, engine: { read, transaction }, signals }: InboxDeps) {
  const one = async (steps: Steps<Row | undefined>) => readTurn(table, await read(steps));
  return {
    find: (id) => one(findTurn(id)),
    ofMessage: (key) => one(newestAsking(table, key)),
    newestOfReply: (id) => one(newestOfReply(table, id)),
    current: (lane) => one(currentOf(table, lane)),
    runningIn: async (channel, tenant) =>
      (await read(runningIn(table, channel, tenant))).flatMap((row) => readTurn(table, row) ?? []),
    screensIn: async (lane, since) =>
      replyScreensOf(await read(screensIn(lane, table.time.fromLocal(since)))),
    counts: async () => countsOf((await read(countAll()))[0] ?? {}),
    takeUnannounced: ({ behind, ready }, limit) => {
      const bounds = { behind: table.time.fromLocal(behind), ready: table.time.fromLocal(ready) };
      return transaction(() => announceTurns(table, bounds, limit));
    },
    onSignal: signals.listen,
  } satisfies Partial<Inbox>;
}

function maintenance(deps: InboxDeps) {
  const { table, engine } = deps;
  const announced = (count: number): number => {
    if (count > 0) tellOf(deps).claimable();
    return count;
  };
  return {
    resume: async (limit, except) =>
      announced(await engine.transaction(() => resumeTurns(table, limit, except))),
    expirePostponed: async (before, except) => {
      const over = table.time.fromLocal(before);
      return announced(await engine.transaction(() => expirePostponed(table, over, except)));
    },
    prune: async (before) => {
      const over = table.time.fromLocal(before);
      await engine.write(sql`DELETE FROM parley.withdrawn WHERE at < ${over}`);
      for (let pruned = 0; ; ) {
        const dropped = await engine.write(sql`DELETE FROM parley.turns WHERE id IN (
          SELECT id FROM parley.turns INDEXED BY turns_ended WHERE ended_at < ${over} LIMIT ${PRUNED_AT_ONCE})
          RETURNING id`);
        pruned += dropped.length;
        if (dropped.length < PRUNED_AT_ONCE) return pruned;
      }
    },
  } satisfies Partial<Inbox>;
}
