import { z } from 'zod';
import { anyText, coded, flag, number, raw, reportedCode, text } from '../wire/members.ts';

/** A user of the Open API (platform contract USR-1, USR-8). */

/** The platform's numbers for the gender (platform contract ENU-21). */
const GENDER = { female: 0, male: 1 } as const;

/** Fields that a user record and a user update have in common. */
export const userInfo = {
  realName: anyText('Real name'),
  spell: anyText('Spelling of the name'),
  serialNumber: anyText('Serial number of the user on the platform'),
  nickName: anyText('Nickname'),
  gender: coded(GENDER, 'Gender, as the platform stores it'),
  birthday: anyText('Birthday', { format: 'date' }),
  mobilePhone: anyText('Number of the mobile telephone'),
  email: anyText('E-mail address'),
  chatAccount: anyText('Messaging account of the user', { name: '{chatAccount}' }),
  avatar: anyText('Address of the picture of the user'),
  region: anyText('Region'),
  joinTime: anyText('When the person joined', { format: 'date' }),
  sort: number('Position of the user in lists'),
  enable: flag('Whether the user may sign in'),
  description: anyText('Description of the user'),
  external: flag('Whether the user is external'),
  officePhoneNumber: anyText('Number of the office telephone'),
  isIdp: flag('Whether the user comes from the identity provider', { name: 'is{IdpWord}' }),
};

const { realName: _name, gender: _gender, enable: _enable, ...others } = z.object(userInfo).partial().shape;
const { sort, external, isIdp, ...texts } = others;

/** A user as the platform returns it. Field names are recognized in any letter case (platform contract INC-4). */
export const userRecord = z.object({
  id: text('Account id').optional(),
  userId: text('User id').optional(),
  accountId: text('Account id, if the platform returns it separately').optional(),
  userName: anyText('User name').optional(),
  realName: anyText('Real name').optional(),
  ...texts,
  active: flag('Whether the account is active').optional(),
  enable: flag('Whether the user may sign in').optional(),
  external,
  isIdp,
  gender: reportedCode(GENDER, 'Gender, as the platform stores it').optional(),
  sort,
  created: anyText('When the user was created').optional(),
  modified: anyText('When the user was last changed').optional(),
  raw: raw(),
});
export type User = z.output<typeof userRecord>;
