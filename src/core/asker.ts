/**
 * Names the account of a person whose own token an agent uses. The platform does not say which account a token belongs
 * to. The name therefore contains the person's ids, so that two people never share an account, a platform token or a
 * conversation, even if they have the same name.
 */

import { BridgeError } from '../errors.ts';
import type { ThreadRef } from './message.ts';

/** The person behind an account. */
export interface Asker extends Pick<ThreadRef, 'channel' | 'tenant'> {
  /** The channel's id of the person. */
  readonly person: string;
}

/** Maximum length of the readable part of the name, in UTF-16 units. */
const NAME_CHARS = 100;

/** Matches a name that `askerAccount` made: the readable part, then channel, workspace and person. */
const ASKER = /^(?<name>.*) \((?<ids>[^ ()/]+\/[^ ()/]+\/[^ ()/]+)\)$/u;

/** Returns the account's name, such as `ada@example.org (teams/TENANT/PERSON)`. @param name a claim of the token */
export function askerAccount(name: string, { channel, tenant, person }: Asker): string {
  const readable = name.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '').trim();
  const ids = [channel, tenant, person].map(encoded).join('/');
  return `${readable.slice(0, NAME_CHARS).toWellFormed()} (${ids})`;
}

/** True if the name has the form that `askerAccount` makes. */
export const hasAskerForm = (account: string): boolean => ASKER.test(account);

/**
 * Returns the person whose ids the account's name contains; undefined if the platform itself chose the name.
 * @throws BridgeError `data-corrupt` if the name has the form that `askerAccount` makes, but its ids are damaged. Such
 * an account belongs to no known person, and the platform did not choose its name.
 */
export function askerOf(account: string): Asker | undefined {
  const ids = ASKER.exec(account)?.groups?.ids?.split('/');
  const [channel, tenant, person] = ids?.map(decoded) ?? [];
  return channel === undefined || tenant === undefined || person === undefined
    ? undefined
    : { channel, tenant, person };
}

/** Returns the account's name without the ids, for people. */
export const accountTitle = (account: string): string => ASKER.exec(account)?.groups?.name ?? account;

function decoded(id: string): string {
  try {
    const text = decodeURIComponent(id);
    if (encoded(text) === id) return text;
  } catch {
    // The error below says more.
  }
  throw new BridgeError(
    'data-corrupt',
    'The name of an account contains ids of a person that cannot be read.',
  );
}

const encoded = (id: string): string =>
  encodeURIComponent(id).replace(/[()]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
