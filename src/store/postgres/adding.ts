import type { TurnId } from '../../core/ids.ts';
import type { Added, NewTurn } from '../../core/stores/inbox.ts';
import { idOf } from '../turn-rows.ts';
import type { Query } from './database.ts';
import { countWaiting, lockLanes, placeByTime, takeBack } from './lanes.ts';
import { giveBack, idOfOrigin, insertTurn, insertTurns, isWithdrawn, newestAsking } from './turns.ts';

interface Adding {
  readonly now: number;
  readonly laneLimit: number;
}

export interface AddedTurn {
  readonly added: Added;
  /** A running turn that was put back because the new one was written before it. */
  readonly takenBack?: TurnId;
}

/**
 * Adds a group of turns inside the caller's transaction. Most turns are new messages in lanes without open turns; these
 * are inserted together, and all others one by one.
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
  const isPlain = await findPlain(query, turns);
  const plain = turns.filter(isPlain);
  if (plain.length > 0) await insertTurns(query, plain, { now: at.now, ready: 1 });
  const added: AddedTurn[] = [];
  for (const turn of turns) {
    added.push(isPlain(turn) ? { added: { kind: 'added', ahead: 0 } } : await addTurn(query, turn, at));
  }
  return added;
}

/** Returns true for the first turn of a new message whose lane has no open turn, in the store or in the group. */
async function findPlain(query: Query, turns: readonly NewTurn[]): Promise<(turn: NewTurn) => boolean> {
  const found = await query(
    `SELECT 'origin' AS what, origin_key AS key FROM parley.turns WHERE origin_key = ANY($1)
    UNION ALL SELECT 'lane', lane FROM parley.turns WHERE lane = ANY($2) AND state IN ('waiting', 'running')
    UNION ALL SELECT 'message', message_key FROM parley.turns WHERE message_key = ANY($3)
    UNION ALL SELECT 'message', message_key FROM parley.withdrawn WHERE message_key = ANY($3)`,
    [
      turns.map(({ originKey }) => originKey),
      turns.map(({ lane }) => lane),
      turns.flatMap(({ messageKey }) => messageKey ?? []),
    ],
  );
  const taken = new Set(found.map(({ what, key }) => `${what} ${key}`));
  const plain = new Set<NewTurn>();
  for (const turn of turns) {
    const keys = [`origin ${turn.originKey}`, `lane ${turn.lane}`];
    if (turn.messageKey !== undefined) keys.push(`message ${turn.messageKey}`);
    if (turn.follows === undefined && !keys.some((key) => taken.has(key))) plain.add(turn);
    for (const key of keys) taken.add(key);
  }
  return (turn) => plain.has(turn);
}

async function addTurn(query: Query, turn: NewTurn, at: Adding): Promise<AddedTurn> {
  const known = await idOfOrigin(query, turn.originKey);
  if (known !== undefined) return { added: { kind: 'duplicate', id: known } };
  const late = await refusalOf(query, turn);
  if (late !== undefined) return { added: late };
  const waiting = await countWaiting(query, turn.lane);
  if (waiting >= at.laneLimit) return { added: { kind: 'full', waiting } };
  const early = await takeBack(query, turn);
  if (early !== undefined) await giveBack(query, [early], at.now);
  const place = await placeByTime(query, turn);
  const added = await insertTurn(query, turn, { now: at.now, ...(place !== undefined && { place }) });
  return { added, ...(early !== undefined && { takenBack: idOf(early) }) };
}

/** Returns the result for a message that was deleted, or asked in a newer revision, before it arrived. */
async function refusalOf(query: Query, { messageKey, message, origin }: NewTurn): Promise<Added | undefined> {
  if (messageKey === undefined) return undefined;
  if (await isWithdrawn(query, messageKey)) return { kind: 'withdrawn' };
  if (origin.kind !== 'message') return undefined;
  const row = await newestAsking(query, messageKey);
  return row !== undefined && Number(row.revision) > message.revision
    ? { kind: 'duplicate', id: idOf(row) }
    : undefined;
}
