/**
 * Stores which workspaces belong to an organization that installed the app, and in which of them each room is. Each
 * workspace is a separate tenant, and Slack does not always say in which workspace a person pressed a button.
 */

import { createKeptList, type Keyed, text } from '../../../src/kit/ladder.ts';

/** Lifetime of the entries, in milliseconds: 100 years, because only a removal of the app may end it. */
export const KEPT_MS = 100 * 365 * 24 * 60 * 60_000;

export type Members = ReturnType<typeof createMembers>;

export function createMembers(secrets: Keyed) {
  const keyOf = (tenant: string): string => `organisation of ${tenant}`;
  const accessKey = (org: string, tenant: string): string => `access of ${org} to ${tenant}`;
  const listKey = (org: string): string => `workspaces of ${org}`;
  const atRoom = (org: string, room: string) =>
    createKeptList(secrets, `workspaces of ${org} in ${room}`, KEPT_MS, { tenant: org, room });
  const listOf = (org: string) => createKeptList(secrets, listKey(org), KEPT_MS, { tenant: org });
  const orgOf = async (tenant: string) => text(await secrets.get(keyOf(tenant)));
  return {
    orgOf,
    /** Stores that the workspace belongs to the organization, and that the room is in this workspace. */
    async join(tenant: string, org: string, room?: string): Promise<void> {
      if ((await orgOf(tenant)) !== org) {
        await listOf(org).put(tenant);
        await secrets.set(keyOf(tenant), org, KEPT_MS, { tenant });
      }
      if (room === undefined) return;
      const inRoom = atRoom(org, room);
      if (!(await inRoom.all()).includes(tenant)) await inRoom.put(tenant);
    },
    /** Resolves with all workspaces of the organization, and with those of them that contain the room. */
    async of(org: string, room: string | undefined) {
      const all = await listOf(org).all();
      const known = room === undefined ? [] : await atRoom(org, room).all();
      return { all, inRoom: known.filter((tenant) => all.includes(tenant)) };
    },
    /** Stores that the organization gave the app access to the workspace, with the time in Slack's seconds. */
    grant: (tenant: string, org: string, at: number): Promise<void> =>
      secrets.set(accessKey(org, tenant), at, KEPT_MS, { tenant }),
    /** True if the workspace belongs to the organization, and got no access after the time `at`. */
    async isLeaving(tenant: string, org: string, at: number): Promise<boolean> {
      const granted = await secrets.get(accessKey(org, tenant));
      return (await orgOf(tenant)) === org && !(typeof granted === 'number' && granted >= at);
    },
    async leave(tenant: string, org: string): Promise<void> {
      await listOf(org).remove(tenant);
      await secrets.delete(keyOf(tenant));
    },
    async forget(org: string): Promise<readonly string[]> {
      const tenants = await listOf(org).all();
      for (const tenant of tenants) await secrets.delete(keyOf(tenant));
      await secrets.delete(listKey(org));
      return tenants;
    },
  };
}
