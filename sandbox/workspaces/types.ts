import { z } from 'zod';
import type { Localized } from '../agents/conduct.ts';
import { sandboxCatalogue } from '../fixtures.ts';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable, flag, json } from '../store/table.ts';

/** A type of knowledge workspaces (platform contract WST-1). */
const typeRow = z.object({
  id: z.string(),
  code: z.string(),
  title: json<readonly Localized[]>(),
  icon: z.string(),
  sort: z.number(),
  description: z.string(),
  enable: flag,
});

export type WorkspaceType = Readonly<z.output<typeof typeRow>>;
export type WorkspaceTypes = ReturnType<typeof createWorkspaceTypes>;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS workspace_types (
  id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, icon TEXT NOT NULL, sort REAL NOT NULL,
  description TEXT NOT NULL, enable INTEGER NOT NULL);
`;

export function createWorkspaceTypes(database: Database, ids: Ids) {
  database.exec(SCHEMA);
  const table = createTable(database, ids, typeRow, { table: 'workspace_types', order: 'sort, id' });
  // Every workspace has a type, so the first one is kept unless it was replaced.
  if (table.list().length === 0) table.save({ ...sandboxCatalogue.workspaceType, enable: true });
  return { ...table, withCode: table.by('code') };
}
