import type { SandboxCatalogue } from '../fixtures.ts';
import { type Database, inTransaction } from '../store/database.ts';
import { DEFAULTS } from './organization-changes.ts';
import type { Organizations } from './organizations.ts';
import { plainProfile } from './profile.ts';
import type { Roles } from './roles.ts';
import type { Users } from './users.ts';

export interface Seeded {
  readonly users: Users;
  readonly roles: Roles;
  readonly organizations: Organizations;
}

/** Fills a sandbox without people from the fixtures, once: what is changed or deleted later stays so over a restart. */
export function seedPeople(database: Database, catalogue: SandboxCatalogue, into: Seeded): void {
  if (into.users.all().length > 0) return;
  inTransaction(database, () => {
    for (const role of catalogue.roles) into.roles.add(role);
    for (const organization of catalogue.organizations) {
      into.organizations.save({ ...DEFAULTS, isEnable: true, ...organization });
    }
    for (const { id, userId, userName, realName, email, enabled, ...belongs } of catalogue.accounts) {
      const profile = { ...plainProfile(realName), email };
      into.users.keep({ id, userId }, { userName, passwordHash: '', active: true, enable: enabled, profile });
      into.roles.assign(id, belongs.roles);
      for (const organization of belongs.organizations) {
        into.organizations.link({ organization, account: id, sort: 0 });
      }
    }
  });
}
