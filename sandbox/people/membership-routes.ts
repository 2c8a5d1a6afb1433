import { operations, type Route } from '../http/operation.ts';
import { declined } from '../http/reply.ts';
import { codes, listOf, number, record, requiredCode } from '../http/schema.ts';
import { changePeople, type PeopleDeps } from './deps.ts';
import { type Organization, TOP } from './organizations.ts';
import { type Columns, matching, pageReply, pageRequest } from './paging.ts';
import type { User } from './users.ts';

const PATH = '/v1/openapi/organization';

/** Routes of the members of organizations (platform contract ORG-5 to ORG-8: members). */
export function membershipRoutes(deps: PeopleDeps): readonly Route[] {
  const { gatekeeper, organizations, users } = deps;
  const read = operations('open', gatekeeper.openAccount);
  const write = operations('open', gatekeeper.administrator('to write organizations'));
  return [
    read('pageOrgUsers', `POST ${PATH}/getAllOrgUserPageList`, pageRequest, ({ body }) =>
      pageReply(membersOf(deps), body, { ...hidden, ...membershipColumns }, membershipColumns),
    ),
    // Lists the users of the organizations that the conditions name, each user once. Refuses a request without a
    // condition on organizations.
    read('orgUserPages', `POST ${PATH}/getUserPages`, pageRequest, ({ body }) => {
      if (!body.conditions.some(({ fieldName }) => /^organization(id|code)$/i.test(fieldName))) {
        throw declined('The conditions must filter by OrganizationId or OrganizationCode.');
      }
      const visible = organizationUserColumns(deps);
      const all = { ...hidden, ...visible };
      const users = uniqueByUser(matching(membersOf(deps), all, body));
      return pageReply(users, { ...body, conditions: [] }, all, visible);
    }),
    // These operations are documented for ids only, so a code counts as unknown.
    write('linkOrgUsers', `POST ${PATH}/relationship`, listOf(relationship), ({ body }) => {
      const links = body.map(({ organizationId, userId, sort }) => ({
        organization: organizations.need(organizationId).id,
        account: users.need(userId).id,
        sort,
      }));
      changePeople(deps, () => links.forEach(organizations.link));
    }),
    write('unlinkOrgUsers', `DELETE ${PATH}/relationship`, unlinked, ({ body }) => {
      const ids = body.organizationIds.map((id) => organizations.need(id).id);
      const accounts = body.userIds.map((id) => users.need(id).id);
      changePeople(deps, () => {
        for (const id of ids) for (const account of accounts) organizations.unlink(id, account);
      });
    }),
  ];
}

const relationship = record(
  { organizationId: requiredCode, userId: requiredCode, sort: number(0) },
  'A relationship must be an object.',
);
const unlinked = record({ organizationIds: codes, userIds: codes });

/** A membership, with its user and its organization. */
interface Member {
  readonly user: User;
  readonly organization: Organization;
  /** Position of the user in the organization's lists. */
  readonly sort: number;
}

function membersOf({ users, organizations }: PeopleDeps): readonly Member[] {
  const people = new Map(users.list().map((user) => [user.id, user]));
  const places = new Map(organizations.list().map((each) => [each.id, each]));
  return organizations.memberships().flatMap(({ organization, account, sort }) => {
    const [user, place] = [people.get(account), places.get(organization)];
    return user === undefined || place === undefined ? [] : { user, organization: place, sort };
  });
}

/** Columns that lists do not show. They serve only for filtering and sorting. */
const hidden: Columns<Member> = {
  id: ({ user }) => user.id,
  created: ({ user }) => new Date(user.created).toISOString(),
  organizationId: ({ organization }) => organization.id,
  organizationCode: ({ organization }) => organization.code,
  organizationName: ({ organization }) => organization.name,
};

/**
 * Columns of memberships, with names and capitals as in platform contract ORG-5. `External` says whether the user is
 * external; this meaning is the sandbox's choice.
 */
const membershipColumns: Columns<Member> = {
  userId: ({ user }) => user.userId,
  account: ({ user }) => user.userName,
  accountId: ({ user }) => user.id,
  realName: ({ user }) => user.profile.realName,
  organizationName: ({ organization }) => organization.name,
  organizationId: ({ organization }) => organization.id,
  organizationParentId: ({ organization }) => organization.parent ?? TOP,
  Email: ({ user }) => user.profile.email,
  Sort: ({ sort }) => sort,
  External: ({ user }) => user.profile.external,
};

/** Returns the columns for lists of an organization's users (platform contract ORG-8: users of one organization). */
function organizationUserColumns(deps: PeopleDeps): Columns<Member> {
  // Name of each user's first organization, by account id. Taking the first one is the sandbox's choice.
  const departments = new Map(
    membersOf(deps)
      .toReversed()
      .map(({ user, organization }) => [user.id, organization.name]),
  );
  return {
    id: ({ user }) => user.id,
    account: ({ user }) => user.userName,
    name: ({ user }) => user.profile.realName,
    ownerMainDepartment: ({ user }) => departments.get(user.id) ?? null,
    sort: ({ sort }) => sort,
    status: ({ user }) => user.enable,
    created: ({ user }) => new Date(user.created).toISOString(),
  };
}

/** Returns each user's first membership, without changing the order. */
const uniqueByUser = (members: readonly Member[]): readonly Member[] =>
  [...new Map(members.toReversed().map((each) => [each.user.id, each])).values()].toReversed();
