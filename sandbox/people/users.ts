import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../clock.ts';
import { type Database, numberOf, type Row, textOf } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import type { Profile } from './profile.ts';

export interface User {
  /** The account id; `userId` is another id of the same person (platform contract INC-19). */
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  readonly active: boolean;
  readonly enable: boolean;
  readonly profile: Profile;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly modified: number;
  /** Undefined before the first token. */
  readonly lastLogin: number | undefined;
}

export type NewUser = Pick<User, 'userName' | 'active' | 'enable' | 'profile'> & {
  /** Salted hash, or empty for no password. It is never read back. */
  readonly passwordHash: string;
};

/** The users of the sandbox (platform contract USR-8). The caller must refuse a second user of the same name. */
export type Users = UserReader & UserWriter;

interface UserReader {
  /** Oldest first. */
  all(): readonly User[];
  named(userName: string): User | undefined;
  /** By account id or user id. */
  withId(id: string): User | undefined;
}

interface UserWriter {
  add(user: NewUser): User;
  /** Adds a user with given ids, for the fixtures. */
  keep(ids: Pick<User, 'id' | 'userId'>, user: NewUser): User;
  /** Keeps the switches and the profile of this version, and dates the change. */
  change(user: User): User;
  remove(id: string): void;
  /** Notes when a token was last issued. */
  signedIn(id: string): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, user_name TEXT NOT NULL UNIQUE, password TEXT NOT NULL,
  active INTEGER NOT NULL, enable INTEGER NOT NULL, profile TEXT NOT NULL,
  created INTEGER NOT NULL, modified INTEGER NOT NULL, last_login INTEGER);
`;

export function createUsers(database: Database, ids: Ids, clock: Clock): Users {
  database.exec(SCHEMA);
  const highest = database.prepare('SELECT max(max(id), max(user_id)) AS id FROM users').get();
  ids.startAbove((highest && textOf(highest, 'id')) || '0');
  return { ...createUserReader(database), ...createUserWriter(database, ids, clock) };
}

function createUserReader(database: Database): UserReader {
  const all = database.prepare('SELECT * FROM users ORDER BY id');
  const byName = database.prepare('SELECT * FROM users WHERE user_name = ?');
  const byId = database.prepare('SELECT * FROM users WHERE id = ?1 OR user_id = ?1');
  return {
    all: () => all.all().map(readUser),
    named: (userName) => optional(byName.get(userName)),
    withId: (id) => optional(byId.get(id)),
  };
}

function createUserWriter(database: Database, ids: Ids, clock: Clock): UserWriter {
  const insert = database.prepare('INSERT INTO users VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)');
  const update = database.prepare(
    'UPDATE users SET active = ?, enable = ?, profile = ?, modified = ? WHERE id = ?',
  );
  const drop = database.prepare('DELETE FROM users WHERE id = ?');
  const touch = database.prepare('UPDATE users SET last_login = ? WHERE id = ?');
  const keep: UserWriter['keep'] = (both, { passwordHash, ...user }) => {
    const now = clock.now();
    const names = [both.id, both.userId, user.userName, passwordHash];
    insert.run(...names, Number(user.active), Number(user.enable), JSON.stringify(user.profile), now, now);
    return { ...both, ...user, created: now, modified: now, lastLogin: undefined };
  };
  return {
    add: (user) => keep({ id: ids.next(), userId: ids.next() }, user),
    keep,
    change: (user) => {
      const { id, active, enable, profile } = user;
      const modified = clock.now();
      update.run(Number(active), Number(enable), JSON.stringify(profile), modified, id);
      return { ...user, modified };
    },
    remove: (id) => {
      drop.run(id);
    },
    signedIn: (id) => {
      touch.run(clock.now(), id);
    },
  };
}

const optional = (row: Row | undefined): User | undefined => (row === undefined ? undefined : readUser(row));

/** Only this file writes the column `profile`, so its shape is known. */
const readUser = (row: Row): User => ({
  id: textOf(row, 'id'),
  userId: textOf(row, 'user_id'),
  userName: textOf(row, 'user_name'),
  active: row.active === 1,
  enable: row.enable === 1,
  profile: JSON.parse(textOf(row, 'profile')) as Profile,
  created: numberOf(row, 'created'),
  modified: numberOf(row, 'modified'),
  lastLogin: row.last_login === null ? undefined : numberOf(row, 'last_login'),
});

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** About 8 ms and 4 MiB a password, so that importing some hundred people stays within a caller's patience. */
const COST: ScryptOptions = { N: 4096, r: 8, p: 1 };

/** What may be kept of a password: its salted hash; empty for no password. */
export async function hashPassword(password: string): Promise<string> {
  if (password === '') return '';
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$');
}
