import { codeMember } from '../http/codes.ts';
import { type Fields, idText } from '../http/fields.ts';
import { flagMember, integerMember, member, requiredMember, textMember } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { depth, LEVELS_TAKEN, lineage, TOP } from './organization-tree.ts';
import type { Organization } from './organizations.ts';
import { changePeople, type PeopleParts } from './parts.ts';

/** Adds an organization below another, or at the top when the parent is -1 (platform contract ORG-1). */
export function createOrganization(parts: PeopleParts, fields: Fields): Organization {
  const code = requiredMember(fields, 'code');
  const wanted = { ...readOrganization(parts, fields), code };
  return changePeople(parts, () => {
    refuseDuplicate(parts, code, undefined);
    const added = parts.organizations.add(wanted);
    refuseDepth(parts);
    return added;
  });
}

/**
 * Changes the members that are given; a `code` beside an `id` is the new code (platform contract ORG-2). What an absent
 * member means is not specified: it stays as it is.
 */
export function changeOrganization(parts: PeopleParts, fields: Fields): Organization {
  const old = locate(parts, fields);
  const code = codeMember(fields, 'code') ?? old.code;
  const changed = { ...readOrganization(parts, fields, old), id: old.id, code };
  return changePeople(parts, () => {
    refuseDuplicate(parts, code, old.id);
    if (changed.parent !== null && lineage(changed.parent, byId(parts)).includes(old.id)) {
      throw declined(`The organization ${old.code} cannot be moved below itself.`);
    }
    parts.organizations.save(changed);
    refuseDepth(parts);
    return changed;
  });
}

/** Removes organizations that hold nothing but each other (platform contract ORG-3). */
export function removeOrganizations(parts: PeopleParts, gone: readonly Organization[]): void {
  const { organizations } = parts;
  const ids = new Set(gone.map((each) => each.id));
  changePeople(parts, () => {
    const kept = organizations.all().filter((each) => !ids.has(each.id));
    const parents = new Set(kept.map((each) => each.parent));
    const inhabited = new Set(organizations.memberships().map((each) => each.organization));
    for (const { id, code } of gone) {
      if (parents.has(id)) throw declined(`The organization ${code} has organizations below it.`);
      if (inhabited.has(id)) throw declined(`The organization ${code} has members.`);
      organizations.remove(id);
    }
  });
}

type Settings = Omit<Organization, 'id' | 'code' | 'parent' | 'name'>;

/** The documented defaults of a new organization. */
export const DEFAULTS: Settings = {
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

/** All members but id and code. Absent members keep their value, or get their default. */
function readOrganization(
  parts: PeopleParts,
  fields: Fields,
  before: Settings = DEFAULTS,
): Omit<Organization, 'id' | 'code'> {
  const text = (name: string, old: string | null) =>
    member(fields, name) === undefined ? old : (textMember(fields, name) ?? null);
  return {
    parent: readParent(parts, fields),
    name: requiredMember(fields, 'name'),
    location: text('location', before.location),
    remarks: text('remarks', before.remarks),
    contact: text('contact', before.contact),
    info: text('Info', before.info),
    extension: idText(member(fields, 'Extension')) ?? text('Extension', before.extension),
    isSubsidiary: flagMember(fields, 'IsSubsidiary', before.isSubsidiary),
    sort: integerMember(fields, 'sort', before.sort),
    isEnable: flagMember(fields, 'isEnable', before.isEnable),
    external: flagMember(fields, 'external', before.external),
  };
}

/** The id of the organization above, from `parentId` or `parentCode`; where both are given they must agree. */
function readParent({ organizations }: PeopleParts, fields: Fields): string | null {
  const id = codeMember(fields, 'parentId');
  const code = codeMember(fields, 'parentCode');
  if (id === undefined && code === undefined) {
    throw declined('One of the parameters parentId and parentCode is missing.');
  }
  if (id === TOP && code === undefined) return null;
  const parent = id === undefined ? organizations.withCode(code ?? '') : organizations.withId(id);
  if (parent === undefined) throw declined(`The organization ${id ?? code} above it is unknown.`);
  if (code !== undefined && code !== parent.code) {
    throw declined('The parameters parentId and parentCode name different organizations.');
  }
  return parent.id;
}

function locate({ organizations }: PeopleParts, fields: Fields): Organization {
  const id = codeMember(fields, 'id');
  const code = codeMember(fields, 'code');
  if (id === undefined && code === undefined) throw declined('One of the parameters id and code is missing.');
  const found = id === undefined ? organizations.withCode(code ?? '') : organizations.withId(id);
  if (found === undefined) throw declined(`The organization ${id ?? code} is unknown.`);
  return found;
}

function refuseDuplicate({ organizations }: PeopleParts, code: string, id: string | undefined): void {
  const other = organizations.withCode(code);
  if (other !== undefined && other.id !== id) throw declined(`The code ${code} is already in use.`);
}

function refuseDepth(parts: PeopleParts): void {
  if (depth(byId(parts)) > LEVELS_TAKEN) {
    throw declined(`Organizations nest at most ${LEVELS_TAKEN} levels deep.`);
  }
}

const byId = ({ organizations }: PeopleParts): ReadonlyMap<string, Organization> =>
  new Map(organizations.all().map((each) => [each.id, each]));
