import { z } from 'zod';
import type { Localized } from '../agents/conduct.ts';
import { sandboxCatalogue } from '../fixtures.ts';
import { type Database, inTransaction } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable, flag, json } from '../store/table.ts';

const texts = json<readonly string[]>();

/** Schema of a stored knowledge workspace (platform contract WSP-5: record). */
const workspaceRow = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  notice: z.string(),
  /** Id of the workspace's type. */
  type: z.string(),
  /** Id of the workspace's category. */
  category: z.string(),
  /** Maximum total size of all files, in MiB; null means no limit. */
  quota: z.number().nullable(),
  /** Maximum size of one file, in MiB (platform contract FIL-11: limits). */
  fileSize: z.number(),
  /** File extensions that the workspace accepts; empty means all that can be read. */
  fileTypes: texts,
  enable: flag,
  operationKeys: texts,
  /** Settings as JSON text; empty if there are none (platform contract WSP-6). */
  settings: z.string(),
  /** Template for metadata, as JSON text; empty if there is none (platform contract WSP-10). */
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

/** Default of a file's maximum size, in MiB (platform contract FIL-11: limits). */
const FILE_SIZE_MIB = 100;
const OPERATION_KEYS = ['read', 'upload', 'delete'];

/** Stores the knowledge workspaces and their categories. */
export function createWorkspaces(database: Database, ids: Ids) {
  database.exec(SCHEMA);
  const categories = database.prepare('SELECT * FROM categories ORDER BY id');
  const table = createTable(database, ids, workspaceRow, {
    table: 'workspaces',
    noun: 'workspace',
    key: 'name',
  });
  return {
    ...table,
    categories: () => categories.all().map((row) => categoryRow.parse(row)),
    /** Finds a workspace by its name or its id (platform contract INC-18: names or ids). */
    find: (nameOrId: string) => table.named(nameOrId) ?? table.withId(nameOrId),
  };
}

/** Properties of a new workspace that have defaults. */
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

/**
 * Adds the workspaces that ship with the sandbox to a database that has no categories. A later start finds categories
 * and adds nothing, so a deleted workspace does not come back.
 */
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

/** Schema of a stored type of knowledge workspaces (platform contract WST-1: creation). */
const typeRow = z.object({
  id: z.string(),
  code: z.string(),
  title: json<readonly Localized[]>(),
  icon: z.string(),
  sort: z.number(),
  description: z.string(),
  enable: flag,
});

const TYPES_SCHEMA = `
CREATE TABLE IF NOT EXISTS workspace_types (
  id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, icon TEXT NOT NULL, sort REAL NOT NULL,
  description TEXT NOT NULL, enable INTEGER NOT NULL);
`;

export function createWorkspaceTypes(database: Database, ids: Ids) {
  database.exec(TYPES_SCHEMA);
  const table = createTable(database, ids, typeRow, {
    table: 'workspace_types',
    noun: 'workspace type',
    key: 'code',
    order: 'sort, id',
  });
  // Every workspace needs a type, so add the shipped one to an empty table.
  if (table.list().length === 0) table.save({ ...sandboxCatalogue.workspaceType, enable: true });
  return table;
}

/** Schema of a stored question-answer pair (platform contract QNA-1). */
const pairRow = z.object({
  id: z.string(),
  workspace: z.string(),
  questions: texts,
  answer: z.string(),
  metadatas: json<readonly { readonly typeCode: string; readonly content: string }[]>(),
  /** User name of the account that created the pair. */
  createdBy: z.string(),
});

const PAIRS_SCHEMA = `
CREATE TABLE IF NOT EXISTS pairs (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, questions TEXT NOT NULL, answer TEXT NOT NULL,
  metadatas TEXT NOT NULL, createdBy TEXT NOT NULL);
`;

/** Stores question-answer pairs. Agents answer from them (platform contract QNA-3), and a route for inspection lists them (QNA-2: pairs). */
export function createPairs(database: Database, ids: Ids) {
  database.exec(PAIRS_SCHEMA);
  return createTable(database, ids, pairRow, { table: 'pairs' });
}
