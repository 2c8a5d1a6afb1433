import { type Database, numberOf, type Row, textOf } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';

/** Platform contract ORG-9. */
export interface Organization {
  readonly id: string;
  readonly code: string;
  /** Id of the organization above; null at the top. */
  readonly parent: string | null;
  readonly name: string;
  readonly location: string | null;
  readonly remarks: string | null;
  readonly contact: string | null;
  readonly info: string | null;
  readonly extension: string | null;
  readonly isSubsidiary: boolean;
  readonly sort: number;
  readonly isEnable: boolean;
  readonly external: boolean;
}

export type OrganizationSettings = Omit<Organization, 'id' | 'code' | 'parent' | 'name'>;

/** The documented defaults of a new organization. */
export const plainOrganization: OrganizationSettings = {
  location: null,
  remarks: null,
  contact: null,
  info: null,
  extension: null,
  isSubsidiary: false,
  sort: 0,
  isEnable: false,
  external: false,
};

/** Who belongs to what. */
interface Membership {
  readonly organization: string;
  /** Account id. */
  readonly account: string;
  readonly sort: number;
}

/** Organizations and their members. A second organization of a code is the caller's to refuse. */
export interface Organizations {
  /** Oldest first. */
  all(): readonly Organization[];
  withId(id: string): Organization | undefined;
  withCode(code: string): Organization | undefined;
  add(organization: Omit<Organization, 'id'>): Organization;
  /** Adds or replaces the organization with this id. */
  save(organization: Organization): void;
  remove(id: string): void;
  /** In the order in which members were linked. */
  memberships(): readonly Membership[];
  /** Linking twice changes the sort only (platform contract ORG-6). */
  link(membership: Membership): void;
  unlink(organization: string, account: string): void;
  /** Ends every membership of an account. */
  forget(account: string): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS organizations (
  id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, parent TEXT, name TEXT NOT NULL, location TEXT, remarks TEXT,
  contact TEXT, info TEXT, extension TEXT, is_subsidiary INTEGER NOT NULL, sort INTEGER NOT NULL,
  is_enable INTEGER NOT NULL, external INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS memberships (
  row INTEGER PRIMARY KEY, organization TEXT NOT NULL, account TEXT NOT NULL, sort INTEGER NOT NULL,
  UNIQUE (organization, account));
`;

export function createOrganizations(database: Database, ids: Ids): Organizations {
  database.exec(SCHEMA);
  const highest = database.prepare('SELECT max(id) AS id FROM organizations').get();
  ids.startAbove((highest && textOf(highest, 'id')) || '0');
  const all = database.prepare('SELECT * FROM organizations ORDER BY id');
  const byId = database.prepare('SELECT * FROM organizations WHERE id = ?');
  const byCode = database.prepare('SELECT * FROM organizations WHERE code = ?');
  const upsert = database.prepare(
    `INSERT INTO organizations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET code = excluded.code, parent = excluded.parent, name = excluded.name,
       location = excluded.location, remarks = excluded.remarks, contact = excluded.contact,
       info = excluded.info, extension = excluded.extension, is_subsidiary = excluded.is_subsidiary,
       sort = excluded.sort, is_enable = excluded.is_enable, external = excluded.external`,
  );
  const drop = database.prepare('DELETE FROM organizations WHERE id = ?');
  const save = (each: Organization): void => {
    const { id, code, parent, name, location, remarks, contact, info, extension, sort } = each;
    const texts = [id, code, parent, name, location, remarks, contact, info, extension];
    upsert.run(...texts, Number(each.isSubsidiary), sort, Number(each.isEnable), Number(each.external));
  };
  return {
    all: () => all.all().map(readOrganization),
    withId: (id) => optional(byId.get(id)),
    withCode: (code) => optional(byCode.get(code)),
    add: (organization) => {
      const added = { id: ids.next(), ...organization };
      save(added);
      return added;
    },
    save,
    remove: (id) => {
      drop.run(id);
    },
    ...createMemberships(database),
  };
}

function createMemberships(
  database: Database,
): Pick<Organizations, 'memberships' | 'link' | 'unlink' | 'forget'> {
  const all = database.prepare('SELECT * FROM memberships ORDER BY row');
  const insert = database.prepare(
    `INSERT INTO memberships (organization, account, sort) VALUES (?, ?, ?)
     ON CONFLICT (organization, account) DO UPDATE SET sort = excluded.sort`,
  );
  const drop = database.prepare('DELETE FROM memberships WHERE organization = ? AND account = ?');
  const dropAll = database.prepare('DELETE FROM memberships WHERE account = ?');
  return {
    memberships: () => all.all().map(readMembership),
    link: ({ organization, account, sort }) => {
      insert.run(organization, account, sort);
    },
    unlink: (organization, account) => {
      drop.run(organization, account);
    },
    forget: (account) => {
      dropAll.run(account);
    },
  };
}

const readMembership = (row: Row): Membership => ({
  organization: textOf(row, 'organization'),
  account: textOf(row, 'account'),
  sort: numberOf(row, 'sort'),
});

const optional = (row: Row | undefined): Organization | undefined =>
  row === undefined ? undefined : readOrganization(row);

const textOrNull = (row: Row, column: string): string | null =>
  row[column] === null ? null : textOf(row, column);

const readOrganization = (row: Row): Organization => ({
  id: textOf(row, 'id'),
  code: textOf(row, 'code'),
  parent: textOrNull(row, 'parent'),
  name: textOf(row, 'name'),
  location: textOrNull(row, 'location'),
  remarks: textOrNull(row, 'remarks'),
  contact: textOrNull(row, 'contact'),
  info: textOrNull(row, 'info'),
  extension: textOrNull(row, 'extension'),
  isSubsidiary: row.is_subsidiary === 1,
  sort: numberOf(row, 'sort'),
  isEnable: row.is_enable === 1,
  external: row.external === 1,
});

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
