import type { CallOptions, PlatformClient } from '../caller.ts';
import { type OrgNode, orgTree } from '../operations/orgs.ts';

/** The fields that the caller wants to update. The platform also requires the organization's name and parent. */
type Wanted = Readonly<Record<string, unknown>>;

/**
 * Adds the fields that the platform requires for an update (platform contract ORG-2). A missing name, parent, `sort` or
 * `external` is read from the tree of organizations, because the platform replaces the whole record. `isEnable` is sent
 * only if the caller gave it, because the tree does not contain it; only the answer to an update contains it.
 */
export async function completeOrg(
  client: PlatformClient,
  wanted: Wanted,
  options?: CallOptions,
): Promise<Record<string, unknown>> {
  const node = await nodeOf(client, wanted, options);
  if (node === undefined) return { ...wanted };
  const hasParent = wanted.parentId !== undefined || wanted.parentCode !== undefined;
  const known = {
    name: node.nodeName,
    sort: node.sort,
    external: node.external,
    ...(!hasParent && { parentId: node.parentNodeId }),
  };
  const stored = Object.entries(known).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(stored), ...wanted };
}

/**
 * Finds an organization in the internal or the external tree. Needs two requests, because each request returns only
 * one of the trees.
 */
async function nodeOf(
  client: PlatformClient,
  { id, code }: Wanted,
  options?: CallOptions,
): Promise<OrgNode | undefined> {
  for (const external of [false, true]) {
    const nodes = await client.call(orgTree, { external }, options);
    const found = nodes
      .flatMap(withDescendants)
      .find((node) => (id === undefined ? code !== undefined && node.code === code : node.nodeId === id));
    if (found !== undefined) return found;
  }
  return undefined;
}

const withDescendants = (node: OrgNode): readonly OrgNode[] => [
  node,
  ...node.childNodeList.flatMap(withDescendants),
];
