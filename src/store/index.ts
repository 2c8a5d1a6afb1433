/**
 * The store: one SQLite file (`database.ts`, `schema.ts`). All writes join a group commit (`commits.ts`). The inbox
 * (`inbox-sqlite.ts`) runs the statements of `turn-table.ts`, `lanes.ts` and `rewriting.ts`; small state by key is in
 * `keyed.ts`, encrypted with `sealed.ts` where it contains people's messages.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { Exchange } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { FeedbackStore } from '../core/stores/feedback.ts';
import type { Inbox } from '../core/stores/inbox.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import type { SessionKey, SessionState, SessionStore } from '../core/stores/sessions.ts';
import { openingFault } from '../sqlite.ts';
import { openBacklog } from './sqlite/backlog.ts';
import { createCommits, createProbe } from './sqlite/commits.ts';
import { MEMORY, type OpenDatabase, openDatabase } from './sqlite/database.ts';
import { createFeedback } from './sqlite/feedback.ts';
import { createSqliteInbox } from './sqlite/inbox.ts';
import { createKeyed } from './sqlite/keyed.ts';
import { type Held, serveChannels } from './sqlite/lanes.ts';
import { textOf } from './turn-rows.ts';

interface StoreOptions {
  /** The store's file, whose folder is created if it is missing; `:memory:` stores nothing on disk. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Owner of this process's claims. Must be the same for every start on a data folder, so that a restart takes its
   * turns back.
   */
  readonly owner: string;
  /** Lease of a claim without renewal, in milliseconds; 10,000 by default. */
  readonly leaseMs?: number;
  /** Maximum number of waiting turns per lane; 50 by default. */
  readonly laneLimit?: number;
}

/** A channel's tenant, or one room of it. */
interface Place {
  readonly channel: string;
  readonly tenant: string;
  readonly room?: string;
}

