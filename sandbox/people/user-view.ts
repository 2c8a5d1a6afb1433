import type { Options } from '../options.ts';
import { type Columns, shownRow } from './paging.ts';
import { single } from './parts.ts';
import { openNames } from './profile.ts';
import type { User } from './users.ts';

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** The members of a user (platform contract USR-8), by which listings are also filtered and sorted. */
export function userColumns(options: Options): Columns<User> {
  const names = openNames(options);
  return {
    id: (user) => user.id,
    userId: (user) => user.userId,
    accountId: (user) => user.id,
    userName: (user) => user.userName,
    realName: (user) => user.profile.realName,
    spell: (user) => user.profile.spell,
    serialNumber: (user) => user.profile.serialNumber,
    nickName: (user) => user.profile.nickName,
    gender: (user) => user.profile.gender,
    birthday: (user) => user.profile.birthday,
    mobilePhone: (user) => user.profile.mobilePhone,
    email: (user) => user.profile.email,
    [names.chatAccount]: (user) => user.profile.chatAccount,
    avatar: (user) => user.profile.avatar,
    region: (user) => user.profile.region,
    joinTime: (user) => user.profile.joinTime,
    sort: (user) => user.profile.sort,
    active: (user) => user.active,
    enable: (user) => user.enable,
    description: (user) => user.profile.description,
    external: (user) => user.profile.external,
    officePhoneNumber: (user) => user.profile.officePhoneNumber,
    [names.isIdp]: (user) => user.profile.isIdp,
    created: (user) => time(user.created),
    modified: (user) => time(user.modified),
  };
}

/** The details of one user: with initial capitals and in an array where the options say so (platform contract INC-4, GEN-14). */
export function userDetails(user: User, options: Options): unknown {
  const members = Object.entries(shownRow(user, userColumns(options)));
  const cased = options.userFieldCase === 'camel' ? members : members.map(capital);
  return single(options, Object.fromEntries(cased));
}

const capital = <T>([name, value]: readonly [string, T]): readonly [string, T] => [
  name.charAt(0).toUpperCase() + name.slice(1),
  value,
];
