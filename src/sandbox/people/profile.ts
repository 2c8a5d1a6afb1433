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
