import type { Accounts } from '../auth/identity.ts';
import type { Clock } from '../clock.ts';
import { type SandboxAccount, sandboxCatalogue } from '../fixtures.ts';
import type { Route } from '../http/operation.ts';
import { type Database, inTransaction } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import type { PeopleDeps } from './deps.ts';
import { membershipRoutes } from './membership-routes.ts';
import { organizationRoutes } from './organization-routes.ts';
import { createOrganizations, plainOrganization } from './organizations.ts';
import { plainProfile } from './profile.ts';
import { userRoutes } from './user-routes.ts';
import { createRoles, createUsers, type Role, type Roles, type User, type Users } from './users.ts';

/** The stores of users, roles and organizations. */
export interface People extends Pick<PeopleDeps, 'users' | 'roles' | 'organizations'> {
  readonly accounts: Accounts;
}

export function createPeople(database: Database, ids: Ids, clock: Clock): People {
  const users = createUsers(database, ids, clock);
  const roles = createRoles(database);
  const organizations = createOrganizations(database, ids);
  seedPeople(database, { users, roles, organizations });
  return { users, roles, organizations, accounts: createAccounts(users, roles) };
}

/**
 * Routes of users, roles, organizations and users of the lite interface (platform contract, sections 7, 16 and 17).
 */
export const peopleRoutes = (deps: PeopleDeps): readonly Route[] => [
  ...userRoutes(deps),
  ...organizationRoutes(deps),
  ...membershipRoutes(deps),
];

/**
 * Adds the people who ship with the sandbox to a database that has no users. Later changes and deletions survive a
 * restart.
 */
function seedPeople(database: Database, into: Pick<PeopleDeps, 'users' | 'roles' | 'organizations'>): void {
  if (into.users.list().length > 0) return;
  inTransaction(database, () => {
    for (const organization of sandboxCatalogue.organizations) {
      into.organizations.save({ ...plainOrganization, isEnable: true, ...organization });
    }
    for (const { id, userId, userName, realName, email, enabled, ...belongs } of sandboxCatalogue.accounts) {
      const profile = { ...plainProfile(realName), email };
      into.users.add({ userName, password: '', active: true, enable: enabled, profile }, { id, userId });
      into.roles.assign(id, belongs.roles);
      for (const organization of belongs.organizations) {
        into.organizations.link({ organization, account: id, sort: 0 });
      }
    }
  });
}

/**
 * Creates the accounts for sign-in, agents and media. Each look-up reads them from the database, so that a change takes
 * effect immediately.
 */
function createAccounts(users: Users, roles: Roles): Accounts {
  const account = (user: User | undefined): SandboxAccount | undefined =>
    user && accountOf(user, roles.of(user.id));
  return {
    named: (userName) => account(users.named(userName)),
    withId: (id) => account(users.withId(id)),
    signedIn: (id) => users.signedIn(id),
  };
}

const accountOf = (user: User, held: readonly Role[]): SandboxAccount => ({
  id: user.id,
  userName: user.userName,
  realName: user.profile.realName,
  email: user.profile.email ?? '',
  role: held.some((role) => role.administers) ? 'admin' : held.length > 0 ? 'member' : 'none',
  enabled: user.enable && user.active,
  workspaces: [...new Set(held.flatMap((role) => role.workspaces))],
});
