import type { SandboxCatalogue } from '../fixtures.ts';
import { type Database, inTransaction } from '../store/database.ts';
import { plainProfile } from './profile.ts';
import type { Roles } from './roles.ts';
import type { Users } from './users.ts';

export interface Seeded {
  readonly users: Users;
  readonly roles: Roles;
}

/** Fills a sandbox without people from the fixtures, once: what is changed or deleted later stays so over a restart. */
export function seedPeople(database: Database, catalogue: SandboxCatalogue, into: Seeded): void {
  if (into.users.all().length > 0) return;
  inTransaction(database, () => {
    for (const role of catalogue.roles) into.roles.add(role);
    for (const { id, userId, userName, realName, email, enabled, roles } of catalogue.accounts) {
      const profile = { ...plainProfile(realName), email };
      into.users.keep({ id, userId }, { userName, passwordHash: '', active: true, enable: enabled, profile });
      into.roles.assign(id, roles);
    }
  });
}
