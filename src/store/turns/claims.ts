/** Statements on groups of claims. Each function runs inside the caller's transaction. */

import type { AgentName } from '../../core/ids.ts';
import type { TurnFacts } from '../../core/stores/audit.ts';
import type { Checkpoint, Claim, Inbox, Postponement } from '../../core/stores/inbox.ts';
import type { Terminal } from '../../core/turn.ts';
import { either, forEach, listOf, rowsOf, type Sql, type Steps, sql, type Value } from '../sql.ts';
import { idOf, interruptionOf, isDamaged, pieceOf, type Row, textOf } from '../turn-rows.ts';
import { hold, lanesOf, promote, updateEach } from './lanes.ts';
import type { Held, TurnTable } from './table.ts';
import { end, giveBack, readTurn } from './turns.ts';

/**
 * Returns the claims of rows that were just claimed. `unreadable`: ids of turns that were ended as failed, because
 * their rows cannot be read.
 * @param until end of the lease by the local clock
 */
export function* claimsOf(
  table: TurnTable,
  rows: readonly Row[],
  owner: string,
  until: number,
): Steps<{ claims: readonly Claim[]; unreadable: readonly string[] }> {
  const interrupted = rows.filter((row) => interruptionOf(row) !== undefined);
  yield* hold(lanesOf(interrupted));
  const texts = yield* readTexts(
    table,
    rows.filter(({ attempt }) => Number(attempt) > 1),
  );
  const claims: Claim[] = [];
  const unreadable: Row[] = [];
  for (const row of rows) {
    const turn = readTurn(table, row);
    if (turn === undefined) {
      unreadable.push(row);
      continue;
    }
    const interruption = interruptionOf(row);
    const marks = { ...(interruption && { interruption }), ...(isDamaged(row) && { damaged: true }) };
    claims.push({ turn, owner, until, text: texts.get(turn.id) ?? '', ...marks });
  }
  yield* end(table, unreadable, 'failed');
  return { claims, unreadable: unreadable.map(idOf) };
}

/**
 * Returns the recorded texts of turns by id. They are stored in pieces by offset, so that no part of a growing answer
 * is written twice. Pieces are JSON strings, because a piece may begin or end inside a surrogate pair.
 */
function* readTexts({ key }: TurnTable, rows: readonly Row[]): Steps<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const pieces = yield* forEach(
    rows.map(idOf),
    (list) => sql`SELECT turns.id, answers.at, answers.text FROM parley.turns
      JOIN parley.answers ON answers.turn = turns.${key} WHERE turns.id IN (${list}) ORDER BY answers.at`,
  );
  for (const { id, at, text } of pieces) {
    const before = (texts.get(textOf(id)) ?? '').slice(0, Number(at));
    texts.set(textOf(id), before + pieceOf(text));
  }
  return texts;
}

export const fenceOf = ({ owner, turn }: Held): string => `${turn.id} ${turn.attempt} ${owner}`;

type HeldRows = ReadonlyMap<string, Row>;

/** Returns the rows of the claims that are still held, by `fenceOf`. @param select selects running turns by their ids */
export function* heldRows(select: (ids: Sql) => Sql, claims: readonly Held[]): Steps<HeldRows> {
  const rows = yield* forEach(
    claims.map(({ turn }) => turn.id),
    select,
  );
  return new Map(rows.map((row) => [`${idOf(row)} ${Number(row.attempt)} ${textOf(row.owner)}`, row]));
}

export interface Noted {
  readonly claim: Held;
  readonly known: Checkpoint;
}

/**
 * Stores checkpoints. The text of a growing answer has a table of its own, because an update of the turn's row would
 * write the whole question again.
 */
