import { type Database, type Row, textOf } from '../store/database.ts';

export interface Role {
  readonly id: string;
  readonly name: string;
  /** Who has it may write users, organizations and what else AUT-17 of the platform contract names. */
  readonly administers: boolean;
  /** Ids of the knowledge workspaces that it opens. */
  readonly workspaces: readonly string[];
}

/** Roles and who has them. They are named by account ids. */
export interface Roles {
  named(name: string): Role | undefined;
  withId(id: string): Role | undefined;
  of(account: string): readonly Role[];
  /** Ids of the accounts with a role that administers. */
  administrators(): readonly string[];
  add(role: Role): void;
  /** Replaces the roles of an account (platform contract ROL-2). */
  assign(account: string, roles: readonly string[]): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS roles (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, administers INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS role_workspaces (
  role TEXT NOT NULL, workspace TEXT NOT NULL, PRIMARY KEY (role, workspace));
CREATE TABLE IF NOT EXISTS user_roles (account TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (account, role));
`;

export function createRoles(database: Database): Roles {
  database.exec(SCHEMA);
  const byName = database.prepare('SELECT * FROM roles WHERE name = ?');
  const byId = database.prepare('SELECT * FROM roles WHERE id = ?');
  const held = database.prepare(
    'SELECT roles.* FROM user_roles JOIN roles ON roles.id = role WHERE account = ? ORDER BY roles.id',
  );
  const opened = database.prepare('SELECT workspace FROM role_workspaces WHERE role = ? ORDER BY workspace');
  const administrators = database.prepare(
    'SELECT DISTINCT account FROM user_roles JOIN roles ON roles.id = role WHERE administers = 1',
  );
  const insert = database.prepare('INSERT INTO roles VALUES (?, ?, ?)');
  const open = database.prepare('INSERT OR IGNORE INTO role_workspaces VALUES (?, ?)');
  const clear = database.prepare('DELETE FROM user_roles WHERE account = ?');
  const give = database.prepare('INSERT OR IGNORE INTO user_roles VALUES (?, ?)');
  const readRole = (row: Row): Role => ({
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    administers: row.administers === 1,
    workspaces: opened.all(textOf(row, 'id')).map((each) => textOf(each, 'workspace')),
  });
  const optional = (row: Row | undefined) => (row === undefined ? undefined : readRole(row));
  return {
    named: (name) => optional(byName.get(name)),
    withId: (id) => optional(byId.get(id)),
    of: (account) => held.all(account).map(readRole),
    administrators: () => administrators.all().map((row) => textOf(row, 'account')),
    add: ({ id, name, administers, workspaces }) => {
      insert.run(id, name, Number(administers));
      for (const workspace of workspaces) open.run(id, workspace);
    },
    assign: (account, roles) => {
      clear.run(account);
      for (const role of roles) give.run(account, role);
    },
  };
}
