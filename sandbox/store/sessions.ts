import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { addColumns, type Database, numberOf, textOf } from './database.ts';
import { type Ids, timeOf } from './ids.ts';

/** A fragment of a document that an answer used. Score is 0 to 1. */
export interface Source {
  readonly chunk: string;
  readonly document: string;
  readonly title: string;
  readonly content: string;
  readonly score: number;
}

export interface PastTurn {
  readonly question: string;
  readonly answer: string;
  readonly sources: readonly Source[];
}

export interface Session {
  readonly id: string;
  readonly kind: 'open' | 'lite';
  readonly agent: string;
  readonly account: string;
}

interface AskedTurn {
  readonly session: string | undefined;
  readonly agent: string;
  readonly account: string;
  readonly question: string;
}

/** One question as the operator sees it. */
interface RecentTurn {
  readonly agent: string;
  readonly account: string;
  readonly question: string;
  readonly answer: string;
  /** Milliseconds since the epoch; the record's id carries it. */
  readonly asked: number;
}

/** Sessions of the Open API and conversations of the lite interface with their turns (platform contract STA-7, LOC-4). */
export interface Sessions {
  create(session: Omit<Session, 'id'>): Session;
  /** The session, unless it is unknown or was idle for longer than `lifeMs`. */
  find(id: string, lifeMs: number): Session | undefined;
  /** The last turns of a session, oldest first. */
  turns(session: string): readonly PastTurn[];
  /** Keeps the question and returns the id of its chat record. */
  begin(turn: AskedTurn): string;
  finish(record: string, answer: string, sources: readonly Source[]): void;
  /** The newest questions of everybody, newest first. */
  recent(limit: number): readonly RecentTurn[];
  /** What an answer used, with the account that asked; undefined for an unknown record. */
  sources(record: string): { readonly account: string; readonly sources: readonly Source[] } | undefined;
}

/** Turns of a session that an agent gets to see. */
const TURNS_KEPT_IN_VIEW = 20;

export function createSessions(database: Database, ids: Ids, clock: Clock): Sessions {
  addColumns(database, 'turns', { agent: "TEXT NOT NULL DEFAULT ''" });
  const newest = database.prepare('SELECT * FROM turns ORDER BY record DESC LIMIT ?');
  const insert = database.prepare(
    'INSERT INTO sessions (id, kind, agent, account, used) VALUES (?, ?, ?, ?, ?)',
  );
  const select = database.prepare('SELECT * FROM sessions WHERE id = ?');
  const touch = database.prepare('UPDATE sessions SET used = ? WHERE id = ?');
  const selectTurns = database.prepare('SELECT * FROM turns WHERE session = ? ORDER BY record DESC LIMIT ?');
  const insertTurn = database.prepare(
    'INSERT INTO turns (record, session, agent, account, question) VALUES (?, ?, ?, ?, ?)',
  );
  const updateTurn = database.prepare('UPDATE turns SET answer = ?, sources = ? WHERE record = ?');
  const selectTurn = database.prepare('SELECT * FROM turns WHERE record = ?');
  return {
    create: (session) => {
      const id = session.kind === 'open' ? ids.next() : randomUUID();
      insert.run(id, session.kind, session.agent, session.account, clock.now());
      return { id, ...session };
    },
    find: (id, lifeMs) => {
      const row = select.get(id);
      if (row === undefined || clock.now() - numberOf(row, 'used') > lifeMs) return undefined;
      touch.run(clock.now(), id);
      const kind = textOf(row, 'kind') === 'open' ? 'open' : 'lite';
      return { id, kind, agent: textOf(row, 'agent'), account: textOf(row, 'account') };
    },
    turns: (session) =>
      selectTurns
        .all(session, TURNS_KEPT_IN_VIEW)
        .reverse()
        .map((row) => ({
          question: textOf(row, 'question'),
          answer: textOf(row, 'answer'),
          sources: parseSources(textOf(row, 'sources')),
        })),
    begin: (turn) => {
      const record = ids.next();
      insertTurn.run(record, turn.session ?? null, turn.agent, turn.account, turn.question);
      return record;
    },
    finish: (record, answer, sources) => {
      updateTurn.run(answer, JSON.stringify(sources), record);
    },
    recent: (limit) =>
      newest.all(limit).map((row) => ({
        agent: textOf(row, 'agent'),
        account: textOf(row, 'account'),
        question: textOf(row, 'question'),
        answer: textOf(row, 'answer'),
        asked: timeOf(textOf(row, 'record')),
      })),
    sources: (record) => {
      const row = selectTurn.get(record);
      return row && { account: textOf(row, 'account'), sources: parseSources(textOf(row, 'sources')) };
    },
  };
}

/** Only `finish` writes this column, so its shape is known. */
const parseSources = (text: string): readonly Source[] => JSON.parse(text) as readonly Source[];