export interface Store {
  readonly inbox: Inbox;
  keyed(namespace: string): Keyed;
  readonly sessions: SessionStore;
  readonly feedback: FeedbackStore;
  /**
   * Deletes all data of a channel's tenant, or of one room in it; resolves with the number of deleted turns.
   */
  forget(place: Place): Promise<number>;
  /**
   * Holds the turns of all other channels until a later start serves these channels, and resolves with their
   * number by channel. Must be called before turns are claimed.
   */
  serve(channels: readonly string[]): Promise<readonly Held[]>;
  /** Tries a write. Rejects with `store-unavailable` if a question could not be stored. */
  probe(): Promise<void>;
  /** Writes everything that is queued and closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the store in one SQLite file and puts the owner's turns of an earlier process back to waiting. Rejects with
 * `data-not-writable`, `data-in-use` or `data-corrupt`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const opened = openDatabase(options.file);
  try {
    return await assemble(opened, options);
  } catch (thrown) {
    opened.close();
    throw openingFault(thrown, options.file);
  }
}

async function assemble(opened: OpenDatabase, options: StoreOptions): Promise<Store> {
  const { clock, log, leaseMs, laneLimit } = options;
  const { database, checkFile } = opened;
  const backlog = options.file === MEMORY ? undefined : openBacklog(options.file, database);
  const commits = createCommits({ database, clock, backlog, checkFile });
  const inbox = createSqliteInbox({ database, commits, clock, log, leaseMs, laneLimit });
  const keyed = createKeyed({ database, commits, clock, log });
  const serving = database.createTagStore();
  let open = true;
  await inbox.recover(options.owner);
  return {
    inbox,
    keyed,
    sessions: createSessions(keyed('sessions')),
    feedback: createFeedback(database, commits),
    forget: (place) => commits.write(() => forget(database, place)),
    serve: (channels) => commits.write(() => serveChannels(serving, channels)),
    probe: createProbe(database, commits),
    close: async () => {
      if (!open) return;
      open = false;
      commits.close();
      backlog?.close();
      opened.close();
    },
  };
}

/** Matches the id of a turn in a key. */
const TURN_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/**
 * Deletes everything that the file contains about a place: turns with their texts and screens, sessions,
 * choices, receipts, versions, feedback, and the adapter's own state. The worker of a running turn then finds
 * its lease lost. Returns the number of turns.
 */
function forget(database: DatabaseSync, place: Place): number {
  const sql = database.createTagStore();
  const { channel, tenant, room } = place;
  const outer = room === undefined ? [channel, tenant] : [channel, tenant, room];
  // Prefix of every key of a thread: a thread's key is the JSON of channel, tenant, room and its own key.
  const start = `${JSON.stringify(outer).slice(0, -1)},`;
  const turns = sql.all`SELECT id, seq FROM turns WHERE substr(lane, 1, length(${start})) = ${start}`;
  const ids = new Set(turns.map((row) => textOf(row.id)));
  sql.run`DELETE FROM answers WHERE turn IN (
    SELECT seq FROM turns WHERE substr(lane, 1, length(${start})) = ${start})`;
  sql.run`DELETE FROM turns WHERE substr(lane, 1, length(${start})) = ${start}`;
  sql.run`DELETE FROM withdrawn WHERE substr(message_key, 1, length(${start})) = ${start}`;
  sql.run`DELETE FROM feedback WHERE channel = ${channel} AND tenant = ${tenant}
    AND (${room ?? null} IS NULL OR room = ${room ?? null})`;
  for (const row of sql.all`SELECT namespace, key FROM keyed`) {
    const [namespace, key] = [textOf(row.namespace), textOf(row.key)];
    const namesThread = key.includes(start) || ids.has(TURN_ID.exec(key)?.[0] ?? '');
    if (!namesThread && !isAdapterState(namespace, key, place)) continue;
    sql.run`DELETE FROM keyed WHERE namespace = ${namespace} AND key = ${key}`;
  }
  return turns.length;
}

/** True for state of the channel's adapter whose key contains the tenant and the room as words. */
function isAdapterState(namespace: string, key: string, { channel, tenant, room }: Place): boolean {
  const own = namespace === `adapter ${channel}` || namespace === `secrets ${channel}`;
  const names = (word: string) => key.split(' ').includes(word) || key.includes(JSON.stringify(word));
  return own && names(tenant) && (room === undefined || names(room));
}

/** Time after which an unused session expires, in milliseconds (trust page: 30 days idle). */
const IDLE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Maximum number of exchanges in a thread's history. */
const HISTORY_EXCHANGES = 20;
/** Maximum total length of the questions and answers in a thread's history, in UTF-16 units. */
const HISTORY_LENGTH = 24_000;

/** Creates the store of sessions by channel, tenant, room, thread, agent and account. */
export function createSessions(keyed: Keyed): SessionStore {
  return {
    find: async (key) => decode(await keyed.get(encode(key))),
    save: (key, state) => keyed.set(encode(key), { ...state, history: bound(state.history) }, IDLE_MS),
    forget: (key) => keyed.delete(encode(key)),
  };
}

/**
 * Encodes the key as JSON, which keeps the members apart whatever characters they contain. A missing account
 * differs from every account name.
 */
function encode({ thread, agent, account }: SessionKey): string {
  return JSON.stringify([thread.channel, thread.tenant, thread.room, thread.key, agent, account ?? null]);
}

/** Drops the oldest exchanges. Always keeps the newest one, shortened if it is too long on its own. */
function bound(history: readonly Exchange[]): readonly Exchange[] {
  const kept: Exchange[] = [];
  let room = HISTORY_LENGTH;
  for (const exchange of history.slice(-HISTORY_EXCHANGES).toReversed()) {
    const fitting = kept.length === 0 ? shorten(exchange) : exchange;
    room -= fitting.question.length + fitting.answer.length;
    if (room < 0) break;
    kept.unshift(fitting);
  }
  return kept;
}

function shorten(exchange: Exchange): Exchange {
  const { question, answer } = exchange;
  if (question.length + answer.length <= HISTORY_LENGTH) return exchange;
  const asked = cut(question, HISTORY_LENGTH / 2);
  return { ...exchange, question: asked, answer: cut(answer, HISTORY_LENGTH - asked.length) };
}

/** Returns the beginning of a text without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  const start = text.slice(0, length);
  return start.length < text.length && !start.isWellFormed() ? start.slice(0, -1) : start;
}

function decode(value: unknown): SessionState | undefined {
  if (!isPlain(value)) return undefined;
  const { session, history } = value;
  return {
    ...(typeof session === 'string' && { session }),
    history: Array.isArray(history) ? history.filter(isExchange) : [],
  };
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isExchange = (value: unknown): value is Exchange =>
  isPlain(value) && typeof value.question === 'string' && typeof value.answer === 'string';
