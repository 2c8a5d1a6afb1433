import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { type SandboxCatalogue, sandboxCatalogue } from '../fixtures.ts';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createFinder, createTable, flag, json } from '../store/table.ts';
import type { Profile } from './profile.ts';

const userRow = z.object({
  /** Account id. `userId` is a second id of the same person (platform contract INC-19: ids of users). */
  id: z.string(),
  userId: z.string(),
  userName: z.string(),
  /** Salted hash; empty if the user has no password. The sandbox stores it but never checks it. */
  password: z.string(),
  active: flag,
  enable: flag,
  profile: json<Profile>(),
  /** When the user was created and last changed, in milliseconds since the epoch. */
  created: z.number(),
  modified: z.number(),
  /** Null until the user gets a first token. */
  lastLogin: z.number().nullable(),
});

export type User = Readonly<z.output<typeof userRow>>;

export type NewUser = Pick<User, 'userName' | 'password' | 'active' | 'enable' | 'profile'>;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, user_name TEXT NOT NULL UNIQUE, password TEXT NOT NULL,
  active INTEGER NOT NULL, enable INTEGER NOT NULL, profile TEXT NOT NULL,
  created INTEGER NOT NULL, modified INTEGER NOT NULL, last_login INTEGER);
`;

const RENAMED = { userId: 'user_id', userName: 'user_name', lastLogin: 'last_login' };

export type Users = ReturnType<typeof createUsers>;

/** Stores users (platform contract USR-8: user record). Does not check that a name is unique; the caller must. */
export function createUsers(database: Database, ids: Ids, clock: Clock) {
  database.exec(SCHEMA);
  const place = { table: 'users', noun: 'user', key: 'user_name', alias: 'user_id', renamed: RENAMED };
  const table = createTable(database, ids, userRow, place);
  for (const { userId } of table.list()) ids.startAbove(userId);
  const touch = database.prepare('UPDATE users SET last_login = ? WHERE id = ?');
  return {
    ...table,
    /** Adds a user. Only the people who ship with the sandbox have given ids. */
    add: (user: NewUser, both = { id: ids.next(), userId: ids.next() }): User => {
      const now = clock.now();
      const added = { ...both, ...user, created: now, modified: now, lastLogin: null };
      table.save(added);
      return added;
    },
    /** Stores the user, and the time of this change. */
    change: (user: User): User => {
      const changed = { ...user, modified: clock.now() };
      table.save(changed);
      return changed;
    },
    /** Stores that the user got a token now. */
    signedIn: (id: string) => void touch.run(clock.now(), id),
  };
}

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Cost of a hash: about 8 ms and 4 MiB for one password, so that importing a few hundred users takes a few seconds. */
const COST: ScryptOptions = { N: 4096, r: 8, p: 1 };

/** Returns a password's salted hash; an empty text if there is no password. */
export async function hashPassword(password: string): Promise<string> {
  if (password === '') return '';
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$');
}

export type Role = Readonly<SandboxCatalogue['roles'][number]>;

const ROLES_SCHEMA = `
CREATE TABLE IF NOT EXISTS user_roles (account TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (account, role));
`;

export type Roles = ReturnType<typeof createRoles>;

/** Finds the roles of the catalogue, and stores which accounts have which of them. */
export function createRoles(database: Database) {
  database.exec(ROLES_SCHEMA);
  const { roles } = sandboxCatalogue;
  const held = database.prepare('SELECT role FROM user_roles WHERE account = ? ORDER BY role');
  const all = database.prepare('SELECT account, role FROM user_roles');
  const clear = database.prepare('DELETE FROM user_roles WHERE account = ?');
  const give = database.prepare('INSERT OR IGNORE INTO user_roles VALUES (?, ?)');
  const withId = (id: unknown): Role | undefined => roles.find((role) => role.id === id);
  return {
    ...createFinder('role', withId, (name) => roles.find((role) => role.name === name)),
    of: (account: string) => held.all(account).flatMap(({ role }) => withId(role) ?? []),
    /** Returns the ids of accounts that have an administrator's role. */
    administrators: () =>
      all.all().flatMap(({ account, role }) => (withId(role)?.administers ? String(account) : [])),
    /** Replaces all roles of an account (platform contract ROL-2: setting roles). */
    assign: (account: string, wanted: readonly string[]): void => {
      clear.run(account);
      for (const role of wanted) give.run(account, role);
    },
  };
}
