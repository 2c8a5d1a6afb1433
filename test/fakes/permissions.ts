import { rulesOfSettings } from '../../src/config/shorthand.ts';
import { createPermissions, type Permissions } from '../../src/core/access/permissions.ts';

interface Allowed {
  readonly guests?: boolean;
  readonly external?: boolean;
  readonly bots?: boolean;
  readonly files?: 'off' | 'upload';
}

/** The permissions that the settings `access` and `files` give. */
export function permissionsOf(allowed: Allowed = {}, agents: readonly string[] = []): Permissions {
  const { files = 'off', ...others } = allowed;
  const access = { guests: false, external: false, bots: false, ...others };
  const rules = rulesOfSettings({ access, files });
  return createPermissions(() => rules, agents);
}
