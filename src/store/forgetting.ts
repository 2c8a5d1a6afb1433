/** Forgets a person, a thread or a workspace, with statements that both engines run. */

import { randomUUID } from 'node:crypto';
import type {
  Erased,
  ForgetRequest,
  ForgetStore,
  ForgetTarget,
  Receipt,
  RemovedKind,
} from '../core/stores/forgetting.ts';
import { insertRecord } from './audit.ts';
import type { Engine } from './engine.ts';
import { belongs, type Entry, Extent, hasWord, startOf } from './extent.ts';
import {
  anonymousRow,
  factsWithoutLinked,
  forgottenRecord,
  levelOf,
  linkedStart,
} from './forgotten-records.ts';
import { unwrap } from './keyed-rows.ts';
import { also, begins, forEach, once, type Sql, type Steps, sql } from './sql.ts';
import { idOf, type Row, textOf } from './turn-rows.ts';

/** Maximum number of items that one call reads or changes. */
const AT_ONCE = 1_000;
/**
 * Receipt of a dry run that no bridge has carried out yet. Earlier versions, which would delete, ignore requests that have
 * a receipt.
 */
const UNCOUNTED = '';

/** @param answersOf column of a turn that its texts in `answers` refer to */
export function createForgetStore(engine: Engine, answersOf: 'seq' | 'id'): ForgetStore {
  const { read, transaction, now, wraps } = engine;
  return {
    ...requestsOf(engine),
    next: () => read(nextRequest()),
    open: (target) => read(openTurns(target)),
    preview: (target) => read(preview(target, wraps)),
    erase: (target) => transaction(() => erase(target, answersOf, wraps)),
    anonymize: (target, pseudonym) => transaction(() => anonymize(target, pseudonym)),
    async finish(request, receipt) {
      const at = await now();
      await transaction(() => finish(request, receipt, at));
    },
    async prune(before) {
      const over = engine.fromLocal(before);
      await transaction(() =>
        once(sql`DELETE FROM parley.forgetting WHERE receipt IS NOT NULL AND at < ${over}`),
      );
    },
  };
}

/** Returns the functions of the store that a command needs. */
export function requestsOf({
  read,
  transaction,
  now,
}: Engine): Pick<ForgetStore, 'request' | 'requestDryRun' | 'receipt'> {
  const add = async (request: Omit<ForgetRequest, 'id'>, receipt: string | null) => {
    const id = randomUUID();
    const at = await now();
    await transaction(() =>
      once(sql`INSERT INTO parley.forgetting (id, at, request, receipt)
        VALUES (${id}, ${at}, ${JSON.stringify(request)}, ${receipt})`),
    );
    return id;
  };
  return {
    request: (target, stops) => add({ target, stops }, null),
    requestDryRun: (target) => add({ target, stops: false, dryRun: true }, UNCOUNTED),
    async receipt(id) {
      const [row] = await read(once(sql`SELECT receipt FROM parley.forgetting WHERE id = ${id}`));
      return textOf(row?.receipt) === UNCOUNTED ? undefined : (JSON.parse(textOf(row?.receipt)) as Receipt);
    },
  };
}

function* nextRequest(): Steps<ForgetRequest | undefined> {
  const [row] = yield sql`SELECT id, request FROM parley.forgetting
    WHERE receipt IS NULL OR receipt = ${UNCOUNTED} ORDER BY at, id LIMIT 1`;
  if (row === undefined) return undefined;
  return { ...(JSON.parse(textOf(row.request)) as Omit<ForgetRequest, 'id'>), id: textOf(row.id) };
}

/** Stores the receipt in place of the target, and adds a record to the audit. A dry run leaves no record. */
function* finish(request: ForgetRequest, receipt: Receipt, at: number): Steps<void> {
  yield sql`UPDATE parley.forgetting SET request = '{}', receipt = ${JSON.stringify(receipt)}, at = ${at}
    WHERE id = ${request.id}`;
  if (receipt.outcome === 'dry-run') return;
  yield insertRecord(forgottenRecord(request, receipt, at));
}

