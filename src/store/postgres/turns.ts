import type { TurnId } from '../../core/ids.ts';
import type { TurnFacts } from '../../core/stores/audit.ts';
import type { Added, NewTurn } from '../../core/stores/inbox.ts';
import type { Terminal, Turn } from '../../core/turn.ts';
import { endedRecord } from '../audit-rows.ts';
import { idOf, interruptionOf, textOf, turnOf } from '../turn-rows.ts';
import { insertRecords } from './audit.ts';
import type { Query, Row } from './database.ts';
import { countAhead, lanesOf, promote } from './lanes.ts';
import type { DatabaseTime } from './time.ts';

/** Statements on single turns. Each function runs inside the caller's transaction. */

/** Reads a row. Returns undefined if its thread or state cannot be read. */
export function readTurn(row: Row, time: DatabaseTime): Turn | undefined {
  return turnOf({ ...row, kept_at: time.toLocal(Number(row.kept_at)) });
}

export async function idOfOrigin(query: Query, originKey: string): Promise<TurnId | undefined> {
  const [known] = await query('SELECT id FROM parley.turns WHERE origin_key = $1', [originKey]);
  return known && idOf(known);
}

export async function isWithdrawn(query: Query, messageKey: string): Promise<boolean> {
  return (await query('SELECT 1 FROM parley.withdrawn WHERE message_key = $1', [messageKey])).length > 0;
}

/**
 * Resolves with the newest turn that asked this message. Ignores turns with the origin `act`, because each of them has
 * its own reply.
 */
export async function newestAsking(query: Query, messageKey: string): Promise<Row | undefined> {
  const [row] = await query(
    `SELECT * FROM parley.turns WHERE message_key = $1 AND kind IN ('message', 'retry', 'regenerate')
    ORDER BY state = 'superseded', kept_at DESC, place DESC LIMIT 1`,
    [messageKey],
  );
  return row;
}

interface Inserting {
  readonly now: number;
  /** Place in the lane; absent for its end. */
  readonly place?: number;
}

export async function insertTurn(
  query: Query,
  turn: NewTurn,
  { now, place }: Inserting,
): Promise<Extract<Added, { kind: 'added' }>> {
  await insertTurns(query, [{ turn, isFirst: false }], now);
  if (place !== undefined) await query('UPDATE parley.turns SET place = $2 WHERE id = $1', [turn.id, place]);
  await promote(query, [turn.lane]);
  return { kind: 'added', ahead: await countAhead(query, turn.id) };
}

const INSERT = `
  INSERT INTO parley.turns (id, origin_key, channel, tenant, room, lane, reply, message_key, ready, kept_at,
    sent_at, revision, kind, origin, message)
  SELECT id, origin_key, channel, tenant, room, lane,
    coalesce((SELECT reply FROM parley.turns AS past WHERE past.id = follows), id),
    message_key, ready, $1, sent_at, revision, kind, origin, message
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::int[], $11::float8[], $12::float8[], $13::text[], $14::text[], $15::text[])
    WITH ORDINALITY AS given (id, origin_key, channel, tenant, room, lane, follows, message_key,
      ready, sent_at, revision, kind, origin, message, nth)
  ORDER BY nth`;

interface Appended {
  readonly turn: NewTurn;
  /** True if no other turn of the lane waits or runs, so that this one can be claimed at once. */
  readonly isFirst: boolean;
}

/** Inserts turns at the ends of their lanes. */
export async function insertTurns(query: Query, appended: readonly Appended[], now: number): Promise<void> {
  const turns = appended.map(({ turn }) => turn);
  const threads = turns.map(({ message }) => message.thread);
  await query(INSERT, [
    now,
    turns.map(({ id }) => id),
    turns.map(({ originKey }) => originKey),
    threads.map(({ channel }) => channel),
    threads.map(({ tenant }) => tenant),
    threads.map(({ room }) => room),
    turns.map(({ lane }) => lane),
    turns.map(({ follows = null }) => follows),
    turns.map(({ messageKey = null }) => messageKey),
    appended.map(({ isFirst }) => (isFirst ? 1 : 0)),
    turns.map(({ message }) => message.sentAt),
    turns.map(({ message }) => message.revision),
    turns.map(({ origin }) => origin.kind),
    turns.map(({ origin }) => JSON.stringify(origin)),
    turns.map(({ message }) => JSON.stringify(message)),
  ]);
}

/**
 * Puts turns back to waiting at their old places. An interrupted turn is claimable at once; a superseded turn is ended.
 */
export async function giveBack(query: Query, rows: readonly Row[], now: number): Promise<void> {
  const over = rows.filter((row) => interruptionOf(row)?.kind === 'superseded');
  if (over.length > 0) await end(query, over, { state: 'superseded', now });
  const back = rows.filter((row) => !over.includes(row));
  if (back.length === 0) return;
  await query(
    `UPDATE parley.turns SET state = 'waiting', owner = NULL, ready = CASE WHEN interruption IS NULL THEN 0 ELSE 2 END,
      unasked = unasked + (phase = 'new')::integer
    WHERE id = ANY($1)`,
    [back.map(idOf)],
  );
  await promote(query, lanesOf(back));
}

interface Ending {
  readonly state: Terminal;
  readonly now: number;
  /** Facts for the audit that the stored turn lacks, by the turn's id; absent for turns that did not run. */
  readonly facts?: ReadonlyMap<string, TurnFacts>;
}

/**
 * Ends turns, adds their records to the audit, and deletes their recorded texts and the texts of their messages; ids,
 * screens and sessions stay.
 */
export async function end(query: Query, over: readonly Row[], { state, now, facts }: Ending): Promise<void> {
  const rows = await query(
    `SELECT id, lane, reply, message_key, phase, attempt, postponed, origin, message, kept_at, agent, account, session
    FROM parley.turns WHERE id = ANY($1)`,
    [over.map(idOf)],
  );
  await insertRecords(
    query,
    rows.map((row) => endedRecord(row, { state, now, facts: facts?.get(idOf(row)) })),
  );
  await query(
    `WITH over AS (SELECT * FROM unnest($3::text[], $4::text[]) AS over (id, message)),
    forgotten AS (DELETE FROM parley.answers USING over WHERE answers.turn = over.id)
    UPDATE parley.turns SET state = $1, ended_at = $2, ready = 0, owner = NULL, message = over.message
    FROM over WHERE turns.id = over.id`,
    [state, now, rows.map(idOf), rows.map(withoutText)],
  );
  await promote(query, lanesOf(rows));
}

/** Returns the message's JSON without people's texts; an empty text if it cannot be read. */
function withoutText({ message }: Row): string {
  try {
    return JSON.stringify({
      ...JSON.parse(textOf(message)),
      text: '',
      quoted: [],
      files: [],
      omitted: undefined,
    });
  } catch {
    return '';
  }
}
