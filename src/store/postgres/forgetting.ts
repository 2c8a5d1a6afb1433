import { randomUUID } from 'node:crypto';
import type { Erased, ForgetStore, ForgetTarget, Receipt } from '../../core/stores/forgetting.ts';
import {
  addRecordsOf,
  anonymousRow,
  belongs,
  Extent,
  FORGOTTEN_AT_ONCE,
  factsWithoutLinked,
  forgottenRecord,
  levelOf,
  linkedStart,
  readReceipt,
  readRequest,
  startOf,
  Tally,
} from '../forgetting.ts';
import { idOf, textOf } from '../turn-rows.ts';
import { insertRecords } from './audit.ts';
import type { Database, Query, Row } from './database.ts';
import { type DatabaseTime, databaseNow } from './time.ts';

export function createForgetting(database: Database, time: DatabaseTime): ForgetStore {
  return {
    request: (target, stops) => addRequest(database.query, { target, stops, at: time.now() }),
    next: async () => {
      const [row] = await database.query(
        'SELECT id, request FROM parley.forgetting WHERE receipt IS NULL ORDER BY at, id LIMIT 1',
      );
      return row && readRequest(row);
    },
    open: async (target) => {
      const rows = (await candidates(database.query, target)).filter(isOpen);
      return rows
        .filter((row) => belongs(row, target))
        .slice(0, FORGOTTEN_AT_ONCE)
        .map(idOf);
    },
    erase: (target) => database.longTransaction((query) => erase(query, target)),
    anonymize: (target, pseudonym) =>
      database.longTransaction((query) => anonymize(query, target, pseudonym)),
    finish: (request, receipt) =>
      database.transaction(async (query) => {
        const now = time.now();
        await query(`UPDATE parley.forgetting SET request = '{}', receipt = $2, at = $3 WHERE id = $1`, [
          ...[request.id, JSON.stringify(receipt), now],
        ]);
        await insertRecords(query, [forgottenRecord(request, receipt, now)]);
      }),
    receipt: (id) => receiptOf(database.query, id),
    prune: async (before) => {
      const over = time.fromLocal(before);
      await database.query('DELETE FROM parley.forgetting WHERE receipt IS NOT NULL AND at < $1', [over]);
    },
  };
}

interface Requesting {
  readonly target: ForgetTarget;
  readonly stops: boolean;
  readonly at: number;
}

async function addRequest(query: Query, { target, stops, at }: Requesting): Promise<string> {
  const id = randomUUID();
  await query('INSERT INTO parley.forgetting (id, at, request) VALUES ($1, $2, $3)', [
    ...[id, at, JSON.stringify({ target, stops })],
  ]);
  return id;
}

async function receiptOf(query: Query, id: string): Promise<Receipt | undefined> {
  const [row] = await query('SELECT receipt FROM parley.forgetting WHERE id = $1', [id]);
  return readReceipt(row);
}

/** The functions of `ForgetStore` that a command needs. Times are of the database's clock. */
export function requestsOf(query: Query): Pick<ForgetStore, 'request' | 'receipt'> {
  return {
    request: async (target, stops) => addRequest(query, { target, stops, at: await databaseNow(query) }),
    receipt: (id) => receiptOf(query, id),
  };
}

/** Resolves with the rows of turns that may belong to the target. */
function candidates(query: Query, target: ForgetTarget): Promise<readonly Row[]> {
  if (target.kind === 'person') {
    return query(
      `SELECT * FROM parley.turns WHERE channel = $1 AND (strpos(message, $2) > 0 OR strpos(origin, $2) > 0)`,
      [target.channel, JSON.stringify(target.person)],
    );
  }
  const { channel, tenant, room = null } = target;
  return query(
    `SELECT * FROM parley.turns WHERE channel = $1 AND tenant = $2 AND ($3::text IS NULL OR room = $3)`,
    [channel, tenant, room],
  );
}

const isOpen = ({ state }: Row): boolean => state === 'waiting' || state === 'running';

async function erase(query: Query, target: ForgetTarget): Promise<Erased> {
  const extent = new Extent(target);
  const tally = new Tally();
  for (const row of await candidates(query, target)) {
    const goes = target.kind === 'tenant' || (!isOpen(row) && belongs(row, target));
    if (goes) extent.addTurn(row);
  }
  addRecordsOf(extent, await recordsOf(query, target));
  await eraseTurns(query, extent, tally);
  await eraseFeedback(query, extent, tally);
  const entries = (await query('SELECT namespace, key FROM parley.keyed')).map((row) => {
    const entry = { namespace: textOf(row.namespace), key: textOf(row.key) };
    return { ...entry, verdict: extent.verdict(entry) };
  });
  const { delete: whole = [], part = [] } = Object.groupBy(entries, ({ verdict }) => verdict);
  await eraseEntries(query, whole, tally);
  for (const entry of part) await erasePart(query, { ...entry, extent }, tally);
  return tally.erased();
}

/** Resolves with the audit's records of a person, which name threads and turns that the other tables no longer contain. */
async function recordsOf(query: Query, target: ForgetTarget): Promise<readonly Row[]> {
  if (target.kind !== 'person') return [];
  const { channel, tenant = null, person } = target;
  return query(
    `SELECT * FROM parley.audit WHERE channel = $1 AND person = $2 AND ($3::text IS NULL OR tenant = $3)`,
    [channel, person, tenant],
  );
}

