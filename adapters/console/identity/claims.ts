/** Converts the claims of an identity provider into a person of the console. Pure. */

import { createHash } from 'node:crypto';
import { foldedEmail, hides, isVisible } from '../../../src/kit/ladder.ts';
import { BridgeError, defined } from '../../../src/kit.ts';
import type { ConsolePerson, SignInConfig } from '../config.ts';

/** Maximum UTF-16 units of a name, of an e-mail address, and of the name of a group. */
const NAME_CHARS = 80;
const EMAIL_CHARS = 254;
const GROUP_CHARS = 256;
/** Maximum groups of one person. */
const GROUPS = 1_000;

export type Claims = Readonly<Record<string, unknown>>;
type ClaimNames = Pick<SignInConfig, 'claims' | 'trustEmail'>;

/**
 * Returns the id of a person: a hash of issuer and subject, because only both together are unique and never assigned
 * to another person.
 */
export function personId(issuer: string, subject: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');
  return `u_${hash.slice(0, 32)}`;
}

/**
 * Returns the person whom the claims describe.
 * @throws BridgeError `sign-in-refused` if a claim is missing or has the wrong type
 */
export function readPerson(id: string, all: Claims, { claims, trustEmail }: ClaimNames): ConsolePerson {
  const email = readEmail(all, claims.email, trustEmail);
  const groups = claims.groups === undefined ? undefined : readGroups(all, claims.groups);
  return {
    id,
    name: readName(all, claims.name),
    title: email ?? '',
    ...defined({ email, groups }),
  };
}

/** True if the claims contain everything that the configuration names, so userinfo need not be requested. */
export function isComplete(all: Claims, { claims }: ClaimNames): boolean {
  return [claims.name, claims.email, claims.groups].every((name) => name === undefined || name in all);
}

function readName(all: Claims, claim: string): string {
  const name = all[claim];
  if (name === undefined) throw missing(claim, 'name');
  if (typeof name !== 'string' || !isVisible(name)) {
    throw wrong(claim, 'a text with letters and without invisible characters');
  }
  return name.trim().normalize('NFC').slice(0, NAME_CHARS).toWellFormed();
}

/**
 * Returns the e-mail address if the provider vouches for it. The address selects the person's account on the platform.
 */
function readEmail(all: Claims, claim: string, trustEmail: boolean): string | undefined {
  const email = all[claim];
  if (email === undefined) return undefined;
  if (
    typeof email !== 'string' ||
    !/^[^\s@]+@[^\s@]+$/.test(email) ||
    hides(email) ||
    email.length > EMAIL_CHARS
  ) {
    throw wrong(claim, 'an e-mail address');
  }
  return trustEmail || all.email_verified === true ? foldedEmail(email) : undefined;
}

/**
 * Returns the groups. A missing claim is refused, because a rule may deny a right to a group. Microsoft Entra leaves
 * the claim out if the person is in too many groups.
 */
function readGroups(all: Claims, claim: string): readonly string[] {
  const groups = all[claim];
  if (groups === undefined) throw missing(claim, 'groups');
  const valid = (one: unknown): one is string =>
    typeof one === 'string' && one.trim() !== '' && one.length <= GROUP_CHARS && !hides(one);
  if (!Array.isArray(groups) || groups.length > GROUPS || !groups.every(valid)) {
    throw wrong(claim, `a list of at most ${GROUPS} names`);
  }
  return groups;
}

function missing(claim: string, setting: 'name' | 'groups'): BridgeError {
  return new BridgeError(
    'sign-in-refused',
    `The identity provider sent no claim "${claim}". Configure the provider to send this claim, or set console.signIn.claims.${setting} to the name of another claim.`,
  );
}

function wrong(claim: string, due: string): BridgeError {
  return new BridgeError(
    'sign-in-refused',
    `The claim "${claim}" of the identity provider must be ${due}. Correct its mapping at the provider.`,
  );
}
