import type { Added, NewTurn } from '../../core/stores/inbox.ts';
import { listOf, once, type Steps, sql } from '../sql.ts';
import type { AddedTurn } from '../store.ts';
import { idOf, textOf } from '../turn-rows.ts';
import { hasTime, hold, promote } from '../turns/lanes.ts';
import type { TurnTable } from '../turns/table.ts';
import { addTurn, insertion } from '../turns/turns.ts';

/**
 * Adds a group of turns inside the caller's transaction. Most turns are new messages that go to the ends of their
 * lanes; these turns are inserted together, and all other turns one by one.
 */
export function* addTurns(
  table: TurnTable,
  turns: readonly NewTurn[],
  laneLimit: number,
): Steps<readonly AddedTurn[]> {
  yield* table.lock(
    turns.map(({ lane }) => lane),
    turns.flatMap(({ messageKey }) => messageKey ?? []),
  );
  const planned = yield* planAppends(turns, laneLimit);
  const appended = [...planned].flatMap(([turn, added]) =>
    added.kind === 'added' ? [{ turn, isFirst: added.ahead === 0 }] : [],
  );
  if (appended.length > 0) yield insertion(table, appended);
  const others = turns.filter((turn) => !planned.has(turn)).map(({ lane }) => lane);
  // A claim does not lock the lane. Without this, a later message could be claimed before the turn that overtakes it is
  // stored.
  yield* hold(others);
  const results: AddedTurn[] = [];
  for (const turn of turns) {
    const added = planned.get(turn);
    results.push(added === undefined ? yield* addTurn(table, turn, laneLimit) : { added });
  }
  if (others.length > 0) yield* promote(table, others);
  return results;
}

/**
 * Returns the results for two kinds of turns: those whose event is already stored, and those that go to the end
 * of their lane. Leaves out turns that continue a reply, repeat a message, or may overtake another turn. Once a turn of
 * a lane is left out, the lane's later turns are left out too, unless their events are already stored.
 */
function* planAppends(turns: readonly NewTurn[], laneLimit: number): Steps<ReadonlyMap<NewTurn, Added>> {
  const { origins, messages } = yield* readKnown(turns);
  const lanes = yield* readLanes(turns);
  const planned = new Map<NewTurn, Added>();
  for (const turn of turns) {
    const stored = origins.get(turn.originKey);
    if (stored !== undefined) {
      planned.set(turn, { kind: 'duplicate', id: stored });
      continue;
    }
    const lane = lanes.get(turn.lane) ?? { waiting: 0, open: 0, latest: 0, takesAppends: true };
    const repeats = turn.messageKey !== undefined && messages.has(turn.messageKey);
    const isNew = turn.follows === undefined && !repeats;
    const isAppended = isNew && lane.takesAppends && !(hasTime(turn) && turn.message.sentAt < lane.latest);
    if (turn.messageKey !== undefined) messages.add(turn.messageKey);
    if (!isAppended) lanes.set(turn.lane, { ...lane, takesAppends: false });
    else if (lane.waiting >= laneLimit) planned.set(turn, { kind: 'full', waiting: lane.waiting });
    else {
      planned.set(turn, { kind: 'added', ahead: lane.open });
      origins.set(turn.originKey, turn.id);
      lanes.set(turn.lane, {
        waiting: lane.waiting + 1,
        open: lane.open + 1,
        latest: turn.origin.kind === 'message' ? Math.max(lane.latest, turn.message.sentAt) : lane.latest,
        takesAppends: true,
      });
    }
  }
  return planned;
}

/** Returns the origins and messages that are already stored, among those of the given turns. */
function* readKnown(turns: readonly NewTurn[]) {
  const keys = turns.flatMap(({ messageKey }) => messageKey ?? []);
  const ofKeys =
    keys.length === 0
      ? sql``
      : sql` UNION ALL SELECT NULL, message_key FROM parley.turns WHERE message_key IN (${listOf(keys)})
        UNION ALL SELECT NULL, message_key FROM parley.withdrawn WHERE message_key IN (${listOf(keys)})`;
  const rows = yield* once(sql`SELECT id, origin_key AS key FROM parley.turns
    WHERE origin_key IN (${listOf(turns.map(({ originKey }) => originKey))})${ofKeys}`);
  const [ofOrigins, ofMessages] = [
    rows.filter(({ id }) => id !== null),
    rows.filter(({ id }) => id === null),
  ];
  return {
    /** The stored turn of each origin. */
    origins: new Map(ofOrigins.map((row) => [textOf(row.key), idOf(row)])),
    /** Keys of stored messages, deleted ones included. */
    messages: new Set(ofMessages.map(({ key }) => textOf(key))),
  };
}

/** Returns the lanes that have open turns. */
function* readLanes(turns: readonly NewTurn[]) {
  const rows =
    yield* once(sql`SELECT lane, count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) AS open,
      coalesce(max(sent_at) FILTER (WHERE kind = 'message'), 0) AS latest,
      bool_and(interruption IS NULL) AND bool_or(state = 'running' OR ready <> 0) AS takes_appends
    FROM parley.turns WHERE lane IN (${listOf(turns.map(({ lane }) => lane))}) AND state IN ('waiting', 'running')
    GROUP BY lane`);
  return new Map(
    rows.map((row) => [
      textOf(row.lane),
      {
        waiting: Number(row.waiting),
        open: Number(row.open),
        /** Time at which the newest message of an open turn was written. */
        latest: Number(row.latest),
        /**
         * True if a new turn can simply be added at the end of the lane: no open turn is interrupted, and at least one
         * open turn is running, claimable or postponed.
         */
        takesAppends: row.takes_appends === true,
      },
    ]),
  );
}
