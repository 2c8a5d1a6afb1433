/** Stores the installations of an app that many workspaces use: encrypted on disk, and cached for 30 s. */

import { createCache, createKeptList, type Keyed, share } from '../../../src/kit/ladder.ts';
import { type Clock, defined } from '../../../src/kit.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import { CUSTOMIZE } from '../scopes.ts';
import { decodeStoredInstallation, type StoredInstallation } from './installation.ts';
import { KEPT_MS, type Members } from './members.ts';

/**
 * Lifetime of a cached installation, in milliseconds. It is short, because another process may change the installation.
 */
const CACHE_MS = 30_000;
/**
 * Duration of a claim to renew a token, in milliseconds: longer than a renewal takes. The claim expires, because a
 * process that crashed does not release it.
 */
const RENEWAL_MS = 60_000;
/** Maximum number of cached installations. */
const MAX_CACHED = 2_000;

export type Installations = ReturnType<typeof createInstallations>;

export function createInstallations(secrets: Keyed, clock: Clock, members: Members) {
  const records = createRecords(secrets, clock);
  const { read, drop } = records;
  const workspaces: Omit<Workspaces, 'disable'> = {
    async find({ team, enterprise, orgWide, room }) {
      const own = team === undefined || orgWide ? undefined : await read(team);
      if (own !== undefined) return workspaceOf(own, own.id);
      const org = enterprise === undefined ? undefined : await read(enterprise);
      if (org === undefined) return undefined;
      if (team !== undefined) await members.join(team, org.id, room);
      return workspaceOf(org, team ?? org.id);
    },
    async ofTenant(tenant) {
      const own = await read(tenant);
      if (own !== undefined) return workspaceOf(own, tenant);
      const org = await members.orgOf(tenant);
      const stored = org === undefined ? undefined : await read(org);
      return stored && workspaceOf(stored, tenant);
    },
    async remove({ installation, tenant }) {
      const id = installation ?? tenant;
      const tenants = await members.forget(id);
      await drop(id);
      return [...new Set([id, tenant, ...tenants])];
    },
  };
  return { ...records, ...workspaces };
}

/** Stores installations under the id of their workspace or organization. */
function createRecords(secrets: Keyed, clock: Clock) {
  const known = createCache<Promise<StoredInstallation | undefined>>({
    clock,
    max: MAX_CACHED,
    ttlMs: CACHE_MS,
  });
  const index = createKeptList(secrets, 'installations', KEPT_MS, 'nobody');
  const keyOf = (id: string): string => `installation ${id}`;
  const renewalKey = (id: string): string => `renewal ${id}`;
  const remember = (id: string) => share(known, id, secrets.get(keyOf(id)).then(decodeStoredInstallation));
  const write = async (installation: StoredInstallation): Promise<void> => {
    await secrets.set(keyOf(installation.id), installation, KEPT_MS, { tenant: installation.id });
    known.delete(installation.id);
    await index.put(installation.id);
  };
  return {
    ids: index.all,
    read: (id: string): Promise<StoredInstallation | undefined> => known.get(id) ?? remember(id),
    write,
    /** Reads the installation from the store, even if it is cached. */
    readStored: remember,
    /** Stores a renewed token, unless the installation was removed or got another token meanwhile. */
    async renew(installation: StoredInstallation, replaces: string): Promise<void> {
      const isReplaced = (value: unknown) => decodeStoredInstallation(value)?.refreshToken === replaces;
      await secrets.change(
        keyOf(installation.id),
        (value) => (isReplaced(value) ? installation : undefined),
        KEPT_MS,
        {
          tenant: installation.id,
        },
      );
      known.delete(installation.id);
    },
    /** Reserves the renewal of the token for this process. Resolves to false while another process renews it. */
    claimRenewal: (id: string): Promise<boolean> =>
      secrets.change(renewalKey(id), (claim) => (claim === undefined ? true : undefined), RENEWAL_MS, {
        tenant: id,
      }),
    releaseRenewal: (id: string): Promise<void> => secrets.delete(renewalKey(id)),
    async drop(id: string): Promise<void> {
      await index.remove(id);
      await secrets.delete(keyOf(id));
      known.delete(id);
    },
  };
}

function workspaceOf(stored: StoredInstallation, tenant: string): Workspace {
  const { id: installation, orgWide, name, enterprise, botUser, botId, token, scopes, installedAt } = stored;
  return {
    tenant,
    installation,
    botUser,
    token,
    ...defined({ name, enterprise, botId, installedAt, organization: orgWide ? installation : undefined }),
    ...(scopes.includes(CUSTOMIZE) && { customizes: true }),
  };
}
