import { z } from 'zod';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable, flag } from '../store/table.ts';

const text = z.string().nullable().default(null);

/** Schema of a stored organization (platform contract ORG-9: record). */
const organizationRow = z.object({
  id: z.string(),
  code: z.string(),
  /** Id of the organization above; null at the top. */
  parent: z.string().nullable(),
  name: z.string(),
  location: text,
  remarks: text,
  contact: text,
  info: text,
  extension: text,
  isSubsidiary: flag.default(false),
  sort: z.number().default(0),
  isEnable: flag.default(false),
  external: flag.default(false),
});

export type Organization = Readonly<z.output<typeof organizationRow>>;

/** Documented defaults of a new organization. */
export const plainOrganization = organizationRow
  .omit({ id: true, code: true, parent: true, name: true })
  .parse({});

const membershipRow = z.object({
  organization: z.string(),
  /** Account id of the member. */
  account: z.string(),
  sort: z.number(),
});

type Membership = Readonly<z.output<typeof membershipRow>>;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS organizations (
  id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, parent TEXT, name TEXT NOT NULL, location TEXT, remarks TEXT,
  contact TEXT, info TEXT, extension TEXT, is_subsidiary INTEGER NOT NULL, sort INTEGER NOT NULL,
  is_enable INTEGER NOT NULL, external INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS memberships (
  row INTEGER PRIMARY KEY, organization TEXT NOT NULL, account TEXT NOT NULL, sort INTEGER NOT NULL,
  UNIQUE (organization, account));
`;

export type Organizations = ReturnType<typeof createOrganizations>;

/** Stores organizations and their members. Does not check that a code is unique; the caller must. */
export function createOrganizations(database: Database, ids: Ids) {
  database.exec(SCHEMA);
  const renamed = { isSubsidiary: 'is_subsidiary', isEnable: 'is_enable' };
  const table = createTable(database, ids, organizationRow, {
    table: 'organizations',
    noun: 'organization',
    key: 'code',
    renamed,
  });
  const memberships = database.prepare('SELECT * FROM memberships ORDER BY row');
  const link = database.prepare(
    `INSERT INTO memberships (organization, account, sort) VALUES (?, ?, ?)
     ON CONFLICT (organization, account) DO UPDATE SET sort = excluded.sort`,
  );
  const unlink = database.prepare('DELETE FROM memberships WHERE organization = ? AND account = ?');
  const forget = database.prepare('DELETE FROM memberships WHERE account = ?');
  return {
    ...table,
    /** Returns the memberships in the order of their creation. */
    memberships: () => memberships.all().map((row) => membershipRow.parse(row)),
    /**
     * Adds a membership. If the membership exists, changes the position of the member (platform contract ORG-6: adding
     * users).
     */
    link: ({ organization, account, sort }: Membership) => void link.run(organization, account, sort),
    unlink: (organization: string, account: string) => void unlink.run(organization, account),
    /** Ends all memberships of an account. */
    forget: (account: string) => void forget.run(account),
  };
}

/** Id that stands for the parent of an organization at the top (platform contract ORG-4: tree). */
export const TOP = '-1';

/** Maximum levels of organizations. An answer that contains their tree is nested to the same depth. */
export const MAX_LEVELS = 64;

interface Node {
  readonly nodeId: string;
  readonly nodeName: string;
  readonly parentNodeId: string;
  readonly code: string;
  /** Ids of the organizations from the top down to this one, separated by `/`. */
  readonly path: string;
  readonly external: boolean;
  readonly sort: number;
  readonly childNodeList: readonly Node[];
}

/**
 * Returns the tree of all internal or all external organizations (platform contract ORG-4: tree). An organization whose
 * parent belongs to the other tree stands at the top, with its parent's id, so that no organization is missing. This
 * rule is the sandbox's choice.
 */
export function organizationTree(all: readonly Organization[], external: boolean): readonly Node[] {
  const byId = new Map(all.map((each) => [each.id, each]));
  const rows = all.filter((each) => each.external === external);
  const known = new Set(rows.map((each) => each.id));
  const below = Map.groupBy(rows, ({ parent }) => (parent !== null && known.has(parent) ? parent : TOP));
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

/** Returns the id, and the ids of all organizations above it, up to the top. */
export function lineage(id: string, byId: ReadonlyMap<string, Organization>): readonly string[] {
  const line: string[] = [];
  for (let each = byId.get(id); each !== undefined; each = byId.get(each.parent ?? '')) line.push(each.id);
  return line;
}

/** Returns the number of levels of the tree. */
export function depth(byId: ReadonlyMap<string, Organization>): number {
  return Math.max(0, ...[...byId.keys()].map((id) => lineage(id, byId).length));
}
