import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable, flag, json } from '../store/table.ts';
import type { Profile } from './profile.ts';

const userRow = z.object({
  /** The account id; `userId` is another id of the same person (platform contract INC-19). */
  id: z.string(),
  userId: z.string(),
  userName: z.string(),
  active: flag,
  enable: flag,
  profile: json<Profile>(),
  /** Milliseconds since the epoch. */
  created: z.number(),
  modified: z.number(),
  /** Null before the first token. */
  lastLogin: z.number().nullable(),
});

export type User = Readonly<z.output<typeof userRow>>;

export type NewUser = Pick<User, 'userName' | 'active' | 'enable' | 'profile'> & {
  /** Salted hash, or empty for no password. It is never read back. */
  readonly passwordHash: string;
};

const SCHEMA = `
CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, user_name TEXT NOT NULL UNIQUE, password TEXT NOT NULL,
  active INTEGER NOT NULL, enable INTEGER NOT NULL, profile TEXT NOT NULL,
  created INTEGER NOT NULL, modified INTEGER NOT NULL, last_login INTEGER);
`;

const RENAMED = { userId: 'user_id', userName: 'user_name', lastLogin: 'last_login' };

export type Users = ReturnType<typeof createUsers>;

/** The users of the sandbox (platform contract USR-8). The caller must refuse a second user of the same name. */
export function createUsers(database: Database, ids: Ids, clock: Clock) {
  database.exec(SCHEMA);
  const table = createTable(database, ids, userRow, { table: 'users', renamed: RENAMED });
  for (const { userId } of table.list()) ids.startAbove(userId);
  const withUserId = table.by('user_id');
  const insert = database.prepare('INSERT INTO users VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)');
  const update = database.prepare(
    'UPDATE users SET active = ?, enable = ?, profile = ?, modified = ? WHERE id = ?',
  );
  const touch = database.prepare('UPDATE users SET last_login = ? WHERE id = ?');
  const keep = (both: Pick<User, 'id' | 'userId'>, { passwordHash, ...user }: NewUser): User => {
    const now = clock.now();
    const names = [both.id, both.userId, user.userName, passwordHash];
    insert.run(...names, Number(user.active), Number(user.enable), JSON.stringify(user.profile), now, now);
    return { ...both, ...user, created: now, modified: now, lastLogin: null };
  };
  return {
    list: table.list,
    named: table.by('user_name'),
    /** By account id or user id. */
    withId: (id: string) => table.withId(id) ?? withUserId(id),
    add: (user: NewUser) => keep({ id: ids.next(), userId: ids.next() }, user),
    /** Adds a user with given ids, for the fixtures. */
    keep,
    /** Keeps the switches and the profile of this version, and dates the change. */
    change: (user: User): User => {
      const { id, active, enable, profile } = user;
      const modified = clock.now();
      update.run(Number(active), Number(enable), JSON.stringify(profile), modified, id);
      return { ...user, modified };
    },
    remove: table.remove,
    /** Notes when a token was last issued. */
    signedIn: (id: string) => void touch.run(clock.now(), id),
  };
}

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
