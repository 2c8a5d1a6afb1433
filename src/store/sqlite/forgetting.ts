import { randomUUID } from 'node:crypto';
import { DatabaseSync, type SQLTagStore } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import type { Erased, ForgetStore, ForgetTarget } from '../../core/stores/forgetting.ts';
import { mustExist, orUnavailable, storeUnavailable } from '../../sqlite.ts';
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
import { idOf, type Row, textOf } from '../turn-rows.ts';
import { insertRecord } from './audit-table.ts';
import type { Commits } from './commits.ts';

export function createForgetting(database: DatabaseSync, commits: Commits, clock: Clock): ForgetStore {
  const sql = database.createTagStore();
  return {
    request: (target, stops) => commits.write(() => addRequest(sql, { target, stops, at: clock.now() })),
    next: () =>
      orUnavailable(() => {
        const row = sql.get`SELECT id, request FROM forgetting WHERE receipt IS NULL ORDER BY at, id LIMIT 1`;
        return row && readRequest(row);
      }),
    open: (target) => orUnavailable(() => openTurns(sql, target)),
    erase: (target) => commits.write(() => erase(sql, target)),
    anonymize: (target, pseudonym) => commits.write(() => anonymize(sql, target, pseudonym)),
    finish: async (request, receipt) => {
      await commits.write(() => {
        const now = clock.now();
        sql.run`UPDATE forgetting SET request = '{}', receipt = ${JSON.stringify(receipt)}, at = ${now}
          WHERE id = ${request.id}`;
        insertRecord(sql, forgottenRecord(request, receipt, now));
      });
      // Without this, the write-ahead log would keep deleted text. If another process is reading, the text stays there
      // until the next checkpoint.
      await orUnavailable(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    },
    receipt: (id) =>
      orUnavailable(() => readReceipt(sql.get`SELECT receipt FROM forgetting WHERE id = ${id}`)),
    prune: async (before) => {
      await commits.write(() => sql.run`DELETE FROM forgetting WHERE receipt IS NOT NULL AND at < ${before}`);
    },
  };
}

interface Requesting {
  readonly target: ForgetTarget;
  readonly stops: boolean;
  readonly at: number;
}

function addRequest(sql: SQLTagStore, { target, stops, at }: Requesting): string {
  const id = randomUUID();
  sql.run`INSERT INTO forgetting (id, at, request) VALUES (${id}, ${at}, ${JSON.stringify({ target, stops })})`;
  return id;
}

/** Returns the rows of turns that may belong to the target. */
function candidates(sql: SQLTagStore, target: ForgetTarget): readonly Row[] {
  if (target.kind === 'person') {
    const id = JSON.stringify(target.person);
    return sql.all`SELECT * FROM turns WHERE instr(message, ${id}) > 0 OR instr(origin, ${id}) > 0`;
  }
  const start = startOf(target);
  return sql.all`SELECT * FROM turns WHERE substr(lane, 1, length(${start})) = ${start}
    OR reply IN (SELECT reply FROM turns WHERE substr(lane, 1, length(${start})) = ${start})`;
}

const isOpen = ({ state }: Row): boolean => state === 'waiting' || state === 'running';

function openTurns(sql: SQLTagStore, target: ForgetTarget): readonly string[] {
  return candidates(sql, target)
    .filter((row) => isOpen(row) && belongs(row, target))
    .slice(0, FORGOTTEN_AT_ONCE)
    .map(idOf);
}

function erase(sql: SQLTagStore, target: ForgetTarget): Erased {
  const extent = new Extent(target);
  const tally = new Tally();
  for (const row of candidates(sql, target)) {
    const goes = target.kind === 'tenant' || !isOpen(row);
    if (goes && (target.kind === 'tenant' || belongs(row, target))) extent.addTurn(row);
  }
  addRecordsOf(extent, recordsOf(sql, target));
  eraseTurns(sql, extent, tally);
  eraseFeedback(sql, extent, tally);
  for (const row of sql.all`SELECT namespace, key FROM keyed`) {
    const entry = { namespace: textOf(row.namespace), key: textOf(row.key) };
    const verdict = extent.verdict(entry);
    if (verdict !== 'keep') eraseEntry(sql, { ...entry, verdict, extent }, tally);
  }
  return tally.erased();
}

/** Returns the audit's records of a person, which name threads and turns that the other tables no longer contain. */
function recordsOf(sql: SQLTagStore, target: ForgetTarget): readonly Row[] {
  if (target.kind !== 'person') return [];
  const { channel, tenant = null, person } = target;
  return sql.all`SELECT * FROM audit WHERE channel = ${channel} AND person = ${person}
    AND (${tenant} IS NULL OR tenant = ${tenant})`;
}

function eraseTurns(sql: SQLTagStore, extent: Extent, tally: Tally): void {
  const replies = JSON.stringify([...extent.replies]);
  const ids = JSON.stringify([...extent.ids]);
  const keepsOpen = extent.target.kind === 'tenant' ? 0 : 1;
  const gone = sql.all`SELECT id, seq, message_key FROM turns
    WHERE (id IN (SELECT value FROM json_each(${ids})) OR reply IN (SELECT value FROM json_each(${replies})))
      AND NOT (${keepsOpen} AND state IN ('waiting', 'running'))`;
  for (const row of gone) {
    extent.ids.add(idOf(row));
    sql.run`DELETE FROM answers WHERE turn = ${Number(row.seq)}`;
    sql.run`DELETE FROM turns WHERE seq = ${Number(row.seq)}`;
  }
  tally.add('turns', gone.length);
  if (extent.target.kind !== 'tenant') return;
  const start = startOf(extent.target);
  sql.run`DELETE FROM withdrawn WHERE substr(message_key, 1, length(${start})) = ${start}`;
}

function eraseFeedback(sql: SQLTagStore, { target, ids }: Extent, tally: Tally): void {
  const { channel, tenant = null } = target;
  const [room, person] = target.kind === 'person' ? [null, target.person] : [target.room ?? null, null];
  const turns = target.kind === 'thread' ? JSON.stringify([...ids]) : null;
  const { changes } = sql.run`DELETE FROM feedback WHERE channel = ${channel}
    AND (${tenant} IS NULL OR tenant = ${tenant}) AND (${room} IS NULL OR room = ${room})
    AND (${person} IS NULL OR person = ${person})
    AND (${turns} IS NULL OR turn IN (SELECT value FROM json_each(${turns})))`;
  tally.add('feedback', Number(changes));
}

interface Erasing {
  readonly namespace: string;
  readonly key: string;
  readonly verdict: 'delete' | 'part';
  readonly extent: Extent;
}

function eraseEntry(sql: SQLTagStore, { namespace, key, verdict, extent }: Erasing, tally: Tally): void {
  const row = sql.get`SELECT value FROM keyed WHERE namespace = ${namespace} AND key = ${key}`;
  const { value, ...stored } = parse(textOf(row?.value));
  const left = verdict === 'delete' ? undefined : extent.without(namespace, value);
  if (left === value && verdict === 'part') return;
  tally.addValue(namespace, value);
  if (left === undefined) sql.run`DELETE FROM keyed WHERE namespace = ${namespace} AND key = ${key}`;
  else {
    const text = JSON.stringify({ ...stored, value: left });
    sql.run`UPDATE keyed SET value = ${text} WHERE namespace = ${namespace} AND key = ${key}`;
  }
}

function parse(text: string): { readonly value: unknown } {
  try {
    const stored: unknown = JSON.parse(text);
    return typeof stored === 'object' && stored !== null && 'value' in stored ? stored : { value: undefined };
  } catch {
    return { value: undefined };
  }
}

/**
 * Changes at most 1,000 records. A changed record is not found again, so repeated calls reach all records of the
 * target.
 */
function anonymize(sql: SQLTagStore, target: ForgetTarget, pseudonym: string): number {
  const rows = unforgottenRecords(sql, target);
  for (const row of rows) {
    const { person, tenant, room, thread, facts } = anonymousRow(row, target, pseudonym);
    sql.run`UPDATE audit SET person = ${person}, tenant = ${tenant}, room = ${room}, thread = ${thread}, facts = ${facts},
        forgotten = max(forgotten, ${levelOf(target)})
      WHERE seq = ${Number(row.seq)}`;
  }
  return rows.length + anonymizeLinked(sql, target, pseudonym);
}

/** Replaces the target in records of other people, which name the person whom they linked. */
function anonymizeLinked(sql: SQLTagStore, target: ForgetTarget, pseudonym: string): number {
  const start = linkedStart(target);
  if (start === undefined) return 0;
  let changed = 0;
  for (const row of sql.all`SELECT seq, facts FROM audit WHERE action = 'link' AND instr(facts, ${start}) > 0`) {
    const facts = factsWithoutLinked(row, target, pseudonym);
    if (facts === undefined) continue;
    sql.run`UPDATE audit SET facts = ${facts} WHERE seq = ${Number(row.seq)}`;
    changed += 1;
  }
  return changed;
}

function unforgottenRecords(sql: SQLTagStore, target: ForgetTarget): readonly Row[] {
  const { channel, tenant = null } = target;
  const [person, room] = target.kind === 'person' ? [target.person, null] : [null, target.room ?? null];
  const thread = target.kind === 'thread' ? target.thread : null;
  return sql.all`SELECT * FROM audit WHERE (${person} IS NOT NULL OR forgotten < ${levelOf(target)}) AND action <> 'forget' AND channel = ${channel}
    AND (${tenant} IS NULL OR tenant = ${tenant}) AND (${person} IS NULL OR person = ${person})
    AND (${room} IS NULL OR room = ${room}) AND (${thread} IS NULL OR thread = ${thread})
    LIMIT ${FORGOTTEN_AT_ONCE}`;
}

/**
 * Calls `work` with the functions that a command needs. The command may run beside the bridge. The bridge's writes wait
 * for the command for at most half a second. Throws `store-unavailable`.
 */
export async function withRequestsFile<T>(
  file: string,
  clock: Clock,
  work: (requests: Pick<ForgetStore, 'request' | 'receipt'>) => Promise<T>,
): Promise<T> {
  const database = openFile(file);
  const sql = database.createTagStore();
  const safely = async <Result>(run: () => Result): Promise<Result> => {
    try {
      return run();
    } catch (thrown) {
      throw storeUnavailable(thrown);
    }
  };
  try {
    return await work({
      request: (target, stops) => safely(() => addRequest(sql, { target, stops, at: clock.now() })),
      receipt: (id) => safely(() => readReceipt(sql.get`SELECT receipt FROM forgetting WHERE id = ${id}`)),
    });
  } finally {
    database.close();
  }
}

/** Maximum wait for the bridge's lock on the file, in milliseconds. */
const LOCK_WAIT_MS = 5_000;

function openFile(file: string): DatabaseSync {
  try {
    mustExist(file);
    return new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}