/** Returns the condition that the column contains the text. */
const contains = (column: string, part: string): Sql =>
  sql`replace(${sql([column])}, ${part}, '') <> ${sql([column])}`;

const startOfPlace = ({ channel, tenant, room }: Exclude<ForgetTarget, { kind: 'person' }>): string =>
  startOf(channel, tenant, ...(room === undefined ? [] : [room]));

/** Returns the rows of turns that may belong to the target. */
function* candidates(target: ForgetTarget): Steps<readonly Row[]> {
  if (target.kind === 'person') {
    const id = JSON.stringify(target.person);
    return yield sql`SELECT * FROM parley.turns WHERE ${contains('message', id)} OR ${contains('origin', id)}`;
  }
  const inside = begins('lane', startOfPlace(target));
  return yield sql`SELECT * FROM parley.turns
    WHERE ${inside} OR reply IN (SELECT reply FROM parley.turns WHERE ${inside})`;
}

const isOpen = ({ state }: Row): boolean => state === 'waiting' || state === 'running';

function* openTurns(target: ForgetTarget): Steps<readonly string[]> {
  const rows = yield* candidates(target);
  const open = rows.filter((row) => isOpen(row) && belongs(row, target));
  return open.slice(0, AT_ONCE).map(idOf);
}

/** A value from which the person's part is deleted. `left`: the remaining parts; absent if there are none. */
interface Part extends Entry {
  readonly before: string;
  readonly left?: string;
}

/** The rows and values that are stored about a target. */
interface Found {
  readonly turns: readonly Row[];
  readonly feedback: readonly Row[];
  readonly withdrawn: readonly string[];
  /** Values that are deleted. */
  readonly whole: readonly Entry[];
  readonly parts: readonly Part[];
  readonly platformSessions: readonly string[];
}

function* find(target: ForgetTarget, wraps: boolean): Steps<Found> {
  const extent = new Extent(target);
  for (const row of yield* candidates(target)) {
    if (target.kind === 'tenant' || (!isOpen(row) && belongs(row, target))) extent.addTurn(row);
  }
  if (target.kind === 'person') {
    const { channel, tenant, person } = target;
    const records = yield sql`SELECT * FROM parley.audit
      WHERE channel = ${channel} AND person = ${person}${also('tenant', tenant)}`;
    for (const row of records) extent.addRecord(row);
  }
  const inReplies = yield* forEach(
    extent.replies,
    (list) => sql`SELECT * FROM parley.turns WHERE reply IN (${list})`,
  );
  const byId = yield* forEach(extent.ids, (list) => sql`SELECT * FROM parley.turns WHERE id IN (${list})`);
  const turns = [...new Map([...inReplies, ...byId].map((row) => [idOf(row), row])).values()].filter(
    (row) => target.kind === 'tenant' || !isOpen(row),
  );
  for (const row of turns) extent.ids.add(idOf(row));
  const feedback = yield* feedbackOf(extent);
  const withdrawn = yield* withdrawnOf(extent, turns);
  return { turns, feedback, withdrawn, ...(yield* valuesOf(extent, wraps)) };
}

function* feedbackOf({ target, ids }: Extent): Steps<readonly Row[]> {
  const { channel, tenant } = target;
  const [room, person] = target.kind === 'person' ? [undefined, target.person] : [target.room];
  const rows = yield sql`SELECT turn, person FROM parley.feedback
    WHERE channel = ${channel}${also('tenant', tenant)}${also('room', room)}${also('person', person)}`;
  return target.kind === 'thread' ? rows.filter(({ turn }) => ids.has(textOf(turn))) : rows;
}

