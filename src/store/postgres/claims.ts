import type { TurnFacts } from '../../core/stores/audit.ts';
import type { Checkpoint, Claim, Inbox } from '../../core/stores/inbox.ts';
import type { Interruption, Terminal } from '../../core/turn.ts';
import { idOf, interruptionOf, isDamaged, textOf } from '../turn-rows.ts';
import { readTexts, recordTexts } from './answer-text.ts';
import type { Query, Row } from './database.ts';
import { hold, lanesOf, lockLanes } from './lanes.ts';
import type { DatabaseTime } from './time.ts';
import { end, giveBack, readTurn } from './turns.ts';

/** Statements on groups of claims. Each function runs inside the caller's transaction. */

interface Claiming {
  readonly owner: string;
  readonly limit: number;
  /** End of the lease by the local clock. */
  readonly until: number;
  readonly time: DatabaseTime;
}

/**
 * Locks the rows of the replica and of its tenants, so that no other replica ends the replica or takes over its
 * tenants before the claims are committed.
 */
const CLAIM = `
  WITH alive AS MATERIALIZED (
    SELECT id FROM parley.replicas WHERE id = $1 AND until > clock_timestamp() FOR KEY SHARE),
  mine AS MATERIALIZED (
    SELECT channel, tenant FROM parley.tenants WHERE owner = (SELECT id FROM alive) FOR SHARE),
  next AS (
    SELECT ready_turns.id FROM mine CROSS JOIN LATERAL (
      SELECT id, ready, place FROM parley.turns
      WHERE channel = mine.channel AND tenant = mine.tenant AND ready > 0 AND NOT EXISTS (
        SELECT 1 FROM parley.turns AS other WHERE other.state = 'running' AND other.reply = turns.reply)
      ORDER BY ready DESC, place LIMIT $2 FOR UPDATE SKIP LOCKED) AS ready_turns
    ORDER BY ready_turns.ready DESC, ready_turns.place LIMIT $2)
  UPDATE parley.turns SET state = 'running', ready = 0, attempt = attempt + 1, owner = $1,
    screen = coalesce((SELECT past.screen FROM parley.turns AS past
      WHERE past.reply = turns.reply AND past.screen IS NOT NULL ORDER BY past.shown DESC, past.place DESC LIMIT 1),
      turns.screen)
  FROM next WHERE turns.id = next.id RETURNING turns.*`;

/**
 * Claims up to `limit` turns of the owner's tenants: interrupted ones first, then the oldest. `unreadable`: ids of
 * turns that were ended as failed, because their rows cannot be read.
 */
export async function claimTurns(query: Query, { owner, limit, until, time }: Claiming) {
  const rows = (await query(CLAIM, [owner, limit])).toSorted(inOrder);
  const interrupted = rows.filter((row) => interruptionOf(row) !== undefined);
  if (interrupted.length > 0) await hold(query, lanesOf(interrupted));
  const texts = await readTexts(query, rows.filter(({ attempt }) => Number(attempt) > 1).map(idOf));
  const claims: Claim[] = [];
  const unreadable: Row[] = [];
  for (const row of rows) {
    const turn = readTurn(row, time);
    if (turn === undefined) {
      unreadable.push(row);
      continue;
    }
    const interruption = interruptionOf(row);
    const marks = { ...(interruption && { interruption }), ...(isDamaged(row) && { damaged: true }) };
    claims.push({ turn, owner, until, text: texts.get(turn.id) ?? '', ...marks });
  }
  if (unreadable.length > 0) await end(query, unreadable, { state: 'failed', now: time.now() });
  return { claims, unreadable: unreadable.map(idOf) };
}

/** Sorts turns in the order in which they are claimed: interrupted turns first, then by place. */
function inOrder(one: Row, other: Row): number {
  const isPlain = ({ interruption }: Row) => Number(interruption === null);
  return isPlain(one) - isPlain(other) || Number(one.place) - Number(other.place);
}

/** A claim with its fencing values: a write counts only while the row still has this owner and attempt. */
export type Held = Pick<Claim, 'owner' | 'turn'>;

/**
 * A claim is lost as soon as another replica has ended the replica that holds the claim, even if the turn is not yet
 * waiting again.
 */
const HELD = `
  FROM unnest($1::text[], $2::int[], $3::text[]) AS claim (id, attempt, owner)
  JOIN parley.turns USING (id, attempt, owner) JOIN parley.replicas ON replicas.id = turns.owner
  WHERE turns.state = 'running'`;

const heldBy = (claims: readonly Held[]) => [
  claims.map(({ turn }) => turn.id),
  claims.map(({ turn }) => turn.attempt),
  claims.map(({ owner }) => owner),
];

const fenceOf = ({ owner, turn }: Held): string => `${turn.id} ${turn.attempt} ${owner}`;

type HeldRows = ReadonlyMap<string, Row>;

