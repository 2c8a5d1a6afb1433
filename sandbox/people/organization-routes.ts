import { z } from 'zod';
import type { Fields } from '../http/json.ts';
import { noBody, operations, type Route } from '../http/operation.ts';
import { declined, openReply, type Reply } from '../http/reply.ts';
import {
  anyBody,
  code,
  declinedBy,
  flag,
  number,
  parse,
  record,
  requiredText,
  someCodesBody,
} from '../http/schema.ts';
import { changePeople, type PeopleDeps, single } from './deps.ts';
import {
  depth,
  lineage,
  MAX_LEVELS,
  type Organization,
  organizationTree,
  plainOrganization,
  TOP,
} from './organizations.ts';
import { withTexts } from './paging.ts';

const PATH = '/v1/openapi/organization';

/** Routes of organizations (platform contract ORG-1 to ORG-4, ORG-9: organizations). */
export function organizationRoutes(deps: PeopleDeps): readonly Route[] {
  const { gatekeeper, organizations } = deps;
  const read = operations('open', gatekeeper.openAccount);
  const write = operations('open', gatekeeper.administrator('to write organizations'));
  const created = record({ code: requiredText, ...shapeOf(plainOrganization) });
  return [
    write('createOrg', `POST ${PATH}`, created, ({ body }) => details(deps, createOrganization(deps, body))),
    write('updateOrg', `PUT ${PATH}`, anyBody, ({ body }) => details(deps, changeOrganization(deps, body))),
    write('deleteOrgs', `DELETE ${PATH}`, someCodesBody, ({ body }) => {
      removeOrganizations(deps, organizations.pickAll(body));
    }),
    read('orgTree', `GET ${PATH}/tree`, noBody, ({ call }) => {
      const external = (call.query.get('external') ?? 'false').toLowerCase();
      if (!/^(true|false)$/.test(external)) throw declined('The parameter "external" must be true or false.');
      return openReply(organizationTree(organizations.list(), external === 'true'));
    }),
  ];
}

/**
 * Schemas of all properties except id and code. An absent property gets its value from `before`, which contains the
 * defaults for a new organization. Null and an empty text clear a text; a flag or a number that is null counts as
 * absent.
 */
const shapeOf = (before: typeof plainOrganization) => ({
  name: requiredText,
  parentId: code,
  parentCode: code,
  location: textOr(before.location),
  remarks: textOr(before.remarks),
  contact: textOr(before.contact),
  Info: textOr(before.info),
  Extension: z
    .union([z.string(), z.int().transform(String)], 'must be a string')
    .nullish()
    .transform((value) => (value === undefined ? before.extension : value)),
  IsSubsidiary: flag(before.isSubsidiary),
  sort: number(before.sort),
  isEnable: flag(before.isEnable),
  external: flag(before.external),
});

const textOr = (before: string | null) =>
  z
    .string('must be a string')
    .nullish()
    .transform((value) => (value === undefined ? before : value || null));

type Wanted = z.output<z.ZodObject<ReturnType<typeof shapeOf>>>;

function resolved(deps: PeopleDeps, wanted: Wanted): Omit<Organization, 'id' | 'code'> {
  const { parentId, parentCode, Info, Extension, IsSubsidiary, ...rest } = wanted;
  const parent = parentOf(deps, parentId, parentCode);
  return { ...rest, parent, info: Info, extension: Extension, isSubsidiary: IsSubsidiary };
}

/** Adds an organization below another one, or at the top if the parent is -1 (platform contract ORG-1: creation). */
function createOrganization(deps: PeopleDeps, body: Wanted & { readonly code: string }): Organization {
  const wanted = { ...resolved(deps, body), code: body.code };
  return changePeople(deps, () => {
    deps.organizations.refuseTaken(body.code);
    const added = deps.organizations.add(wanted);
    refuseDepth(deps);
    return added;
  });
}

const locator = record({ id: code, code });

/**
 * Changes the properties that the request contains. Absent properties stay unchanged, because the platform does not say
 * what happens to them. If the request has both `id` and `code`, `code` is the new code (platform contract ORG-2:
 * update).
 */
function changeOrganization(deps: PeopleDeps, fields: Fields): Organization {
  const { organizations } = deps;
  const { id, code: named } = parse(locator, fields, declinedBy);
  if (id === undefined && named === undefined) throw declined('One of the parameters id and code is needed.');
  const old = organizations.locate(id, named);
  const wanted = parse(record(shapeOf(old)), fields, declinedBy);
  const changed = { ...resolved(deps, wanted), id: old.id, code: named ?? old.code };
  return changePeople(deps, () => {
    organizations.refuseTaken(changed.code, old.id);
    if (changed.parent !== null && lineage(changed.parent, byId(deps)).includes(old.id)) {
      throw declined(`The organization ${old.code} cannot be moved below itself.`);
    }
    organizations.save(changed);
    refuseDepth(deps);
    return changed;
  });
}

/**
 * Removes organizations. Refuses if one of them has members, or has an organization below it that is not removed too
 * (platform contract ORG-3: deletion).
 */
function removeOrganizations(deps: PeopleDeps, gone: readonly Organization[]): void {
  const { organizations } = deps;
  const ids = new Set(gone.map((each) => each.id));
  changePeople(deps, () => {
    const remaining = organizations.list().filter((each) => !ids.has(each.id));
    const parents = new Set(remaining.map((each) => each.parent));
    const inhabited = new Set(organizations.memberships().map((each) => each.organization));
    for (const { id, code: name } of gone) {
      if (parents.has(id)) throw declined(`The organization ${name} has organizations below it.`);
      if (inhabited.has(id)) throw declined(`The organization ${name} has members.`);
      organizations.remove(id);
    }
  });
}

/**
 * Returns the parent's id. If the parent is given by id and by code, refuses unless both name the same organization.
 */
function parentOf(
  { organizations }: PeopleDeps,
  id: string | undefined,
  named: string | undefined,
): string | null {
  if (id === undefined && named === undefined) {
    throw declined('One of the parameters parentId and parentCode is needed.');
  }
  if (id === TOP && named === undefined) return null;
  const parent = organizations.locate(id, named);
  if (named !== undefined && named !== parent.code) {
    throw declined('The parameters parentId and parentCode name different organizations.');
  }
  return parent.id;
}

function refuseDepth(deps: PeopleDeps): void {
  if (depth(byId(deps)) > MAX_LEVELS) {
    throw declined(`Organizations nest at most ${MAX_LEVELS} levels deep.`);
  }
}

const byId = ({ organizations }: PeopleDeps): ReadonlyMap<string, Organization> =>
  new Map(organizations.list().map((each) => [each.id, each]));

/** Replies with an organization's details, under the documented names and capitals (platform contract INC-16). */
function details({ organizations, options }: PeopleDeps, organization: Organization): Reply {
  const { parent, info: Info, extension: Extension, isSubsidiary: IsSubsidiary, ...rest } = organization;
  const above = parent === null ? undefined : organizations.withId(parent);
  const place = { parentId: parent ?? TOP, parentName: above?.name ?? null };
  return openReply(single(options, withTexts({ ...rest, ...place, Info, Extension, IsSubsidiary })));
}