/** Returns the keys of deleted messages: those of the place or of the turns, and those that name the person. */
function* withdrawnOf({ target }: Extent, turns: readonly Row[]): Steps<readonly string[]> {
  const { kind, channel, tenant } = target;
  const start =
    kind === 'tenant' ? startOfPlace(target) : startOf(channel, ...(tenant === undefined ? [] : [tenant]));
  const rows = yield sql`SELECT message_key FROM parley.withdrawn WHERE ${begins('message_key', start)}`;
  const own = new Set(turns.map(({ message_key: key }) => key));
  const keys = rows.map(({ message_key: key }) => textOf(key));
  return keys.filter(
    (key) => kind === 'tenant' || own.has(key) || (kind === 'person' && hasWord(key, target.person)),
  );
}

function* valuesOf(
  extent: Extent,
  wraps: boolean,
): Steps<Pick<Found, 'whole' | 'parts' | 'platformSessions'>> {
  const rows = yield sql`SELECT namespace, key, CAST(owner AS text) AS owner FROM parley.keyed
    WHERE owner IS NULL OR owner ->> 'channel' = ${extent.target.channel} OR owner ->> 'turn' IS NOT NULL`;
  const whole: Entry[] = [];
  const parts: Part[] = [];
  const platformSessions: string[] = [];
  for (const row of rows) {
    const entry = { namespace: textOf(row.namespace), key: textOf(row.key), owner: row.owner };
    const verdict = extent.verdict(entry);
    if (verdict === 'keep') continue;
    const isSession = entry.namespace === 'sessions';
    if (verdict === 'delete' && !isSession) {
      whole.push(entry);
      continue;
    }
    const [stored] = yield sql`SELECT value FROM parley.keyed
      WHERE namespace = ${entry.namespace} AND key = ${entry.key}`;
    const before = textOf(stored?.value);
    const { value, wrap } = unwrap(before, wraps);
    const left = verdict === 'delete' ? undefined : extent.without(entry, value);
    if (left === value && verdict === 'part') continue;
    if (verdict === 'delete') whole.push(entry);
    else parts.push({ ...entry, before, ...(left !== undefined && { left: wrap(left) }) });
    if (isSession && typeof value === 'object' && value !== null && 'session' in value)
      platformSessions.push(textOf(value.session));
  }
  return { whole, parts, platformSessions: platformSessions.filter((id) => id !== '') };
}

/** Returns the name that receipts use for a value. */
function kindOf({ namespace, key }: Entry): RemovedKind {
  switch (namespace) {
    case 'sessions':
      return 'conversations';
    case 'replies':
      return 'answers';
    case 'receipts':
      return 'timelines';
    case 'account links':
      return key.startsWith('link ') ? 'links' : 'state';
    default:
      return 'state';
  }
}

function erasedOf({ turns, feedback, whole, parts, platformSessions }: Found): Erased {
  const removed: Partial<Record<RemovedKind, number>> = { turns: turns.length, feedback: feedback.length };
  for (const kind of [...whole, ...parts].map(kindOf)) removed[kind] = (removed[kind] ?? 0) + 1;
  return { removed, platformSessions: [...new Set(platformSessions)] };
}

