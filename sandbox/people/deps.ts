import type { Gatekeeper } from '../auth/identity.ts';
import { declined } from '../http/reply.ts';
import type { Options } from '../options.ts';
import { type Database, inTransaction } from '../store/database.ts';
import type { Organizations } from './organizations.ts';
import type { Roles, Users } from './users.ts';

/** Dependencies of the routes in this folder. */
export interface PeopleDeps {
  readonly gatekeeper: Gatekeeper;
  readonly options: Options;
  readonly database: Database;
  readonly users: Users;
  readonly roles: Roles;
  readonly organizations: Organizations;
}

/**
 * Makes a change in a transaction. Refuses a change after which no enabled administrator would be left, because then no
 * account could undo the change. The platform's documentation does not mention this refusal.
 */
export function changePeople<T>(deps: PeopleDeps, work: () => T): T {
  const { database, users, roles } = deps;
  return inTransaction(database, () => {
    const result = work();
    const left = roles.administrators().map(users.withId);
    if (!left.some((user) => user?.enable && user.active)) {
      throw declined('The last enabled administrator must keep that role.');
    }
    return result;
  });
}

/** Wraps the details of one record in an array if the options ask for it (platform contract GEN-14: single results). */
export const single = (options: Options, details: unknown): unknown =>
  options.wrapSingle ? [details] : details;
