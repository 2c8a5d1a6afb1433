import type { Call } from '../http/call.ts';
import { codeMember, codesMember, findOne } from '../http/codes.ts';
import { asFields } from '../http/fields.ts';
import { arrayBody, integerMember, objectBody } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { membershipColumns, membersOf, organizationUserColumns, uniqueByUser } from './membership-view.ts';
import type { Membership } from './organizations.ts';
import { matching, pagedReply, pageOf, readPageRequest, shownRow } from './paging.ts';
import { changePeople, type PeopleParts } from './parts.ts';

const PATH = '/v1/openapi/organization';
const PERMISSION = 'to write organizations';

/** Who belongs to which organization (platform contract ORG-5 to ORG-8). */
export const membershipRoutes = (parts: PeopleParts): readonly Route[] => [
  ...listingRoutes(parts),
  ...relationshipRoutes(parts),
];

function listingRoutes(parts: PeopleParts): readonly Route[] {
  const { gatekeeper } = parts;
  return [
    {
      id: 'pageOrgUsers',
      method: 'POST',
      path: `${PATH}/getAllOrgUserPageList`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAccount(call);
        const request = readPageRequest(await objectBody(call));
        const { rows, totalCount } = pageOf(membersOf(parts), membershipColumns.all, request);
        const data = rows.map((row) => shownRow(row, membershipColumns.shown));
        return pagedReply(data, totalCount, request);
      },
    },
    {
      id: 'orgUserPages',
      method: 'POST',
      path: `${PATH}/getUserPages`,
      face: 'open',
      handle: (call) => organizationUsers(parts, call),
    },
  ];
}

/** The users of the organizations that the conditions name, each once; without such a condition it is refused. */
async function organizationUsers(parts: PeopleParts, call: Call): Promise<Reply> {
  parts.gatekeeper.openAccount(call);
  const request = readPageRequest(await objectBody(call));
  if (!request.conditions.some(({ fieldName }) => /^organization(id|code)$/i.test(fieldName))) {
    throw declined('The conditions must filter by OrganizationId or OrganizationCode.');
  }
  const { shown, all } = organizationUserColumns(parts);
  const users = uniqueByUser(matching(membersOf(parts), all, request));
  const { rows, totalCount } = pageOf(users, all, { ...request, conditions: [] });
  const data = rows.map((row) => shownRow(row, shown));
  return pagedReply(data, totalCount, request);
}

function relationshipRoutes(parts: PeopleParts): readonly Route[] {
  const { gatekeeper, organizations } = parts;
  return [
    {
      id: 'linkOrgUsers',
      method: 'POST',
      path: `${PATH}/relationship`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAdministrator(call, PERMISSION);
        const links = (await arrayBody(call)).map((each) => readMembership(parts, each));
        changePeople(parts, () => links.forEach(organizations.link));
        return openReply(null);
      },
    },
    {
      id: 'unlinkOrgUsers',
      method: 'DELETE',
      path: `${PATH}/relationship`,
      face: 'open',
      handle: async (call) => {
        gatekeeper.openAdministrator(call, PERMISSION);
        const fields = await objectBody(call);
        const ids = codesMember(fields, 'organizationIds').map((id) => organizationId(parts, id));
        const accounts = codesMember(fields, 'userIds').map((id) => accountId(parts, id));
        changePeople(parts, () => {
          for (const id of ids) for (const account of accounts) organizations.unlink(id, account);
        });
        return openReply(null);
      },
    },
  ];
}

function readMembership(parts: PeopleParts, value: unknown): Membership {
  const fields = asFields(value);
  if (fields === undefined) throw declined('A relationship must be an object.');
  const organization = codeMember(fields, 'organizationId');
  const user = codeMember(fields, 'userId');
  if (organization === undefined) throw declined('The parameter organizationId is missing.');
  if (user === undefined) throw declined('The parameter userId is missing.');
  return {
    organization: organizationId(parts, organization),
    account: accountId(parts, user),
    sort: integerMember(fields, 'sort', 0),
  };
}

/** Here only ids are documented, so a code or a user name is unknown. */
const organizationId = ({ organizations }: PeopleParts, id: string): string =>
  findOne(id, { noun: 'organization', withId: organizations.withId, named: () => undefined }).id;

const accountId = ({ users }: PeopleParts, id: string): string =>
  findOne(id, { noun: 'user', withId: users.withId, named: () => undefined }).id;
