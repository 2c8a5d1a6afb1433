import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { isFields, many } from '../shapes.ts';
import { answersMany, answersNothing, answersOne, answersPage } from '../wire/answers.ts';
import { wired } from '../wire/facts.ts';
import { anyText, flag, number, raw, text, texts } from '../wire/members.ts';
import { eitherOr, listing } from './shared.ts';

/** An organization in the tree, with all organizations below it (platform contract ORG-4). */
const nodeRecord = z.object({
  nodeId: text('Id of the organization'),
  nodeName: anyText('Name of the organization').optional(),
  parentNodeId: text('Id of the parent organization; -1 for an organization at the top level').optional(),
  code: anyText('Code of the organization').optional(),
  path: anyText(
    'Ids of the organizations on the way from the top level to this organization, separated by slashes',
  ).optional(),
  external: flag('Whether the organization is external', { aliases: ['isExternal'] }).optional(),
  sort: number('Position of the organization in lists').optional(),
  get childNodeList() {
    return z.array(nodeRecord).describe('Organizations below this one').default([]);
  },
});
export type OrgNode = z.output<typeof nodeRecord>;

const BASE = '/v1/openapi/organization';
const operation = operationsOf('orgs', 'open');

/**
 * Text fields of an organization. The capitals in their names follow the platform's documentation (platform contract
 * ORG-1, INC-16).
 */
const details = {
  location: anyText('Place of the organization').optional(),
  remarks: anyText('Remarks about the organization').optional(),
  contact: anyText('Contact of the organization').optional(),
  info: anyText('Information about the organization', { name: 'Info' }).optional(),
  extension: anyText('Extension of the record of the organization', { name: 'Extension' }).optional(),
};

/** Fields that a creation and an update have in common. */
const record = {
  name: text('Name of the organization'),
  parentId: text('Id of the parent organization; -1 puts the organization at the top level').optional(),
  parentCode: text('Code of the parent organization, instead of parentId').optional(),
  ...details,
};

/** Settings of a new organization, with their defaults. */
const createdSettings = {
  isSubsidiary: flag('Whether the organization is a subsidiary', { name: 'IsSubsidiary' }).default(false),
  sort: number('Position of the organization in lists').default(0),
  isEnable: flag('Whether the organization is enabled').default(false),
  external: flag('Whether the organization is external').default(false),
};

/**
 * Settings of an update and of a returned organization. They have no defaults, because a default would change the
 * organization.
 */
const settings = {
  isSubsidiary: flag('Whether the organization is a subsidiary', { name: 'IsSubsidiary' }).optional(),
  sort: number('Position of the organization in lists').optional(),
  isEnable: flag('Whether the organization is enabled', { aliases: ['enable'] }).optional(),
  external: flag('Whether the organization is external', { aliases: ['isExternal'] }).optional(),
};

const named = ({ parentId, parentCode }: { parentId?: unknown; parentCode?: unknown }) =>
  parentId !== undefined || parentCode !== undefined;
const NEEDS_PARENT = 'needs parentId or parentCode';

/** An organization as the platform returns it (platform contract ORG-9). */
const organization = z.object({
  id: text('Id of the organization').optional(),
  code: anyText('Code of the organization').optional(),
  parentId: text('Id of the parent organization').optional(),
  parentName: anyText('Name of the parent organization').optional(),
  name: anyText('Name of the organization').optional(),
  ...details,
  ...settings,
  raw: raw(),
});

/** Creates an organization (platform contract ORG-1). */
export const createOrg = operation({
  path: BASE,
  id: 'createOrg',
  command: 'create',
  doc: 'Creates an organization.',
  method: 'POST',
  request: z
    .strictObject({
      code: text('Code of the organization; no other organization may have this code'),
      ...record,
      ...createdSettings,
    })
    .refine(named, NEEDS_PARENT),
  ...answersOne(organization),
});

/** Updates an organization, given by id or code (platform contract ORG-2). */
export const updateOrg = operation({
  path: BASE,
  id: 'updateOrg',
  command: 'update',
  doc: 'Changes those fields of an organization that the request contains.',
  method: 'PUT',
  request: z
    .strictObject({
      id: text('Id by which the platform finds the organization').optional(),
      code: text('Code by which the platform finds the organization, instead of id').optional(),
      ...record,
      ...settings,
    })
    .refine(({ id, code }) => id !== undefined || code !== undefined, 'needs id or code')
    .refine(named, NEEDS_PARENT),
  ...answersOne(organization),
});

/** Deletes organizations by ids or by codes, never both in one call (platform contract ORG-3). */
export const deleteOrgs = operation({
  path: BASE,
  id: 'deleteOrgs',
  command: 'delete',
  doc: 'Permanently deletes organizations, named by their ids or by their codes.',
  method: 'DELETE',
  destroys: true,
  request: z.strictObject({
    organizations: eitherOr(
      'Ids or codes of the organizations; one list must not contain both ids and codes',
      { in: 'list' },
    ),
  }),
  ...answersNothing,
});

