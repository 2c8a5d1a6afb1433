import { z } from 'zod';
import type { Database } from '../store/database.ts';
import { flag, json } from '../store/table.ts';

const roleRow = z.object({
  id: z.string(),
  name: z.string(),
  /** Who has it may write users, organizations and what else AUT-17 of the platform contract names. */
  administers: flag,
  /** Ids of the knowledge workspaces that it opens. */
  workspaces: json<readonly string[]>(),
});

export type Role = Readonly<z.output<typeof roleRow>>;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS roles (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, administers INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS role_workspaces (
  role TEXT NOT NULL, workspace TEXT NOT NULL, PRIMARY KEY (role, workspace));
CREATE TABLE IF NOT EXISTS user_roles (account TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (account, role));
`;

const SELECT = `
SELECT roles.*, (SELECT json_group_array(workspace ORDER BY workspace) FROM role_workspaces
  WHERE role = roles.id) AS workspaces FROM roles`;

export type Roles = ReturnType<typeof createRoles>;

/** Roles and who has them. They are named by account ids. */
export function createRoles(database: Database) {
  database.exec(SCHEMA);
  const byName = database.prepare(`${SELECT} WHERE name = ?`);
  const byId = database.prepare(`${SELECT} WHERE id = ?`);
  const held = database.prepare(
    `${SELECT} JOIN user_roles ON roles.id = user_roles.role WHERE account = ? ORDER BY roles.id`,
  );
  const administrators = database.prepare(
    'SELECT DISTINCT account FROM user_roles JOIN roles ON roles.id = role WHERE administers = 1',
  );
  const insert = database.prepare('INSERT INTO roles VALUES (?, ?, ?)');
  const open = database.prepare('INSERT OR IGNORE INTO role_workspaces VALUES (?, ?)');
  const clear = database.prepare('DELETE FROM user_roles WHERE account = ?');
  const give = database.prepare('INSERT OR IGNORE INTO user_roles VALUES (?, ?)');
  const optional = roleRow.optional();
  return {
    named: (name: string) => optional.parse(byName.get(name)),
    withId: (id: string) => optional.parse(byId.get(id)),
    of: (account: string) => held.all(account).map((row) => roleRow.parse(row)),
    /** Ids of the accounts with a role that administers. */
    administrators: () => administrators.all().map((row) => String(row.account)),
    add: ({ id, name, administers, workspaces }: Role): void => {
      insert.run(id, name, Number(administers));
      for (const workspace of workspaces) open.run(id, workspace);
    },
    /** Replaces the roles of an account (platform contract ROL-2). */
    assign: (account: string, roles: readonly string[]): void => {
      clear.run(account);
      for (const role of roles) give.run(account, role);
    },
  };
}
