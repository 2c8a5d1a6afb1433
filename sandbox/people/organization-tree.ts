import type { Organization } from './organizations.ts';

/** What the platform names where there is no organization above (platform contract ORG-4). */
export const TOP = '-1';

/** Levels of the tree; the answer nests as deep. */
export const LEVELS_TAKEN = 64;

interface Node {
  readonly nodeId: string;
  readonly nodeName: string;
  readonly parentNodeId: string;
  readonly code: string;
  /** Ids from the top down to this one, separated by `/`. */
  readonly path: string;
  readonly external: boolean;
  readonly sort: number;
  readonly childNodeList: readonly Node[];
}

/**
 * The tree of the internal or of the external organizations (platform contract ORG-4). One whose parent is of the other
 * kind stands at the top and keeps naming its parent, so that none is lost (our choice).
 */
export function organizationTree(all: readonly Organization[], external: boolean): readonly Node[] {
  const byId = new Map(all.map((each) => [each.id, each]));
  const shown = all.filter((each) => each.external === external);
  const known = new Set(shown.map((each) => each.id));
  const below = Map.groupBy(shown, ({ parent }) => (parent !== null && known.has(parent) ? parent : TOP));
  const nodesBelow = (id: string): readonly Node[] =>
    (below.get(id) ?? [])
      .toSorted((a, b) => a.sort - b.sort)
      .map((each) => ({
        nodeId: each.id,
        nodeName: each.name,
        parentNodeId: each.parent ?? TOP,
        code: each.code,
        path: lineage(each.id, byId).toReversed().join('/'),
        external: each.external,
        sort: each.sort,
        childNodeList: nodesBelow(each.id),
      }));
  return nodesBelow(TOP);
}

/** The id and those above it, up to the top. */
export function lineage(id: string, byId: ReadonlyMap<string, Organization>): readonly string[] {
  const line: string[] = [];
  for (let each = byId.get(id); each !== undefined; each = byId.get(each.parent ?? '')) line.push(each.id);
  return line;
}

/** How many levels the tree has. */
export function depth(byId: ReadonlyMap<string, Organization>): number {
  return Math.max(0, ...[...byId.keys()].map((id) => lineage(id, byId).length));
}
