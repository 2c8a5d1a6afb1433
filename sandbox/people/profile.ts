import type { Fields } from '../http/fields.ts';
import { flagMember, integerMember, member, textMember } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import type { Options } from '../options.ts';

/** The members of a user that are text or null (platform contract USR-8). */
export const PROFILE_TEXTS = [
  'spell',
  'serialNumber',
  'nickName',
  'birthday',
  'mobilePhone',
  'email',
  'chatAccount',
  'avatar',
  'region',
  'joinTime',
  'description',
  'officePhoneNumber',
] as const;

export type ProfileText = (typeof PROFILE_TEXTS)[number];

/** What a user says about themselves: everything of platform contract USR-8 but ids, names of accounts, switches and dates. */
export interface Profile extends Readonly<Record<ProfileText, string | null>> {
  readonly realName: string;
  /** 0 female, 1 male (platform contract ENU-21). */
  readonly gender: 0 | 1;
  readonly sort: number;
  /** False internal, true external (platform contract ENU-21). */
  readonly external: boolean;
  readonly isIdp: boolean;
}

/** A profile with the documented defaults (platform contract USR-1). */
export function plainProfile(realName: string): Profile {
  return {
    realName,
    spell: null,
    serialNumber: null,
    nickName: null,
    gender: 0,
    birthday: null,
    mobilePhone: null,
    email: null,
    chatAccount: null,
    avatar: null,
    region: null,
    joinTime: null,
    sort: 0,
    description: null,
    external: false,
    officePhoneNumber: null,
    isIdp: false,
  };
}

/** What this deployment calls the members whose names hold a vendor's word (platform contract GEN-15). */
export interface WireNames {
  readonly chatAccount: string;
  readonly isIdp: string;
}

export const openNames = ({ chatAccountField, idpWord }: Options): WireNames => ({
  chatAccount: chatAccountField.open,
  isIdp: `is${idpWord.charAt(0).toUpperCase()}${idpWord.slice(1)}`,
});

export const wireName = (names: WireNames, name: keyof Profile): string =>
  name === 'chatAccount' || name === 'isIdp' ? names[name] : name;

/** The profile in a request; what is absent gets its default. Refuses wrong types by the member's name. */
export function readProfile(fields: Fields, names: WireNames, userName: string): Profile {
  const gender = integerMember(fields, 'gender', 0);
  if (gender !== 0 && gender !== 1) throw declined('The parameter gender must be 0 or 1.');
  const plain = plainProfile(textMember(fields, 'realName') ?? userName);
  const texts = PROFILE_TEXTS.map((name) => [name, nullableText(fields, wireName(names, name))] as const);
  return {
    ...plain,
    ...Object.fromEntries(texts),
    gender,
    sort: integerMember(fields, 'sort', 0),
    external: flagMember(fields, 'external', false),
    isIdp: flagMember(fields, names.isIdp, false),
  };
}

/** Refuses an update that lacks a member, for it replaces the whole user (platform contract USR-2). Only texts may be null. */
export function requireWhole(fields: Fields, names: WireNames): void {
  const texts = ['realName', ...PROFILE_TEXTS.map((name) => wireName(names, name))];
  const others = ['active', 'enable', 'gender', 'sort', 'external', names.isIdp];
  const lacking = [
    ...texts.filter((name) => member(fields, name) === undefined),
    ...others.filter((name) => (member(fields, name) ?? null) === null),
  ];
  if (lacking.length > 0) throw declined(`Parameters are missing: ${lacking.join(', ')}.`);
}

/** Kept as it came: the empty text stays one. */
function nullableText(fields: Fields, name: string): string | null {
  const value = member(fields, name) ?? null;
  if (value !== null && typeof value !== 'string') throw declined(`The parameter ${name} must be a string.`);
  return value;
}
