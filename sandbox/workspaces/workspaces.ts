import { z } from 'zod';
import type { Localized } from '../agents/conduct.ts';
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
  /** Maximum size in MiB; null for no limit. */
  quota: z.number().nullable(),
  /** Maximum size of a file, in MiB (platform contract FIL-11). */
  fileSize: z.number(),
  /** Accepted extensions; empty for all readable ones. */
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

/** Default maximum size of a file, in MiB (platform contract FIL-11). */
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
    /** Finds a workspace by name or by id (platform contract INC-18). */
    find: (nameOrId: string) => named(nameOrId) ?? table.withId(nameOrId),
  };
}

/** Default members of a new workspace. */
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

/** Adds the fixtures to a database without categories. Later deletions survive a restart. */
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

const TYPES_SCHEMA = `
CREATE TABLE IF NOT EXISTS workspace_types (
  id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, icon TEXT NOT NULL, sort REAL NOT NULL,
  description TEXT NOT NULL, enable INTEGER NOT NULL);
`;

export function createWorkspaceTypes(database: Database, ids: Ids) {
  database.exec(TYPES_SCHEMA);
  const table = createTable(database, ids, typeRow, { table: 'workspace_types', order: 'sort, id' });
  // Every workspace needs a type, so an empty table gets the type of the fixtures.
  if (table.list().length === 0) table.save({ ...sandboxCatalogue.workspaceType, enable: true });
  return { ...table, withCode: table.by('code') };
}

/** A question and its answer (platform contract QNA-1). */
const pairRow = z.object({
  id: z.string(),
  workspace: z.string(),
  questions: texts,
  answer: z.string(),
  metadatas: json<readonly { readonly typeCode: string; readonly content: string }[]>(),
  /** User name. */
  createdBy: z.string(),
});

const PAIRS_SCHEMA = `
CREATE TABLE IF NOT EXISTS pairs (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, questions TEXT NOT NULL, answer TEXT NOT NULL,
  metadatas TEXT NOT NULL, createdBy TEXT NOT NULL);
`;

export type Pairs = ReturnType<typeof createPairs>;

/** Question-answer pairs. Only the inspection route reads them (platform contract QNA-2). */
export function createPairs(database: Database, ids: Ids) {
  database.exec(PAIRS_SCHEMA);
  const drop = database.prepare('DELETE FROM pairs WHERE workspace = ?');
  const { add, list } = createTable(database, ids, pairRow, { table: 'pairs' });
  return { add, list, removeFrom: (workspace: string) => void drop.run(workspace) };
}