const byFence = (rows: readonly Row[]): HeldRows =>
  new Map(rows.map((row) => [`${idOf(row)} ${Number(row.attempt)} ${textOf(row.owner)}`, row]));

/** Resolves with the rows of the claims that are still held. The rows are locked until the transaction ends. */
async function heldRows(query: Query, claims: readonly Held[]): Promise<HeldRows> {
  const rows = await query(
    `SELECT turns.id, turns.attempt, turns.owner, turns.lane, turns.interruption ${HELD}
    FOR UPDATE OF turns FOR KEY SHARE OF replicas`,
    heldBy(claims),
  );
  return byFence(rows);
}

export async function renewClaims(
  query: Query,
  claims: readonly Held[],
): Promise<readonly ('held' | 'lost' | Interruption)[]> {
  const rows = await query(
    `SELECT turns.id, turns.attempt, turns.owner, turns.interruption ${HELD}`,
    heldBy(claims),
  );
  const held = byFence(rows);
  return claims.map((claim) => {
    const row = held.get(fenceOf(claim));
    return row === undefined ? 'lost' : (interruptionOf(row) ?? 'held');
  });
}

export interface Noted {
  readonly claim: Held;
  readonly known: Checkpoint;
}

const NOTE = `
  UPDATE parley.turns SET
    phase = coalesce(known.phase, turns.phase),
    screen = coalesce(known.screen, turns.screen),
    shown = CASE WHEN known.screen IS NULL THEN turns.shown ELSE 1 + (
      SELECT max(past.shown) FROM parley.turns AS past WHERE past.reply = turns.reply) END,
    agent = coalesce(known.agent, turns.agent),
    account = coalesce(known.account, turns.account),
    session = coalesce(known.session, turns.session),
    chat_record = coalesce(known.chat_record, turns.chat_record)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS known (id, phase, screen, agent, account, session, chat_record)
  WHERE turns.id = known.id`;

/**
 * Stores checkpoints. The text of a growing answer has a table of its own, because an update of the turn's row would
 * write the whole question again.
 */
export async function noteCheckpoints(
  query: Query,
  notes: readonly Noted[],
): Promise<readonly ('held' | 'lost')[]> {
  const claims = notes.map(({ claim }) => claim);
  const held = await heldRows(query, claims);
  const kept = mergedNotes(notes.filter(({ claim }) => held.has(fenceOf(claim))));
  const facts = kept.filter(({ known: { text: _, ...others } }) => Object.keys(others).length > 0);
  if (facts.length > 0) {
    const column = (of: (known: Checkpoint) => string | undefined) =>
      facts.map(({ known }) => of(known) ?? null);
    await query(NOTE, [
      facts.map(({ claim }) => claim.turn.id),
      column(({ phase }) => phase),
      column(({ screen }) => screen && JSON.stringify(screen)),
      column(({ agent }) => agent),
      column(({ account }) => account),
      column(({ session }) => session),
      column(({ chatRecord }) => chatRecord),
    ]);
  }
  await recordTexts(
    query,
    kept.flatMap(({ claim, known: { text } }) => (text ? [{ turn: claim.turn.id, ...text }] : [])),
  );
  return claims.map((claim) => (held.has(fenceOf(claim)) ? 'held' : 'lost'));
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

export async function releaseTurns(
  query: Query,
  claims: readonly Held[],
  now: number,
): Promise<readonly ('released' | 'lost')[]> {
  const takeRow = await takeEachOnce(query, claims);
  const rows = claims.map(takeRow);
  const back = rows.filter((row) => row !== undefined);
  await giveBack(query, back, now);
  return rows.map((row) => (row === undefined ? 'lost' : 'released'));
}

export interface Settling {
  readonly claim: Held;
  readonly state: Terminal;
  /** For the audit. */
  readonly facts?: TurnFacts | undefined;
}

type Settled = Awaited<ReturnType<Inbox['settle']>>;

export async function settleTurns(
  query: Query,
  endings: readonly Settling[],
  now: number,
): Promise<readonly Settled[]> {
  const claims = endings.map(({ claim }) => claim);
  const takeRow = await takeEachOnce(query, claims);
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
  await giveBack(query, unfinished, now);
  for (const [state, rows] of ended) await end(query, rows, { state, now, facts: known });
  return results;
}

/**
 * Locks the lanes of the claims. Resolves with a function that returns the row of each claim once: if a batch contains
 * several calls for one claim, only the first gets the row.
 */
async function takeEachOnce(query: Query, claims: readonly Held[]) {
  const lanes = claims.map(({ turn }) => turn.lane);
  await lockLanes(query, lanes);
  const left = new Map(await heldRows(query, claims));
  return (claim: Held): Row | undefined => {
    const fence = fenceOf(claim);
    const row = left.get(fence);
    left.delete(fence);
    return row;
  };
}
