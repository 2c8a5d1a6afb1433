import type { Options } from '../options.ts';
import { type PeopleDeps, single } from './deps.ts';
import { type Columns, shownRow, withTexts } from './paging.ts';
import { openNames, profileMembers } from './profile.ts';
import type { User } from './users.ts';

/**
 * Returns the columns of users (platform contract USR-8: user record). Lists show these columns, and can be filtered
 * and sorted by them.
 */
export function userColumns(options: Options): Columns<User> {
  const names: Readonly<Record<string, string>> = openNames(options);
  const named = (member: string) => names[member] ?? member;
  return {
    id: (user) => user.id,
    userId: (user) => user.userId,
    accountId: (user) => user.id,
    userName: (user) => user.userName,
    ...Object.fromEntries(profileMembers.map((name) => [named(name), (user: User) => user.profile[name]])),
    active: (user) => user.active,
    enable: (user) => user.enable,
    created: (user) => time(user.created),
    modified: (user) => time(user.modified),
  };
}

/**
 * Returns one user's details. Options decide whether names have initial capitals (platform contract INC-4), and whether
 * the details are inside an array (GEN-14).
 */
export function userDetails(user: User, options: Options): unknown {
  const members = Object.entries(shownRow(user, userColumns(options)));
  const cased = options.userFieldCase === 'camel' ? members : members.map(capital);
  return single(options, Object.fromEntries(cased));
}

const capital = <T>([name, value]: readonly [string, T]): readonly [string, T] => [
  name.charAt(0).toUpperCase() + name.slice(1),
  value,
];

const time = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();

/**
 * Returns a user's complete record in the lite interface (platform contract ADM-2: user record). All times are UTC, so
 * `time_difference` is 0.
 */
export function liteUser(deps: PeopleDeps, user: User): unknown {
  const { chatAccountField, idpWord } = deps.options;
  const { profile } = user;
  const roles = deps.roles.of(user.id);
  return withTexts({
    id: user.userId,
    username: user.userName,
    email: profile.email,
    real_name: profile.realName,
    nickname: profile.nickName,
    is_superuser: roles.some((role) => role.administers),
    avatar: profile.avatar,
    enable: user.enable,
    [`is_${idpWord}`]: profile.isIdp,
    serial_number: profile.serialNumber,
    created_at: time(user.created),
    updated_at: time(user.modified),
    last_login: time(user.lastLogin),
    birthday: profile.birthday,
    join_time: profile.joinTime,
    roles: roles.map((role) => ({ id: role.id, name: role.name })),
    user_roles: roles.map((role) => ({ user_id: user.userId, role_id: role.id })),
    organizations: organizationsOf(deps, user),
    gender: profile.gender,
    [chatAccountField.lite]: profile.chatAccount,
    region: profile.region,
    office_phone: profile.officePhoneNumber,
    mobile_phone: profile.mobilePhone,
    description: profile.description,
    time_difference: 0,
  });
}

const organizationsOf = ({ organizations }: PeopleDeps, user: User) =>
  organizations
    .memberships()
    .filter(({ account }) => account === user.id)
    .flatMap(({ organization }) => organizations.withId(organization) ?? [])
    .map(({ id, code, name }) => ({ id, code, name }));
