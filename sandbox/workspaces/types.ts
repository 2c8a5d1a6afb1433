import type { SandboxCatalogue } from '../fixtures.ts';
import { type Database, numberOf, type Row, textOf, upsertInto } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';

/** A text in one language. */
interface Localized {
  readonly languageCode: string;
  readonly content: string;
}

/** A type of knowledge workspaces (platform contract WST-1). */
export interface WorkspaceType {
  readonly id: string;
  readonly code: string;
  readonly title: readonly Localized[];
  readonly icon: string;
  readonly sort: number;
  readonly description: string;
  readonly enable: boolean;
}

export interface WorkspaceTypes {
  /** By their place in lists. */
  list(): readonly WorkspaceType[];
  withId(id: string): WorkspaceType | undefined;
  add(type: Omit<WorkspaceType, 'id' | 'enable'>): void;
  save(type: WorkspaceType): void;
  remove(id: string): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS workspace_types (
  id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, title TEXT NOT NULL, icon TEXT NOT NULL, sort REAL NOT NULL,
  description TEXT NOT NULL, enable INTEGER NOT NULL);
`;

export function createWorkspaceTypes(
  database: Database,
  ids: Ids,
  { workspaceType }: SandboxCatalogue,
): WorkspaceTypes {
  database.exec(SCHEMA);
  const columns = ['id', 'code', 'title', 'icon', 'sort', 'description', 'enable'];
  const all = database.prepare('SELECT * FROM workspace_types ORDER BY sort, id');
  const byId = database.prepare('SELECT * FROM workspace_types WHERE id = ?');
  const upsert = database.prepare(upsertInto('workspace_types', columns, 'id'));
  const drop = database.prepare('DELETE FROM workspace_types WHERE id = ?');
  const save = ({ id, code, title, icon, sort, description, enable }: WorkspaceType): void =>
    void upsert.run(id, code, JSON.stringify(title), icon, sort, description, enable ? 1 : 0);
  for (const { id } of all.all()) ids.startAbove(String(id));
  // Workspaces always have a type, so the first one is there as long as nobody replaced it.
  if (all.get() === undefined) save({ ...workspaceType, enable: true });
  return {
    list: () => all.all().map(readType),
    withId: (id) => {
      const row = byId.get(id);
      return row && readType(row);
    },
    add: (type) => save({ ...type, id: ids.next(), enable: true }),
    save,
    remove: (id) => void drop.run(id),
  };
}

function readType(row: Row): WorkspaceType {
  return {
    id: textOf(row, 'id'),
    code: textOf(row, 'code'),
    title: JSON.parse(textOf(row, 'title')) as readonly Localized[],
    icon: textOf(row, 'icon'),
    sort: numberOf(row, 'sort'),
    description: textOf(row, 'description'),
    enable: numberOf(row, 'enable') === 1,
  };
}