async function eraseTurns(query: Query, extent: Extent, tally: Tally): Promise<void> {
  const gone = await query(
    `DELETE FROM parley.turns WHERE (id = ANY($1::text[]) OR reply = ANY($2::text[]))
      AND ($3 OR state NOT IN ('waiting', 'running')) RETURNING id`,
    [[...extent.ids], [...extent.replies], extent.target.kind === 'tenant'],
  );
  for (const row of gone) extent.ids.add(idOf(row));
  tally.add('turns', gone.length);
  if (extent.target.kind !== 'tenant') return;
  await query('DELETE FROM parley.withdrawn WHERE starts_with(message_key, $1)', [startOf(extent.target)]);
}

async function eraseFeedback(query: Query, { target, ids }: Extent, tally: Tally): Promise<void> {
  const { channel, tenant = null } = target;
  const [room, person] = target.kind === 'person' ? [null, target.person] : [target.room ?? null, null];
  const gone = await query(
    `DELETE FROM parley.feedback WHERE channel = $1 AND ($2::text IS NULL OR tenant = $2)
      AND ($3::text IS NULL OR room = $3) AND ($4::text IS NULL OR person = $4)
      AND ($5::text[] IS NULL OR turn = ANY($5)) RETURNING 1`,
    [channel, tenant, room, person, target.kind === 'thread' ? [...ids] : null],
  );
  tally.add('feedback', gone.length);
}

interface Entry {
  readonly namespace: string;
  readonly key: string;
}

async function eraseEntries(query: Query, entries: readonly Entry[], tally: Tally): Promise<void> {
  const gone = await query(
    `DELETE FROM parley.keyed USING unnest($1::text[], $2::text[]) AS gone (namespace, key)
    WHERE keyed.namespace = gone.namespace AND keyed.key = gone.key RETURNING keyed.namespace, keyed.value`,
    [entries.map(({ namespace }) => namespace), entries.map(({ key }) => key)],
  );
  for (const { namespace, value } of gone) tally.addValue(textOf(namespace), parse(textOf(value)));
}

async function erasePart(
  query: Query,
  { namespace, key, extent }: Entry & { readonly extent: Extent },
  tally: Tally,
): Promise<void> {
  const place = [namespace, key];
  const [row] = await query(
    'SELECT value FROM parley.keyed WHERE namespace = $1 AND key = $2 FOR UPDATE',
    place,
  );
  const value = parse(textOf(row?.value));
  const left = extent.without(namespace, value);
  if (left === undefined) await eraseEntries(query, [{ namespace, key }], tally);
  if (left === undefined || left === value) return;
  tally.addValue(namespace, value);
  await query('UPDATE parley.keyed SET value = $3 WHERE namespace = $1 AND key = $2', [
    ...[...place, JSON.stringify(left)],
  ]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function anonymize(query: Query, target: ForgetTarget, pseudonym: string): Promise<number> {
  const { channel, tenant = null } = target;
  const [person, room] = target.kind === 'person' ? [target.person, null] : [null, target.room ?? null];
  const thread = target.kind === 'thread' ? target.thread : null;
  const rows = await query(
    `SELECT * FROM parley.audit WHERE ($1::text IS NOT NULL OR forgotten < $2) AND action <> 'forget'
      AND channel = $3 AND ($4::text IS NULL OR tenant = $4) AND ($1::text IS NULL OR person = $1)
      AND ($5::text IS NULL OR room = $5) AND ($6::text IS NULL OR thread = $6) LIMIT ${FORGOTTEN_AT_ONCE}`,
    [person, levelOf(target), channel, tenant, room, thread],
  );
  const changed = rows.map((row) => anonymousRow(row, target, pseudonym));
  await query(
    `UPDATE parley.audit SET person = given.person, tenant = given.tenant, room = given.room, thread = given.thread, facts = given.facts,
      forgotten = greatest(forgotten, $7)
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      AS given (seq, person, tenant, room, thread, facts) WHERE audit.seq = given.seq`,
    [
      rows.map(({ seq }) => Number(seq)),
      changed.map((each) => each.person),
      changed.map((each) => each.tenant),
      changed.map((each) => each.room),
      changed.map((each) => each.thread),
      changed.map((each) => each.facts),
      levelOf(target),
    ],
  );
  return rows.length + (await anonymizeLinked(query, target, pseudonym));
}

/** Replaces the target in other people's records: the record of a link names the person who was linked. */
async function anonymizeLinked(query: Query, target: ForgetTarget, pseudonym: string): Promise<number> {
  const start = linkedStart(target);
  if (start === undefined) return 0;
  const found = await query(
    "SELECT seq, facts FROM parley.audit WHERE action = 'link' AND position($1::text IN facts) > 0",
    [start],
  );
  const changed = found.flatMap((row) => {
    const facts = factsWithoutLinked(row, target, pseudonym);
    return facts === undefined ? [] : [{ seq: Number(row.seq), facts }];
  });
  await query(
    `UPDATE parley.audit SET facts = given.facts
    FROM unnest($1::bigint[], $2::text[]) AS given (seq, facts) WHERE audit.seq = given.seq`,
    [changed.map(({ seq }) => seq), changed.map(({ facts }) => facts)],
  );
  return changed.length;
}
