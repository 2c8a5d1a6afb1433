import { z } from 'zod';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable, json } from '../store/table.ts';

/** A question and its answer (platform contract QNA-1). */
const pairRow = z.object({
  id: z.string(),
  workspace: z.string(),
  questions: json<readonly string[]>(),
  answer: z.string(),
  metadatas: json<readonly { readonly typeCode: string; readonly content: string }[]>(),
  /** User name. */
  createdBy: z.string(),
});

const SCHEMA = `
CREATE TABLE IF NOT EXISTS pairs (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, questions TEXT NOT NULL, answer TEXT NOT NULL,
  metadatas TEXT NOT NULL, createdBy TEXT NOT NULL);
`;

export type Pairs = ReturnType<typeof createPairs>;

/** Question-answer pairs; only the inspection route reads them again (platform contract QNA-2). */
export function createPairs(database: Database, ids: Ids) {
  database.exec(SCHEMA);
  const drop = database.prepare('DELETE FROM pairs WHERE workspace = ?');
  const { add, list } = createTable(database, ids, pairRow, { table: 'pairs' });
  return { add, list, removeFrom: (workspace: string) => void drop.run(workspace) };
}
