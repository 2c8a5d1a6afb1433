import { LRUCache } from 'lru-cache';
import { BridgeError } from '../../errors.ts';
import type { CallOptions, PlatformClient } from '../caller.ts';
import { getType, typeDropdown } from '../operations/types.ts';
import { type Category, listWorkspaces } from '../operations/workspaces.ts';

/** Milliseconds for which an account's list of workspaces is cached (platform contract INC-18). */
const FRESH_MS = 300_000;
/** Maximum number of accounts whose lists are cached; the least recently used list is dropped first. */
const MAX_ACCOUNTS = 1_000;

export type ListedWorkspace = Category['workspaces'][number];

/**
 * Finds a knowledge workspace by its name or its id. Needed because some operations require the name and others the
 * id (platform contract INC-18).
 */
export interface WorkspaceFinder {
  /** Resolves with the workspace. Throws `platform-parameter` if the account cannot see such a workspace. */
  find(nameOrId: string, options?: CallOptions): Promise<ListedWorkspace>;
}

export function workspaceFinder(client: PlatformClient): WorkspaceFinder {
  const known = new LRUCache<string, readonly ListedWorkspace[]>({
    max: MAX_ACCOUNTS,
    // lru-cache expires an entry one millisecond after its lifetime.
    ttl: FRESH_MS - 1,
    ttlResolution: 0,
    perf: { now: () => client.clock.now() },
  });
  const load = async (options?: CallOptions): Promise<readonly ListedWorkspace[]> => {
    const categories = await client.call(listWorkspaces, {}, options);
    const workspaces = categories.flatMap((category) => category.workspaces);
    known.set(options?.account ?? '', workspaces);
    return workspaces;
  };
  return {
    async find(nameOrId, options) {
      const before = matching(known.get(options?.account ?? '') ?? [], nameOrId);
      const found = before ?? matching(await load(options), nameOrId);
      if (found !== undefined) return found;
      throw new BridgeError('platform-parameter', `There is no knowledge workspace ${nameOrId}.`);
    },
  };
}

/** Finds the workspace in the list. A workspace with this name takes precedence over one with this id. */
const matching = (list: readonly ListedWorkspace[], nameOrId: string): ListedWorkspace | undefined =>
  list.find(({ name }) => name === nameOrId) ?? list.find(({ id }) => id === nameOrId);

/**
 * Finds the type of workspaces with this code. Needed because creating a type returns no id; searches the list of all
 * types. Returns undefined if the deployment's list does not contain the type (platform contract INC-26).
 */
export async function findTypeByCode(client: PlatformClient, code: string, options?: CallOptions) {
  for (const { value } of await client.call(typeDropdown, {}, options)) {
    const type = await client.call(getType, { id: value }, options);
    if (type.code === code) return type;
  }
  return undefined;
}
