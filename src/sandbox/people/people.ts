import type { Accounts } from '../auth/accounts.ts';
import type { Clock } from '../clock.ts';
import { sandboxCatalogue } from '../fixtures.ts';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createAccounts } from './accounts.ts';
import { createRoles, type Roles } from './roles.ts';
import { seedPeople } from './seed.ts';
import { createUsers, type Users } from './users.ts';

/** Everyone whom the sandbox knows, with their roles. */
export interface People {
  readonly users: Users;
  readonly roles: Roles;
  readonly accounts: Accounts;
}

export function createPeople(database: Database, ids: Ids, clock: Clock): People {
  const users = createUsers(database, ids, clock);
  const roles = createRoles(database);
  seedPeople(database, sandboxCatalogue, { users, roles });
  return { users, roles, accounts: createAccounts(users, roles) };
}
