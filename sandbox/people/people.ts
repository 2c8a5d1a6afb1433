import type { Accounts } from '../auth/identity.ts';
import type { Clock } from '../clock.ts';
import { sandboxCatalogue } from '../fixtures.ts';
import type { Route } from '../http/router.ts';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createAccounts } from './accounts.ts';
import { liteUserRoutes } from './lite-routes.ts';
import { membershipRoutes } from './membership-routes.ts';
import { organizationRoutes } from './organization-routes.ts';
import { createOrganizations } from './organizations.ts';
import type { PeopleParts } from './parts.ts';
import { roleRoutes } from './role-routes.ts';
import { createRoles } from './roles.ts';
import { seedPeople } from './seed.ts';
import { userChangeRoutes, userSwitchRoutes } from './user-changes.ts';
import { userRoutes } from './user-routes.ts';
import { createUsers } from './users.ts';

/** Everyone whom the sandbox knows, with their roles and organizations. */
export interface People extends Pick<PeopleParts, 'users' | 'roles' | 'organizations'> {
  readonly accounts: Accounts;
}

export function createPeople(database: Database, ids: Ids, clock: Clock): People {
  const users = createUsers(database, ids, clock);
  const roles = createRoles(database);
  const organizations = createOrganizations(database, ids);
  seedPeople(database, sandboxCatalogue, { users, roles, organizations });
  return { users, roles, organizations, accounts: createAccounts(users, roles) };
}

/** Users, roles, organizations and the users of the lite interface (platform contract, sections 7, 16 and 17). */
export const peopleRoutes = (parts: PeopleParts): readonly Route[] => [
  ...userRoutes(parts),
  ...userChangeRoutes(parts),
  ...userSwitchRoutes(parts),
  ...roleRoutes(parts),
  ...organizationRoutes(parts),
  ...membershipRoutes(parts),
  ...liteUserRoutes(parts),
];
