import type { CallOptions, PlatformClient } from '../caller.ts';
import type { OrgNode } from '../operations/org-tree.ts';
import { orgTree } from '../operations/orgs.ts';

/** An update of an organization as it was asked for; the platform needs its name and parent too. */
type Wanted = Readonly<Record<string, unknown>>;

/**
 * An update with the members that the platform demands (platform contract ORG-2). A name or parent that was not given,
 * and the place and origin that a replaced record would lose, are those of the organization in the tree. Whether it is
 * in use stands in no documented answer but that of the update itself, so it is sent only where it is given.
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
  const told = Object.entries(known).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(told), ...wanted };
}

/** The tree shows either those inside or those from outside. */
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
