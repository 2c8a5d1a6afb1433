/** Decides which stored data belongs to a target that is forgotten, so that both engines delete the same data. */

import type { AuditRecord } from '../core/stores/audit.ts';
import type { Erased, ForgetRequest, ForgetTarget, Receipt, RemovedKind } from '../core/stores/forgetting.ts';
import { NAMES, nameKey } from '../core/stores/people-names.ts';
import { idOf, type Row, textOf, turnOf } from './turn-rows.ts';

/** Maximum number of items that one call reads or changes. */
export const FORGOTTEN_AT_ONCE = 1_000;

/**
 * Returns the beginning that the keys of all threads in the place share. A thread's key is the JSON array of its
 * channel, tenant, room and own key.
 */
export function startOf(target: Exclude<ForgetTarget, { kind: 'person' }>): string {
  const { channel, tenant, room } = target;
  const outer = [channel, tenant, ...(room === undefined ? [] : [room])];
  return `${JSON.stringify(outer).slice(0, -1)},`;
}

const tenantStart = ({ channel, tenant }: Extract<ForgetTarget, { kind: 'tenant' }>): string =>
  `${laneStart(channel, tenant)},`;

const laneStart = (...words: readonly string[]): string => JSON.stringify(words).slice(0, -1);

/**
 * True if the row's turn belongs to the target: it is in the target's thread or workspace, or the target asked or
 * caused it.
 */
export function belongs(row: Row, target: ForgetTarget): boolean {
  const turn = turnOf({ ...row, state: 'answered' });
  if (turn === undefined) return false;
  const { thread, sender } = turn.message;
  if (thread.channel !== target.channel) return false;
  if (target.tenant !== undefined && thread.tenant !== target.tenant) return false;
  if (target.kind === 'person')
    return sender.id === target.person || ('by' in turn.origin && turn.origin.by === target.person);
  if (target.room !== undefined && thread.room !== target.room) return false;
  return target.kind === 'tenant' || thread.key === target.thread;
}

/** A place in which a person acted, as a turn or the audit reports it. */
interface Thread {
  readonly channel: string;
  readonly tenant: string;
  readonly room: string;
  readonly key: string;
  readonly kind: string;
}

/** The turns and threads of a target. */
export class Extent {
  readonly target: ForgetTarget;
  /** Ids of the deleted turns. */
  readonly ids = new Set<string>();
  /** Ids of replies whose question is deleted. Every turn of these replies is deleted. */
  readonly replies = new Set<string>();
  /** Beginnings of the keys of threads that are deleted as a whole. */
  readonly #whole = new Set<string>();
  /** Beginnings of the keys of threads of which only the person's part is deleted. */
  readonly #shared = new Set<string>();
  /** The same threads as in `#whole`, as `ROOM THREAD`: keys of channel state about a thread end like this. */
  readonly #ends = new Set<string>();
  /** Keys under which the names of people who asked in a direct chat are stored. */
  readonly #names = new Set<string>();

  constructor(target: ForgetTarget) {
    this.target = target;
    if (target.kind === 'thread') this.#addThread({ ...target, key: target.thread, kind: 'direct' });
  }

  /** Adds a row of `turns` for which `belongs` is true. */
  addTurn(row: Row): void {
    const turn = turnOf({ ...row, state: 'answered' });
    this.ids.add(idOf(row));
    if (row.reply === row.id || this.target.kind !== 'person') this.replies.add(textOf(row.reply));
    if (turn === undefined) return;
    const { thread, sender } = turn.message;
    this.#addThread(thread);
    if (thread.kind === 'direct') this.#names.add(nameKey(thread, sender.id));
  }

  /** Adds a record of the audit. Needed because turns are deleted long before their records. */
  addRecord({ turn, channel, tenant, room, thread, facts }: Row): void {
    if (typeof turn === 'string') this.ids.add(turn);
    if (room === null || thread === null) return;
    const place = {
      channel: textOf(channel),
      tenant: textOf(tenant),
      room: textOf(room),
      key: textOf(thread),
    };
    this.#addThread({ ...place, kind: textOf(facts).includes('"kind":"direct"') ? 'direct' : 'room' });
  }

