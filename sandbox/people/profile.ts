import { z } from 'zod';
import type { Fields } from '../http/json.ts';
import { declined } from '../http/reply.ts';
import { flag, integer, member, number, text, withFallback } from '../http/schema.ts';
import type { Options } from '../options.ts';
import { instantOf } from './conditions.ts';

/** The deployment's names for properties that contain a vendor's word (platform contract GEN-15). */
export type WireNames = Readonly<Record<'chatAccount' | 'isIdp', string>>;

export const openNames = ({ chatAccountField, idpWord }: Options): WireNames => ({
  chatAccount: chatAccountField.open,
  isIdp: `is${idpWord.charAt(0).toUpperCase()}${idpWord.slice(1)}`,
});

/** Schema of a text that may be null. An absent property becomes null; an empty text stays. */
const nullableText = (error = 'must be a string') => withFallback(z.string(error), null);

/** Schema of a date or a time in ISO 8601, an empty text or null (platform contract GEN-13: date-times). */
const date = nullableText().refine(
  (value) => !value || instantOf(value) !== undefined,
  'must be an ISO 8601 date or time',
);

/** Properties of a user that are a text or null (platform contract USR-8: user record). */
const texts = {
  spell: nullableText(),
  serialNumber: nullableText(),
  nickName: nullableText(),
  birthday: date,
  mobilePhone: nullableText(),
  email: nullableText(),
  avatar: nullableText(),
  region: nullableText(),
  joinTime: date,
  description: nullableText(),
  officePhoneNumber: nullableText(),
};

/**
 * Properties of a user's profile. Absent properties get their documented defaults (platform contract USR-1: creation).
 */
export const profileShape = ({ chatAccount, isIdp }: WireNames) => ({
  realName: text,
  ...texts,
  /** 0 for female, 1 for male (platform contract ENU-21). */
  gender: integer(0).pipe(z.literal([0, 1], 'must be 0 or 1')),
  sort: number(0),
  /** False for internal, true for external (platform contract ENU-21). */
  external: flag(false),
  chatAccount: nullableText(`The parameter "${chatAccount}" must be a string.`),
  isIdp: flag(false, `The parameter "${isIdp}" must be true or false.`),
});

export const profileMembers = z.keyof(z.object(profileShape({ chatAccount: '', isIdp: '' }))).options;

/** A user's profile: all properties of platform contract USR-8 except ids, account names, switches and dates. */
export type Profile = ReturnType<typeof plainProfile>;

export const plainProfile = (realName: string) => ({
  ...z.object(profileShape({ chatAccount: 'chatAccount', isIdp: 'isIdp' })).parse({}),
  realName,
});

/**
 * Refuses an update that lacks a property, because an update replaces the whole user (platform contract USR-2: update).
 * Only properties that contain a text may be null.
 */
export function requireWhole(fields: Fields, { chatAccount, isIdp }: WireNames): void {
  const lacking = [
    ...['realName', ...Object.keys(texts), chatAccount].filter((name) => member(fields, name) === undefined),
    ...['active', 'enable', 'gender', 'sort', 'external', isIdp].filter(
      (name) => (member(fields, name) ?? null) === null,
    ),
  ];
  if (lacking.length > 0) throw declined(`Parameters are missing: ${lacking.join(', ')}.`);
}
