import { TOP } from './organization-tree.ts';
import type { Organization } from './organizations.ts';
import type { Columns } from './paging.ts';
import type { PeopleParts } from './parts.ts';
import type { User } from './users.ts';

/** One membership with both of its sides. */
export interface Member {
  readonly user: User;
  readonly organization: Organization;
  /** Position within the organization. */
  readonly sort: number;
}

export function membersOf({ users, organizations }: PeopleParts): readonly Member[] {
  const people = new Map(users.all().map((user) => [user.id, user]));
  const places = new Map(organizations.all().map((each) => [each.id, each]));
  return organizations.memberships().flatMap(({ organization, account, sort }) => {
    const [user, place] = [people.get(account), places.get(organization)];
    return user === undefined || place === undefined ? [] : { user, organization: place, sort };
  });
}

/** What a listing shows, and by what else it is filtered and sorted. */
export interface MemberColumns {
  readonly shown: Columns<Member>;
  readonly all: Columns<Member>;
}

const hidden: Columns<Member> = {
  id: ({ user }) => user.id,
  created: ({ user }) => new Date(user.created).toISOString(),
  organizationId: ({ organization }) => organization.id,
  organizationCode: ({ organization }) => organization.code,
  organizationName: ({ organization }) => organization.name,
};

const withHidden = (shown: Columns<Member>): MemberColumns => ({ shown, all: { ...hidden, ...shown } });

/** Every membership, with the names and capitals of platform contract ORG-5. `External` is the user's (our choice). */
export const membershipColumns = withHidden({
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
});

/** The users of organizations (platform contract ORG-8). */
export function organizationUserColumns(parts: PeopleParts): MemberColumns {
  const departments = mainDepartments(parts);
  return withHidden({
    id: ({ user }) => user.id,
    account: ({ user }) => user.userName,
    name: ({ user }) => user.profile.realName,
    ownerMainDepartment: ({ user }) => departments.get(user.id) ?? null,
    sort: ({ sort }) => sort,
    status: ({ user }) => user.enable,
    created: ({ user }) => new Date(user.created).toISOString(),
  });
}

/** By account id: the name of the organization to which a user was linked first (our choice). */
function mainDepartments(parts: PeopleParts): ReadonlyMap<string, string> {
  return new Map(
    membersOf(parts)
      .toReversed()
      .map(({ user, organization }) => [user.id, organization.name]),
  );
}

/** The first membership of each user, in the given order. */
export const uniqueByUser = (members: readonly Member[]): readonly Member[] =>
  [...new Map(members.toReversed().map((each) => [each.user.id, each])).values()].toReversed();