  #addThread({ channel, tenant, room, key, kind }: Thread): void {
    const start = laneStart(channel, tenant, room, key);
    if (kind !== 'direct') this.#shared.add(start);
    else {
      this.#whole.add(start);
      this.#ends.add(`${room} ${key}`);
    }
  }

  /** Decides what to delete of a key's value. `part`: only what `without` removes. */
  verdict({ namespace, key }: Entry): 'delete' | 'part' | 'keep' {
    if (this.ids.has(TURN_ID.exec(key)?.[0] ?? '')) return 'delete';
    const { target } = this;
    const own = namespace === `adapter ${target.channel}` || namespace === `secrets ${target.channel}`;
    if (target.kind === 'tenant') {
      if (concerns({ key, own }, target) || (namespace === NAMES && this.#names.has(key))) return 'delete';
      return namespace === RATES && target.room !== undefined && key.startsWith(tenantStart(target))
        ? 'part'
        : 'keep';
    }
    const lane = LANE.exec(key)?.[0] ?? '';
    if (this.#whole.has(lane)) return 'delete';
    if (own && this.#ends.has(key.split(' ').slice(-2).join(' '))) return 'delete';
    if (target.kind === 'thread') return 'keep';
    if (namesPerson({ key, own }, target)) return 'delete';
    if (own && (target.tenant === undefined || names(key, target.tenant))) return 'part';
    return this.#shared.has(lane) && PARTS.includes(namespace) ? 'part' : 'keep';
  }

  /** Returns the value without what the target said; undefined if nothing is left. */
  without(namespace: string, value: unknown): unknown {
    if (namespace === RATES) return this.#questionsElsewhere(value);
    if (!isPlain(value)) return value;
    if (namespace === 'sessions') {
      const history = Array.isArray(value.history) ? value.history : [];
      const others = history.filter((each) => !(isPlain(each) && this.ids.has(textOf(each.reply))));
      // Drop the conversation's id, so that the agent does not continue a conversation that contains what the person
      // said.
      return others.length > 0 ? { history: others } : undefined;
    }
    if (this.target.kind === 'person' && Array.isArray(value.askers))
      return withoutAsker(value, this.target.person);
    const isOwn =
      this.ids.has(textOf(value.turn)) || (this.target.kind === 'person' && value.by === this.target.person);
    return isOwn ? undefined : value;
  }

  /** Returns a person's counted questions without those of the room. */
  #questionsElsewhere(value: unknown): unknown {
    const room = 'room' in this.target ? this.target.room : undefined;
    if (!Array.isArray(value) || room === undefined) return value;
    const others = value.filter((each) => !(isPlain(each) && textOf(each.question).includes(room)));
    if (others.length === value.length) return value;
    return others.length > 0 ? others : undefined;
  }
}

/** Namespace of the people's questions in the last minute. The keys name the person, the values name the rooms. */
const RATES = 'rates';

/** Namespaces whose values belong to a thread and may contain what several people said. */
const PARTS = ['sessions', 'threads'];

interface Entry {
  readonly namespace: string;
  readonly key: string;
}

/** Matches the id of a turn in a key. */
const TURN_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;
/**
 * Matches the beginning of a thread's key within another key: a JSON array of four strings, without the closing
 * bracket.
 */
const LANE = /\["(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*"){3}/;

interface Owned {
  readonly key: string;
  /** True if the key belongs to the state of the channel's adapter. */
  readonly own: boolean;
}

const names = (key: string, word: string): boolean =>
  key.split(' ').includes(word) || key.includes(JSON.stringify(word));

/**
 * True if the key is the tenant itself, if it contains a thread of the place, or if it belongs to the state of the
 * channel's adapter and contains the tenant and the room as words.
 */
function concerns({ key, own }: Owned, target: Extract<ForgetTarget, { kind: 'tenant' }>): boolean {
  const { channel, tenant, room } = target;
  if (key.includes(startOf(target))) return true;
  if (room === undefined && key === JSON.stringify([channel, tenant])) return true;
  return own && names(key, tenant) && (room === undefined || names(key, room));
}

/**
 * True if the key belongs to the channel and contains the person's id as a word: alone, as in the keys of quotas, or in
 * the form `of PERSON`. If the target has a tenant, the key must contain it too: every key that names a person also names
 * the person's tenant.
 */
function namesPerson(
  { key, own }: Owned,
  { channel, tenant, person }: Extract<ForgetTarget, { kind: 'person' }>,
): boolean {
  if (tenant !== undefined && !names(key, tenant)) return false;
  if (own) return names(key, person);
  return names(key, channel) && (names(key, person) || names(key, `of ${person}`));
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes a person from a thread's state (core/stores/engagement.ts). Returns the same value if it does not contain the person. */
function withoutAsker(value: Readonly<Record<string, unknown>>, person: string): unknown {
  const isOf = (each: unknown) => each === person || (isPlain(each) && each.by === person);
  const [askers, talk] = [value.askers, value.talk].map((list) => (Array.isArray(list) ? list : []));
  if (![...(askers ?? []), ...(talk ?? [])].some(isOf)) return value;
  return {
    ...value,
    askers: askers?.filter((each) => !isOf(each)),
    talk: talk?.filter((each) => !isOf(each)),
  };
}

/** Returns the name that receipts use for the values of a namespace. */
function kindOf(namespace: string): RemovedKind {
  switch (namespace) {
    case 'sessions':
      return 'conversations';
    case 'replies':
      return 'answers';
    case 'receipts':
      return 'timelines';
    default:
      return 'state';
  }
}

/** Returns the id of the conversation on the agent platform, if the value of a session has one. */
function platformSession(namespace: string, value: unknown): readonly string[] {
  return namespace === 'sessions' && isPlain(value) && typeof value.session === 'string'
    ? [value.session]
    : [];
}

/**
 * Removes the question and the answer from the `facts` of an audit record, and returns the rest as JSON. Unless the
 * target is a thread, also removes the account, the session and the detail, which could identify the person.
 */
function anonymousFacts(facts: unknown, target: ForgetTarget): string {
  const value = readFacts(facts);
  if (value === undefined) return '{}';
  const { question: _q, answer: _a, ...withoutText } = value;
  if (target.kind === 'thread') return JSON.stringify(withoutText);
  const { account: _c, session: _s, detail: _d, ...others } = withoutText;
  return JSON.stringify(others);
}

/** Returns the `facts` of an audit record; undefined if they are damaged. */
function readFacts(facts: unknown): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(textOf(facts));
    return isPlain(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True if the record is about a direct message, whose room and thread would identify the person. */
const isDirect = (facts: unknown): boolean => textOf(facts).includes('"kind":"direct"');

/** Adds the records of the audit to the extent. */
export function addRecordsOf(extent: Extent, records: readonly Row[]): void {
  for (const row of records) extent.addRecord(row);
}

/** Counts what is deleted. */
export class Tally {
  readonly #removed: Partial<Record<RemovedKind, number>> = {};
  readonly #sessions = new Set<string>();

  add(kind: RemovedKind, count: number): void {
    this.#removed[kind] = (this.#removed[kind] ?? 0) + count;
  }

  /** Counts the value of a key that is deleted, or of which a part is deleted. */
  addValue(namespace: string, value: unknown): void {
    this.add(kindOf(namespace), 1);
    for (const session of platformSession(namespace, value)) this.#sessions.add(session);
  }

  erased(): Erased {
    return { removed: this.#removed, platformSessions: [...this.#sessions] };
  }
}

/**
 * Returns the value for the column `forgotten` of audit records that were changed to forget this target. The value
 * keeps them from being found and changed again. For a person, no mark is needed, so the value is 0: the changed
 * records no longer name the person, so they are not found anyway.
 */
export const levelOf = ({ kind }: ForgetTarget): number => ({ person: 0, thread: 1, tenant: 2 })[kind];

/** Returns the new columns of an audit record: without texts, and with the pseudonym in place of the person. */
export function anonymousRow(
  row: Row,
  target: ForgetTarget,
  pseudonym: string,
): {
  readonly person: string | null;
  readonly tenant: string | null;
  readonly room: string | null;
  readonly thread: string | null;
  readonly facts: string;
} {
  const column = (value: unknown) => (typeof value === 'string' ? value : null);
  const hides = target.kind === 'tenant' || (target.kind === 'person' && isDirect(row.facts));
  const hidden = (value: unknown) => (hides && typeof value === 'string' ? pseudonym : column(value));
  return {
    person: target.kind === 'thread' || row.person === null ? column(row.person) : pseudonym,
    tenant: target.kind === 'tenant' && target.room === undefined ? pseudonym : column(row.tenant),
    ...{ room: hidden(row.room), thread: hidden(row.thread), facts: anonymousFacts(row.facts, target) },
  };
}

/**
 * Returns the text to search for in `facts`, to find all records whose `detail` may name the target as the linked
 * person. Returns undefined if no record can name the target.
 */
export function linkedStart(target: ForgetTarget): string | undefined {
  const { kind, channel, tenant } = target;
  if (kind === 'thread' || (kind === 'tenant' && target.room !== undefined)) return undefined;
  const words = [channel, ...(tenant === undefined ? [] : [tenant])];
  return `"detail":${JSON.stringify(`${words.join('/')}/`).slice(0, -1)}`;
}

/**
 * Returns the new `facts` of a record of another person, whose `detail` names the target as the person who was linked;
 * undefined if it names somebody else. Returns `{}` for damaged facts, because they may name the target.
 */
export function factsWithoutLinked(
  { facts }: Row,
  target: ForgetTarget,
  pseudonym: string,
): string | undefined {
  const value = readFacts(facts);
  if (value === undefined) return '{}';
  const detail = textOf(value.detail);
  const { channel, tenant } = target;
  const isTarget =
    target.kind !== 'person' ||
    (tenant === undefined
      ? detail.startsWith(`${channel}/`) && detail.endsWith(`/${target.person}`)
      : detail === `${channel}/${tenant}/${target.person}`);
  return isTarget ? JSON.stringify({ ...value, detail: pseudonym }) : undefined;
}

/** Returns the record that the audit keeps of a deletion. It names no person. */
export function forgottenRecord(
  { target }: ForgetRequest,
  { outcome, pseudonym, removed }: Receipt,
  at: number,
): AuditRecord {
  const counts = Object.entries(removed).flatMap(([kind, count]) => (count > 0 ? [`${kind} ${count}`] : []));
  return {
    ...{ at, action: 'forget', outcome, channel: target.channel },
    ...(target.kind === 'thread' && { tenant: target.tenant, room: target.room, thread: target.thread }),
    ...(target.kind === 'tenant' && { tenant: target.room === undefined ? pseudonym : target.tenant }),
    ...(target.kind === 'person' && { person: pseudonym }),
    detail: [target.kind === 'tenant' && target.room !== undefined ? 'room' : target.kind, ...counts].join(
      ', ',
    ),
  };
}

export function readRequest(row: Row): ForgetRequest {
  const { target, stops } = JSON.parse(textOf(row.request)) as Omit<ForgetRequest, 'id'>;
  return { id: textOf(row.id), target, stops };
}

export function readReceipt(row: Row | undefined): Receipt | undefined {
  return typeof row?.receipt === 'string' ? (JSON.parse(row.receipt) as Receipt) : undefined;
}
