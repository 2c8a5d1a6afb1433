import { type Database, textOf } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';

/** A question and its answer (platform contract QNA-1). */
interface Pair {
  readonly workspace: string;
  readonly questions: readonly string[];
  readonly answer: string;
  readonly metadatas: readonly { readonly typeCode: string; readonly content: string }[];
  /** User name. */
  readonly createdBy: string;
}

/** Question-answer pairs; only the inspection route reads them again (platform contract QNA-2). */
export interface Pairs {
  add(pair: Pair): void;
  list(): readonly (Pair & { readonly id: string })[];
  removeFrom(workspace: string): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS pairs (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, questions TEXT NOT NULL, answer TEXT NOT NULL,
  metadatas TEXT NOT NULL, createdBy TEXT NOT NULL);
`;

export function createPairs(database: Database, ids: Ids): Pairs {
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT INTO pairs VALUES (?, ?, ?, ?, ?, ?)');
  const all = database.prepare('SELECT * FROM pairs ORDER BY id');
  const drop = database.prepare('DELETE FROM pairs WHERE workspace = ?');
  const highest = database.prepare('SELECT max(id) AS id FROM pairs').get();
  if (typeof highest?.id === 'string') ids.startAbove(highest.id);
  return {
    add: ({ workspace, questions, answer, metadatas, createdBy }) =>
      void insert.run(
        ids.next(),
        workspace,
        JSON.stringify(questions),
        answer,
        JSON.stringify(metadatas),
        createdBy,
      ),
    list: () =>
      all.all().map((row) => ({
        id: textOf(row, 'id'),
        workspace: textOf(row, 'workspace'),
        questions: JSON.parse(textOf(row, 'questions')) as Pair['questions'],
        answer: textOf(row, 'answer'),
        metadatas: JSON.parse(textOf(row, 'metadatas')) as Pair['metadatas'],
        createdBy: textOf(row, 'createdBy'),
      })),
    removeFrom: (workspace) => void drop.run(workspace),
  };
}
