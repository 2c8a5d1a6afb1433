import type { Gatekeeper } from '../auth/identity.ts';
import type { Finder } from '../http/codes.ts';
import { declined } from '../http/reply.ts';
import type { Options } from '../options.ts';
import { type Database, inTransaction } from '../store/database.ts';
import type { Organization, Organizations } from './organizations.ts';
import type { Role, Roles } from './roles.ts';
import type { User, Users } from './users.ts';

/** What the routes of this room work with. */
export interface PeopleDeps {
  readonly database: Database;
  readonly gatekeeper: Gatekeeper;
  readonly options: Options;
  readonly users: Users;
  readonly roles: Roles;
  readonly organizations: Organizations;
}

export const userFinder = ({ users }: PeopleDeps): Finder<User> => ({ noun: 'user', ...users });
export const roleFinder = ({ roles }: PeopleDeps): Finder<Role> => ({ noun: 'role', ...roles });
export const organizationFinder = ({ organizations }: PeopleDeps): Finder<Organization> => ({
  noun: 'organization',
  withId: organizations.withId,
  named: organizations.withCode,
});

/** Does a change whole or not at all. One that leaves nobody to undo it is refused (our choice). */
export function changePeople<T>(parts: PeopleDeps, work: () => T): T {
  const { database, users, roles } = parts;
  return inTransaction(database, () => {
    const result = work();
    const left = roles.administrators().map(users.withId);
    if (!left.some((user) => user?.enable && user.active)) {
      throw declined('The last enabled administrator must stay one.');
    }
    return result;
  });
}

/** Details as the deployment sends them: alone, or in an array (platform contract GEN-14). */
export const single = (options: Options, details: unknown): unknown =>
  options.wrapSingle ? [details] : details;