function* erase(target: ForgetTarget, answersOf: 'seq' | 'id', wraps: boolean): Steps<Erased> {
  const found = yield* find(target, wraps);
  const ids = found.turns.map(idOf);
  yield* forEach(
    ids,
    (list) => sql`DELETE FROM parley.answers
      WHERE turn IN (SELECT ${sql([answersOf])} FROM parley.turns WHERE id IN (${list}))`,
  );
  yield* forEach(ids, (list) => sql`DELETE FROM parley.turns WHERE id IN (${list})`);
  yield* forEach(found.withdrawn, (list) => sql`DELETE FROM parley.withdrawn WHERE message_key IN (${list})`);
  for (const { turn, person } of found.feedback)
    yield sql`DELETE FROM parley.feedback WHERE turn = ${textOf(turn)} AND person = ${textOf(person)}`;
  for (const { namespace, key } of found.whole)
    yield sql`DELETE FROM parley.keyed WHERE namespace = ${namespace} AND key = ${key}`;
  yield* forgetStops(target);
  let isChanged = false;
  for (const { namespace, key, left, before } of found.parts) {
    const change =
      left === undefined ? sql`DELETE FROM parley.keyed` : sql`UPDATE parley.keyed SET value = ${left}`;
    const [done] = yield sql`${change}
      WHERE namespace = ${namespace} AND key = ${key} AND value = ${before} RETURNING key`;
    if (done === undefined) isChanged = true;
  }
  const erased = erasedOf(found);
  if (!isChanged) return erased;
  // A replica changed a list after it was read. Erase what is left of the person.
  const { platformSessions } = yield* erase(target, answersOf, wraps);
  return { ...erased, platformSessions: [...erased.platformSessions, ...platformSessions] };
}

/** Removes the person from turns of others that the person stopped. */
function* forgetStops(target: ForgetTarget): Steps<void> {
  if (target.kind !== 'person') return;
  const { channel, tenant, person } = target;
  const isInside = begins('lane', startOf(channel, ...(tenant === undefined ? [] : [tenant])));
  yield sql`UPDATE parley.turns SET interruption = ${JSON.stringify({ kind: 'stop', by: '' })}
    WHERE ${isInside} AND ${contains('interruption', `"by":${JSON.stringify(person)}`)}`;
}

function* preview(target: ForgetTarget, wraps: boolean): Steps<Erased> {
  const erased = erasedOf(yield* find(target, wraps));
  const [row] = yield sql`SELECT count(*) AS count FROM parley.audit WHERE ${unforgotten(target)}`;
  return { ...erased, removed: { ...erased.removed, auditRecords: Number(row?.count) } };
}

/** Returns the condition for the audit records of the target that still contain texts, or the person. */
function unforgotten(target: ForgetTarget): Sql {
  const { kind, channel, tenant } = target;
  const mark = kind === 'person' ? sql`` : sql` AND forgotten < ${levelOf(target)}`;
  const place = kind === 'person' ? also('person', target.person) : sql`${also('room', target.room)}${mark}`;
  const thread = kind === 'thread' ? also('thread', target.thread) : sql``;
  return sql`action <> 'forget' AND channel = ${channel}${also('tenant', tenant)}${place}${thread}`;
}

/**
 * Changes at most 1,000 records. A changed record is not found again, so repeated calls reach all records of the
 * target.
 */
function* anonymize(target: ForgetTarget, pseudonym: string): Steps<number> {
  const rows = yield sql`SELECT * FROM parley.audit WHERE ${unforgotten(target)} LIMIT ${AT_ONCE}`;
  for (const row of rows) {
    const { person, tenant, room, thread, facts } = anonymousRow(row, target, pseudonym);
    const forgotten = Math.max(Number(row.forgotten), levelOf(target));
    yield sql`UPDATE parley.audit SET person = ${person}, tenant = ${tenant}, room = ${room}, thread = ${thread},
      facts = ${facts}, forgotten = ${forgotten} WHERE seq = ${Number(row.seq)}`;
  }
  return rows.length + (yield* anonymizeLinked(target, pseudonym));
}

/** Replaces the target in records of other people, which name the person whom they linked. */
function* anonymizeLinked(target: ForgetTarget, pseudonym: string): Steps<number> {
  const start = linkedStart(target);
  if (start === undefined) return 0;
  let changed = 0;
  for (const row of yield sql`SELECT seq, facts FROM parley.audit WHERE action = 'link' AND ${contains('facts', start)}`) {
    const facts = factsWithoutLinked(row, target, pseudonym);
    if (facts === undefined) continue;
    yield sql`UPDATE parley.audit SET facts = ${facts} WHERE seq = ${Number(row.seq)}`;
    changed += 1;
  }
  return changed;
}
