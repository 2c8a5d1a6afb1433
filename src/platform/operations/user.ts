import { z } from 'zod';
import { anyText, coded, flag, number, raw, reportedCode, text } from '../wire/members.ts';

/** A user of the Open API (platform contract USR-1, USR-8). */

/** Platform contract ENU-21. */
const GENDER = { female: 0, male: 1 } as const;

const some = (doc: string) => anyText(doc);

/** The members that a user's record and its update share, with their documented defaults where there are any. */
export const userInfo = {
  realName: some('Real name; the user name unless given'),
  spell: some('Spelling of the name'),
  serialNumber: some('Serial number'),
  nickName: some('Nickname'),
  gender: coded(GENDER, 'Gender as the platform keeps it'),
  birthday: some('Birthday'),
  mobilePhone: some('Mobile telephone'),
  email: some('E-mail address'),
  chatAccount: anyText('Messaging account', { name: '{chatAccount}' }),
  avatar: some('Address of the picture'),
  region: some('Region'),
  joinTime: some('When the person joined'),
  sort: number('Place in lists'),
  enable: flag('Whether the user may sign in; false unless given'),
  description: some('Description'),
  external: flag('Whether the person is from outside'),
  officePhoneNumber: some('Office telephone'),
  isIdp: flag('Whether the user comes from the identity provider', { name: 'is{IdpWord}' }),
};

/** A user as the platform tells it; members are found whatever the case of their names (platform contract INC-4). */
export const userRecord = z.object({
  id: text('Account id').optional(),
  userId: text('User id').optional(),
  accountId: text('Account id, where the platform tells it apart').optional(),
  userName: anyText('User name').optional(),
  realName: anyText('Real name').optional(),
  spell: anyText('Spelling of the name').optional(),
  serialNumber: anyText('Serial number').optional(),
  nickName: anyText('Nickname').optional(),
  birthday: anyText('Birthday').optional(),
  mobilePhone: anyText('Mobile telephone').optional(),
  email: anyText('E-mail address').optional(),
  chatAccount: anyText('Messaging account', { name: '{chatAccount}' }).optional(),
  avatar: anyText('Address of the picture').optional(),
  region: anyText('Region').optional(),
  joinTime: anyText('When the person joined').optional(),
  description: anyText('Description').optional(),
  officePhoneNumber: anyText('Office telephone').optional(),
  active: flag('Whether the account is active').optional(),
  enable: flag('Whether the user may sign in').optional(),
  external: flag('Whether the person is from outside').optional(),
  isIdp: flag('Whether the user comes from the identity provider', { name: 'is{IdpWord}' }).optional(),
  gender: reportedCode(GENDER, 'Gender as the platform keeps it').optional(),
  sort: number('Place in lists').optional(),
  created: anyText('When it was created').optional(),
  modified: anyText('When it was changed').optional(),
  raw: raw(),
});
export type User = z.output<typeof userRecord>;
