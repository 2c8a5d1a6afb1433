import type { Added, NewTurn } from '../../core/stores/inbox.ts';
import type { AddedTurn } from '../store.ts';
import { idOf, isOutdated, textOf } from '../turn-rows.ts';
import type { Query } from './database.ts';
import { countWaiting, hasTime, hold, lockLanes, placeByTime, takeBack } from './lanes.ts';
import { giveBack, idOfOrigin, insertTurn, insertTurns, isWithdrawn, newestAsking } from './turns.ts';

interface Adding {
  readonly now: number;
  readonly laneLimit: number;
}

/**
 * Adds a group of turns inside the caller's transaction. Most turns are new messages that go to the ends of their
 * lanes; these turns are inserted together, and all other turns one by one.
 */
export async function addTurns(
  query: Query,
  turns: readonly NewTurn[],
  at: Adding,
): Promise<readonly AddedTurn[]> {
  await lockLanes(
    query,
    turns.map(({ lane }) => lane),
    turns.flatMap(({ messageKey }) => messageKey ?? []),
  );
  const planned = await planAppends(query, turns, at);
  const appended = [...planned].flatMap(([turn, added]) =>
    added.kind === 'added' ? [{ turn, isFirst: added.ahead === 0 }] : [],
  );
  if (appended.length > 0) await insertTurns(query, appended, at.now);
  const results: AddedTurn[] = [];
  for (const turn of turns) {
    const added = planned.get(turn);
    results.push(added === undefined ? await addTurn(query, turn, at) : { added });
  }
  return results;
}

/**
 * Resolves with the results for two kinds of turns: those whose event is already stored, and those that go to the end
 * of their lane. Leaves out turns that continue a reply, repeat a message, or may overtake another turn. Once a turn of
 * a lane is left out, the lane's later turns are left out too, unless their events are already stored.
 */
async function planAppends(
  query: Query,
  turns: readonly NewTurn[],
  { laneLimit }: Adding,
): Promise<ReadonlyMap<NewTurn, Added>> {
  const { origins, messages } = await readKnown(query, turns);
  const lanes = await readLanes(query, turns);
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

/** Resolves with the origins and messages that are already stored, among those of the given turns. */
async function readKnown(query: Query, turns: readonly NewTurn[]) {
  const rows = await query(
    `SELECT id, origin_key AS key FROM parley.turns WHERE origin_key = ANY($1)
    UNION ALL SELECT NULL, message_key FROM parley.turns WHERE message_key = ANY($2)
    UNION ALL SELECT NULL, message_key FROM parley.withdrawn WHERE message_key = ANY($2)`,
    [turns.map(({ originKey }) => originKey), turns.flatMap(({ messageKey }) => messageKey ?? [])],
  );
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

/** Resolves with the lanes that have open turns. */
async function readLanes(query: Query, turns: readonly NewTurn[]) {
  const rows = await query(
    `SELECT lane, count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) AS open,
      coalesce(max(sent_at) FILTER (WHERE kind = 'message'), 0) AS latest,
      bool_and(interruption IS NULL) AND bool_or(state = 'running' OR ready <> 0) AS takes_appends
    FROM parley.turns WHERE lane = ANY($1) AND state IN ('waiting', 'running') GROUP BY lane`,
    [turns.map(({ lane }) => lane)],
  );
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

async function addTurn(query: Query, turn: NewTurn, at: Adding): Promise<AddedTurn> {
  const known = await idOfOrigin(query, turn.originKey);
  if (known !== undefined) return { added: { kind: 'duplicate', id: known } };
  const late = await refusalOf(query, turn);
  if (late !== undefined) return { added: late };
  const waiting = await countWaiting(query, turn.lane);
  if (waiting >= at.laneLimit) return { added: { kind: 'full', waiting } };
  // A claim does not lock the lane. Without this, a later message could be claimed between the next two statements, and
  // this turn would wait behind it.
  await hold(query, [turn.lane]);
  const early = await takeBack(query, turn);
  if (early !== undefined) await giveBack(query, [early], at.now);
  const place = await placeByTime(query, turn);
  const added = await insertTurn(query, turn, { now: at.now, ...(place !== undefined && { place }) });
  return { added, ...(early !== undefined && { takenBack: idOf(early) }) };
}

/**
 * Resolves with the result for a message or a press of Retry that must not be stored: `withdrawn` if the message was
 * deleted before it arrived, and `duplicate` if the turn is outdated (`isOutdated`). Resolves with undefined for all
 * other turns.
 */
async function refusalOf(query: Query, turn: NewTurn): Promise<Added | undefined> {
  const { messageKey } = turn;
  if (messageKey === undefined) return undefined;
  if (await isWithdrawn(query, messageKey)) return { kind: 'withdrawn' };
  const row = await newestAsking(query, messageKey);
  const newest = row && { id: idOf(row), revision: Number(row.revision), state: textOf(row.state) };
  return newest !== undefined && isOutdated(turn, newest) ? { kind: 'duplicate', id: newest.id } : undefined;
}