/** Reads the tree of internal or external organizations (platform contract ORG-4). */
export const orgTree = operation({
  id: 'orgTree',
  command: 'tree',
  doc: 'Reads the tree of the internal organizations or of the external organizations.',
  method: 'GET',
  path: `${BASE}/tree`,
  request: z.strictObject({
    external: flag(
      'true: the tree of the external organizations; false: the tree of the internal organizations',
    ).default(false),
  }),
  ...answersMany(nodeRecord),
});

/**
 * Lists the users of all organizations (platform contract ORG-5). The capitals in field names follow the platform's
 * documentation.
 */
export const pageOrgUsers = operation({
  method: 'POST',
  retry: 'read',
  id: 'pageOrgUsers',
  command: 'all-users',
  doc: 'Lists the users of all organizations. Each item is one user in one organization.',
  path: `${BASE}/getAllOrgUserPageList`,
  request: z.strictObject(listing),
  ...answersPage(
    z.object({
      userId: text('User id').optional(),
      account: anyText('User name').optional(),
      accountId: text('Account id').optional(),
      realName: anyText('Real name').optional(),
      organizationName: anyText('Name of the organization').optional(),
      organizationId: text('Id of the organization').optional(),
      organizationParentId: text('Id of the parent organization').optional(),
      email: anyText('E-mail address of the user', { name: 'Email' }).optional(),
      sort: number('Position of the user in lists', { name: 'Sort' }).optional(),
      external: flag('Whether the user is external', { name: 'External' }).optional(),
      raw: raw(),
    }),
  ),
});

/** Adds users to organizations, given as pairs (platform contract ORG-6). */
export const linkOrgUsers = operation({
  id: 'linkOrgUsers',
  command: 'add-users',
  doc: 'Adds users to organizations.',
  method: 'POST',
  path: `${BASE}/relationship`,
  request: z.strictObject({
    pairs: wired(
      z
        .array(
          z.strictObject({
            organizationId: text('Id of the organization'),
            userId: text('Id of the user'),
            sort: number('Position of the user in lists of the organization').default(0),
          }),
        )
        .min(1)
        .describe('Pairs of a user and the organization to which the user is added'),
      { in: 'list' },
    ),
  }),
  ...answersNothing,
});

/** Removes every listed user from every listed organization (platform contract ORG-7). */
export const unlinkOrgUsers = operation({
  id: 'unlinkOrgUsers',
  command: 'remove-users',
  doc: 'Removes every given user from every given organization.',
  method: 'DELETE',
  path: `${BASE}/relationship`,
  destroys: true,
  request: z.strictObject({
    organizationIds: texts('Ids of the organizations'),
    userIds: texts('Ids of the users'),
  }),
  ...answersNothing,
});

/** Documented names of the condition that the request must contain (platform contract ORG-8, INC-17). */
const FILTERS = ['OrganizationId', 'OrganizationCode'];

/** Lists the users of one organization, named by a condition (platform contract ORG-8). */
export const orgUserPages = operation({
  method: 'POST',
  retry: 'read',
  id: 'orgUserPages',
  command: 'users',
  doc: 'Lists the users of one organization. A condition must name the organization by OrganizationId or OrganizationCode.',
  path: `${BASE}/getUserPages`,
  request: z
    .strictObject(listing)
    .refine(
      ({ conditions = [] }) => conditions.some(({ fieldName }) => documentedFilter(fieldName) !== undefined),
      'conditions must filter by OrganizationId or OrganizationCode',
    ),
  adapt: (parts) => ({ ...parts, json: inDocumentedCase(parts.json) }),
  ...answersPage(
    z.object({
      id: text('User id').optional(),
      account: anyText('User name', { aliases: ['userName'] }).optional(),
      name: anyText('Real name', { aliases: ['realName'] }).optional(),
      ownerMainDepartment: anyText('Main organization of the user').optional(),
      sort: number('Position of the user in lists').optional(),
      status: flag('Whether the user may sign in').optional(),
      created: anyText('When the user was created', { aliases: ['create'] }).optional(),
      raw: raw(),
    }),
  ),
});

const documentedFilter = (name: string): string | undefined =>
  FILTERS.find((filter) => filter.toLowerCase() === name.toLowerCase());

/** Writes the name of the required condition with the documented capitals. */
function inDocumentedCase(json: unknown): unknown {
  if (!isFields(json)) return json;
  const conditions = many(json.conditions)
    .filter(isFields)
    .map((condition) => ({
      ...condition,
      fieldName: documentedFilter(String(condition.fieldName)) ?? condition.fieldName,
    }));
  return { ...json, conditions };
}
