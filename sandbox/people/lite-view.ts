import { withTexts } from './paging.ts';
import type { PeopleParts } from './parts.ts';
import type { User } from './users.ts';

const time = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '' : new Date(milliseconds).toISOString();

/** The whole record of a user of the lite interface (platform contract ADM-2). Times are UTC, so is `time_difference` 0. */
export function liteUser(parts: PeopleParts, user: User): unknown {
  const { chatAccountField, idpWord } = parts.options;
  const { profile } = user;
  const roles = parts.roles.of(user.id);
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
    organizations: organizationsOf(parts, user),
    gender: profile.gender,
    [chatAccountField.lite]: profile.chatAccount,
    region: profile.region,
    office_phone: profile.officePhoneNumber,
    mobile_phone: profile.mobilePhone,
    description: profile.description,
    time_difference: 0,
  });
}

const organizationsOf = ({ organizations }: PeopleParts, user: User) =>
  organizations
    .memberships()
    .filter(({ account }) => account === user.id)
    .flatMap(({ organization }) => organizations.withId(organization) ?? [])
    .map(({ id, code, name }) => ({ id, code, name }));