export function* noteCheckpoints(
  table: TurnTable,
  notes: readonly Noted[],
): Steps<readonly ('held' | 'lost')[]> {
  const held = yield* heldRows(
    table.heldRows,
    notes.map(({ claim }) => claim),
  );
  const merged = mergedNotes(notes.filter(({ claim }) => held.has(fenceOf(claim))));
  const facts = merged.flatMap(({ claim, known: { text: _, ...others } }) =>
    Object.keys(others).length > 0 ? [factsOf(claim, others)] : [],
  );
  if (facts.length > 0) yield storedFacts(facts);
  const pieces = merged.flatMap(({ claim, known: { text } }): [Value, number, string][] =>
    text === undefined ? [] : [[keyOf(held.get(fenceOf(claim))), text.at, JSON.stringify(text.text)]],
  );
  if (pieces.length > 0) yield* recordTexts(pieces);
  return notes.map(({ claim }) => (held.has(fenceOf(claim)) ? 'held' : 'lost'));
}

/** Returns the column by which `answers` names the row. */
const keyOf = (row: Row | undefined): Value => (typeof row?.key === 'number' ? row.key : textOf(row?.key));

function factsOf({ turn }: Held, known: Checkpoint): Readonly<Record<string, Value>> {
  const { phase = null, agent = null, account = null, session = null, chatRecord = null } = known;
  const screen = known.screen === undefined ? null : JSON.stringify(known.screen);
  return { id: turn.id, phase, screen, agent, account, session, chat_record: chatRecord };
}

const storedFacts = (facts: readonly Readonly<Record<string, Value>>[]): Sql =>
  updateEach(
    facts,
    (value) =>
      sql`phase = coalesce(${value('phase')}, turns.phase), screen = coalesce(${value('screen')}, turns.screen),
        shown = CASE WHEN CAST(${value('screen')} AS text) IS NULL THEN turns.shown ELSE 1 + (
          SELECT max(past.shown) FROM parley.turns AS past INDEXED BY turns_of_reply WHERE past.reply = turns.reply) END,
        agent = coalesce(${value('agent')}, turns.agent), account = coalesce(${value('account')}, turns.account),
        session = coalesce(${value('session')}, turns.session),
        chat_record = coalesce(${value('chat_record')}, turns.chat_record)`,
  );

/** Replaces the recorded text of each turn from the offset. @param pieces key, offset and JSON; one for each turn */
function* recordTexts(pieces: readonly (readonly [Value, number, string])[]): Steps<void> {
  const later = pieces.map(([key, at]) => sql`turn = ${key} AND at >= ${at}`);
  yield sql`DELETE FROM parley.answers WHERE ${either(later)}`;
  yield sql`INSERT INTO parley.answers (turn, at, text) VALUES ${rowsOf(pieces)}`;
}

/** Merges the notes into one per turn. Later values replace earlier ones. */
function mergedNotes(notes: readonly Noted[]): readonly Noted[] {
  const merged = new Map<string, Noted>();
  for (const note of notes) {
    const before = merged.get(note.claim.turn.id);
    merged.set(note.claim.turn.id, before === undefined ? note : mergedNote(before, note));
  }
  return [...merged.values()];
}

function mergedNote({ known: before }: Noted, { claim, known }: Noted): Noted {
  const text = known.text && before.text ? mergedText(before.text, known.text) : (known.text ?? before.text);
  return { claim, known: { ...before, ...known, ...(text && { text }) } };
}

type Piece = NonNullable<Checkpoint['text']>;

const mergedText = (before: Piece, { at, text }: Piece): Piece =>
  at <= before.at ? { at, text } : { at: before.at, text: before.text.slice(0, at - before.at) + text };

export function* releaseTurns(
  table: TurnTable,
  claims: readonly Claim[],
): Steps<readonly ('released' | 'lost')[]> {
  const takeRow = yield* takeEachOnce(table, claims);
  const rows = claims.map(takeRow);
  yield* giveBack(
    table,
    rows.filter((row) => row !== undefined),
  );
  return rows.map((row) => (row === undefined ? 'lost' : 'released'));
}

export interface Settling {
  readonly claim: Claim;
  readonly state: Terminal;
  /** For the audit. */
  readonly facts?: TurnFacts | undefined;
}

type Settled = Awaited<ReturnType<Inbox['settle']>>;

