import { z } from 'zod';
import { sandboxCatalogue } from '../fixtures.ts';
import { type Database, inTransaction } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable, flag, json } from '../store/table.ts';

const texts = json<readonly string[]>();

/** A knowledge workspace (platform contract WSP-5). */
const workspaceRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  notice: z.string(),
  /** Id of its type. */
  type: z.string(),
  /** Id of its category. */
  category: z.string(),
  /** What it may hold, in MiB; null for no limit. */
  quota: z.number().nullable(),
  /** Largest file, in MiB (platform contract FIL-11). */
  fileSize: z.number(),
  /** Extensions that it takes; empty for all that can be read. */
  fileTypes: texts,
  enable: flag,
  operationKeys: texts,
  /** JSON text; empty for none (platform contract WSP-6). */
  settings: z.string(),
  /** JSON text; empty for none (platform contract WSP-10). */
  metadataTemplate: z.string(),
});

export type Workspace = Readonly<z.output<typeof workspaceRow>>;

export type Workspaces = ReturnType<typeof createWorkspaces>;

const categoryRow = z.object({ id: z.string(), name: z.string(), icon: z.string() });

const SCHEMA = `
CREATE TABLE IF NOT EXISTS categories (id TEXT PRIMARY KEY, name TEXT NOT NULL, icon TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS workspaces (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, notice TEXT NOT NULL,
  type TEXT NOT NULL, category TEXT NOT NULL, quota INTEGER, fileSize INTEGER NOT NULL,
  fileTypes TEXT NOT NULL, enable INTEGER NOT NULL, operationKeys TEXT NOT NULL, settings TEXT NOT NULL,
  metadataTemplate TEXT NOT NULL);
`;

/** Largest file of a workspace that says nothing, in MiB (platform contract FIL-11). */
const FILE_SIZE_MIB = 100;
const OPERATION_KEYS = ['read', 'upload', 'delete'];

/** The knowledge workspaces with their categories. */
export function createWorkspaces(database: Database, ids: Ids) {
  database.exec(SCHEMA);
  const categories = database.prepare('SELECT * FROM categories ORDER BY id');
  const table = createTable(database, ids, workspaceRow, { table: 'workspaces' });
  const named = table.by('name');
  return {
    ...table,
    categories: () => categories.all().map((row) => categoryRow.parse(row)),
    /** By name or by id (platform contract INC-18). */
    find: (nameOrId: string) => named(nameOrId) ?? table.withId(nameOrId),
  };
}

/** What a workspace is unless its maker says otherwise. */
export const plainWorkspace = {
  notice: '',
  quota: null,
  fileSize: FILE_SIZE_MIB,
  fileTypes: [],
  enable: true,
  operationKeys: OPERATION_KEYS,
  settings: '',
  metadataTemplate: '',
} as const;

/** Fills a sandbox without categories from the fixtures, once: what is deleted later stays so over a restart. */
export function seedWorkspaces(database: Database, workspaces: Workspaces): void {
  const { categories, workspaces: fixtures, workspaceType } = sandboxCatalogue;
  if (workspaces.categories().length > 0) return;
  const addCategory = database.prepare('INSERT INTO categories (id, name, icon) VALUES (?, ?, ?)');
  inTransaction(database, () => {
    for (const { id, name, icon } of categories) addCategory.run(id, name, icon);
    for (const { id, name, description, category } of fixtures) {
      workspaces.save({ ...plainWorkspace, id, name, description, category, type: workspaceType.id });
    }
  });
}
