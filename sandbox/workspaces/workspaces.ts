import { z } from 'zod';
import type { SandboxCatalogue } from '../fixtures.ts';
import { type Database, inTransaction, type Row, textOf, upsertInto } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';

/** A list of texts as JSON. */
const texts = z.string().transform((list): readonly string[] => z.array(z.string()).parse(JSON.parse(list)));

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
  enable: z.number().transform((value) => value === 1),
  operationKeys: texts,
  /** JSON text; empty for none (platform contract WSP-6). */
  settings: z.string(),
  /** JSON text; empty for none (platform contract WSP-10). */
  metadataTemplate: z.string(),
});

export type Workspace = Readonly<z.output<typeof workspaceRow>>;

interface Category {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
}

/** The knowledge workspaces with their categories. */
export interface Workspaces {
  categories(): readonly Category[];
  list(): readonly Workspace[];
  withId(id: string): Workspace | undefined;
  named(name: string): Workspace | undefined;
  /** By name or by id (platform contract INC-18). */
  find(nameOrId: string): Workspace | undefined;
  add(workspace: Omit<Workspace, 'id'>): Workspace;
  save(workspace: Workspace): void;
  remove(id: string): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS categories (id TEXT PRIMARY KEY, name TEXT NOT NULL, icon TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS workspaces (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, notice TEXT NOT NULL,
  type TEXT NOT NULL, category TEXT NOT NULL, quota INTEGER, fileSize INTEGER NOT NULL,
  fileTypes TEXT NOT NULL, enable INTEGER NOT NULL, operationKeys TEXT NOT NULL, settings TEXT NOT NULL,
  metadataTemplate TEXT NOT NULL);
`;

const COLUMNS = workspaceRow.keyof().options;

/** Largest file of a workspace that says nothing, in MiB (platform contract FIL-11). */
const FILE_SIZE_MIB = 100;
const OPERATION_KEYS = ['read', 'upload', 'delete'];

export function createWorkspaces(database: Database, ids: Ids): Workspaces {
  database.exec(SCHEMA);
  const categories = database.prepare('SELECT * FROM categories ORDER BY id');
  const all = database.prepare('SELECT * FROM workspaces ORDER BY id');
  const byId = database.prepare('SELECT * FROM workspaces WHERE id = ?');
  const byName = database.prepare('SELECT * FROM workspaces WHERE name = ?');
  const upsert = database.prepare(upsertInto('workspaces', COLUMNS, 'id'));
  const drop = database.prepare('DELETE FROM workspaces WHERE id = ?');
  const withId = (id: string) => readRow(byId.get(id));
  const named = (name: string) => readRow(byName.get(name));
  const save = (workspace: Workspace): void => {
    const row = { ...workspace, enable: workspace.enable ? 1 : 0 };
    upsert.run(
      ...COLUMNS.map((column) => {
        const value = row[column];
        return Array.isArray(value) ? JSON.stringify(value) : (value as string | number | null);
      }),
    );
  };
  for (const { id } of all.all()) ids.startAbove(String(id));
  return {
    categories: () =>
      categories.all().map((row) => ({
        id: textOf(row, 'id'),
        name: textOf(row, 'name'),
        icon: textOf(row, 'icon'),
      })),
    list: () => all.all().flatMap((row) => readRow(row) ?? []),
    withId,
    named,
    find: (nameOrId) => named(nameOrId) ?? withId(nameOrId),
    add: (workspace) => {
      const added = { ...workspace, id: ids.next() };
      save(added);
      return added;
    },
    save,
    remove: (id) => void drop.run(id),
  };
}

const readRow = (row: Row | undefined): Workspace | undefined => row && workspaceRow.parse(row);

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
export function seedWorkspaces(
  database: Database,
  workspaces: Workspaces,
  { categories, workspaces: fixtures, workspaceType }: SandboxCatalogue,
): void {
  if (workspaces.categories().length > 0) return;
  const addCategory = database.prepare('INSERT INTO categories (id, name, icon) VALUES (?, ?, ?)');
  inTransaction(database, () => {
    for (const { id, name, icon } of categories) addCategory.run(id, name, icon);
    for (const { id, name, description, category } of fixtures) {
      workspaces.save({ ...plainWorkspace, id, name, description, category, type: workspaceType.id });
    }
  });
}