export function* settleTurns(table: TurnTable, endings: readonly Settling[]): Steps<readonly Settled[]> {
  const takeRow = yield* takeEachOnce(
    table,
    endings.map(({ claim }) => claim),
  );
  const unfinished: Row[] = [];
  const ended = new Map<Terminal, Row[]>();
  const known = new Map<string, TurnFacts>();
  const results = endings.map(({ claim, state, facts }): Settled => {
    const row = takeRow(claim);
    if (row === undefined) return 'lost';
    const why = interruptionOf(row)?.kind;
    if (why === 'superseded' || (why === 'withdrawn' && state !== 'withdrawn')) {
      unfinished.push(row);
      return why;
    }
    ended.set(state, [...(ended.get(state) ?? []), row]);
    if (facts !== undefined) known.set(claim.turn.id, facts);
    return 'settled';
  });
  yield* giveBack(table, unfinished);
  for (const [state, rows] of ended) yield* end(table, rows, state, known);
  return results;
}

/**
 * Locks the lanes of the claims. Returns a function that returns the row of each claim once: if a batch contains several
 * calls for one claim, only the first gets the row.
 */
function* takeEachOnce(table: TurnTable, claims: readonly Claim[]): Steps<(claim: Claim) => Row | undefined> {
  yield* table.lock(claims.map(({ turn }) => turn.lane));
  const left = new Map(yield* heldRows(table.heldRows, claims));
  return (claim) => {
    const fence = fenceOf(claim);
    const row = left.get(fence);
    left.delete(fence);
    return row;
  };
}

export interface Postponing {
  readonly claim: Claim;
  readonly why: Postponement;
}

export function* postponeTurns(
  table: TurnTable,
  calls: readonly Postponing[],
): Steps<readonly ('postponed' | 'lost')[]> {
  const released = yield* releaseTurns(
    table,
    calls.map(({ claim }) => claim),
  );
  const now = table.time.now();
  for (const [nth, { claim, why }] of calls.entries()) {
    if (released[nth] === 'released')
      yield sql`UPDATE parley.turns SET ready = CASE WHEN interruption IS NULL THEN -1 ELSE ready END, announced = true,
        agent = ${why.agent}, postponed = postponed + 1,
        unasked = unasked - CASE WHEN phase = 'new' THEN 1 ELSE 0 END,
        resume_order = ${why.asked ? sql`${now}` : sql`coalesce(resume_order, kept_at)`}
      WHERE id = ${claim.turn.id} AND state = 'waiting'`;
  }
  return released.map((result) => (result === 'released' ? 'postponed' : 'lost'));
}

/** Returns the condition that the turn's agent is none of these. */
const notOf = (except: readonly AgentName[]): Sql =>
  except.length === 0 ? sql`` : sql` AND agent NOT IN (${listOf(except)})`;

/** Makes postponed turns of this process ready. Returns their number. */
export function* resumeTurns(table: TurnTable, limit: number, except: readonly AgentName[]): Steps<number> {
  const found = yield sql`SELECT id, lane FROM parley.turns INDEXED BY turns_postponed
    WHERE ready < 0${notOf(except)}${table.isOwn()} ORDER BY resume_order, ${table.place} LIMIT ${limit}`;
  return yield* makeReady(table, found, sql`ready = 0`);
}

/** Maximum number of turns that one transaction expires. */
const EXPIRED_AT_ONCE = 500;

/** @param before time of the engine's clock */
export function* expirePostponed(
  table: TurnTable,
  before: number,
  except: readonly AgentName[],
): Steps<number> {
  const found = yield sql`SELECT id, lane FROM parley.turns INDEXED BY turns_postponed
    WHERE ready < 0 AND kept_at < ${before}${notOf(except)} LIMIT ${EXPIRED_AT_ONCE}`;
  const count = yield* makeReady(table, found, sql`ready = 2, interruption = '{"kind":"expired"}'`);
  if (count > 0) yield* table.tell('claimable');
  return count;
}

function* makeReady(table: TurnTable, found: readonly Row[], change: Sql): Steps<number> {
  const lanes = lanesOf(found);
  yield* table.lock(lanes);
  const done = yield* forEach(
    found.map(idOf),
    (list) => sql`UPDATE parley.turns SET ${change} WHERE id IN (${list}) AND ready < 0 RETURNING id`,
  );
  yield* promote(table, lanes);
  return done.length;
}
