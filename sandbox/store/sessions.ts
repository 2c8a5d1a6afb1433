import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { addColumns, type Database } from './database.ts';
import { type Ids, timeOf } from './ids.ts';
import { json } from './table.ts';

/**
 * A fragment of a document that an answer used, or a question-answer pair, whose `document` is empty. `score` is from 0
 * to 1.
 */
export interface Source {
  readonly chunk: string;
  readonly document: string;
  readonly title: string;
  readonly content: string;
  readonly score: number;
}

const turnRow = z.object({
  /** Id of the turn's chat record. */
  record: z.string(),
  session: z.string().nullable(),
  agent: z.string(),
  account: z.string(),
  question: z.string(),
  answer: z.string(),
  sources: json<readonly Source[]>(),
});

type Turn = Readonly<z.output<typeof turnRow>>;

export type PastTurn = Pick<Turn, 'question' | 'answer' | 'sources'>;

const sessionRow = z.object({
  id: z.string(),
  kind: z.enum(['open', 'lite']),
  agent: z.string(),
  account: z.string(),
});

export type Session = Readonly<z.output<typeof sessionRow>>;

/** Maximum earlier turns of a session that an agent receives. */
const MAX_TURNS = 20;

export type Sessions = ReturnType<typeof createSessions>;

/**
 * Stores sessions of the Open API and conversations of the lite interface, with their turns (platform contract STA-7,
 * LOC-4: conversations).
 */
export function createSessions(database: Database, ids: Ids, clock: Clock) {
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
    create: (session: Omit<Session, 'id'>): Session => {
      const id = session.kind === 'open' ? ids.next() : randomUUID();
      insert.run(id, session.kind, session.agent, session.account, clock.now());
      return { id, ...session };
    },
    /** Returns the session; undefined if it is unknown, or if no question came for longer than `lifeMs`. */
    find: (id: string, lifeMs: number): Session | undefined => {
      const row = select.get(id);
      if (row === undefined || clock.now() - Number(row.used) > lifeMs) return undefined;
      touch.run(clock.now(), id);
      return sessionRow.parse(row);
    },
    /** Returns the latest turns of a session, oldest first. */
    turns: (session: string): readonly PastTurn[] =>
      selectTurns
        .all(session, MAX_TURNS)
        .reverse()
        .map((row) => turnRow.parse(row)),
    /** Stores the question and returns the id of its chat record. */
    begin: (
      turn: Pick<Turn, 'agent' | 'account' | 'question'> & { readonly session: string | undefined },
    ) => {
      const record = ids.next();
      insertTurn.run(record, turn.session ?? null, turn.agent, turn.account, turn.question);
      return record;
    },
    finish: (record: string, answer: string, sources: readonly Source[]) =>
      void updateTurn.run(answer, JSON.stringify(sources), record),
    /** Returns the newest questions of all accounts, newest first. `asked` is the time in the record's id. */
    recent: (limit: number) =>
      newest
        .all(limit)
        .map((row) => turnRow.parse(row))
        .map((turn) => ({ ...turn, asked: timeOf(turn.record) })),
    /**
     * Returns the turn of a chat record, with its sources and the account that asked; undefined if the record is
     * unknown.
     */
    sources: (record: string) => turnRow.optional().parse(selectTurn.get(record)),
  };
}
