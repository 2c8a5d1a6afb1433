/**
 * Verifies that the organization issued a token for this app, and that the token belongs to the person who sent it
 * (Microsoft identity platform, "Validate access tokens" and "Access token claims reference").
 */

import { type Plain, text, words } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import type { Directory } from '../clouds.ts';
import type { SingleSignOn } from '../config.ts';
import { isValid, readToken } from '../receive/bearer.ts';
import type { Keys } from '../receive/keys.ts';
import type { Signer } from './requests.ts';

/** Why a token is refused: the part of it that is wrong, with the reason and the cure. */
export const CURES = {
  form: 'The bridge cannot read it as a token of Microsoft Entra.',
  signature: 'The organization did not sign it.',
  issuer: 'Another organization or cloud issued it. Check MICROSOFT_APP_TENANT_ID and MICROSOFT_APP_CLOUD.',
  audience:
    'It is for another app. Compare teams.singleSignOn.resource and application with the app in Microsoft Entra.',
  time: "It has expired or is not valid yet. Check this machine's clock.",
  tenant: 'It belongs to another organization than the chat.',
  scope:
    'It lacks the scope access_as_user. Add this scope under "Expose an API" of the app in Microsoft Entra.',
  person: 'It belongs to another person than the one who sent it.',
} as const;

export type WrongPart = keyof typeof CURES;

export type Verified =
  | { readonly kind: 'verified'; readonly name: string; readonly expiresAt: number }
  | { readonly kind: 'refused'; readonly part: WrongPart }
  /** Microsoft's keys could not be fetched. */
  | { readonly kind: 'unknown'; readonly cause: unknown };

export interface VerifyDeps {
  readonly keys: Keys;
  readonly clock: Pick<Clock, 'now'>;
  readonly directory: Pick<Directory, 'issuers'>;
  readonly signOn: SingleSignOn;
}

/** The person who sent the token, by their ids in Microsoft Entra. */
export type Sender = Pick<Signer, 'person' | 'tenant'>;

/** Maximum characters of a token. Entra's tokens have about 2,000. */
const MAX_CHARACTERS = 16_384;
/**
 * The scope that Teams requires (Microsoft's page "Configure your app in Microsoft Entra ID"). An ID token has no scope, so
 * it is never taken for an access token.
 */
export const SCOPE = 'access_as_user';
/**
 * Minimum remaining life of a token, in seconds. With less, the token could end before it is exchanged at the platform.
 */
const LIFE_S = 10;
/** Maximum time by which a token may come into force later than this machine's clock says, in seconds. */
const SKEW_S = 300;

/** Never rejects. */
export async function verify(token: string, sender: Sender, deps: VerifyDeps): Promise<Verified> {
  const read = token.length > MAX_CHARACTERS ? undefined : readToken(token);
  if (read === undefined) return refused('form');
  try {
    const key = await deps.keys.find(read.kid);
    // The claims are checked separately, so that a refusal can name the wrong claim.
    const isSigned = key !== undefined && (await isValid(token, key));
    return isSigned ? judge(read.claims, sender, deps) : refused('signature');
  } catch (cause) {
    return { kind: 'unknown', cause };
  }
}

const refused = (part: WrongPart): Verified => ({ kind: 'refused', part });

function judge(claims: Plain, { person, tenant }: Sender, deps: VerifyDeps): Verified {
  const { iss, aud, tid, oid, exp, nbf, scp } = claims;
  const { clock, directory, signOn } = deps;
  const now = clock.now() / 1_000;
  const audiences = [signOn.application, signOn.resource].map(lower);
  const isTimely =
    typeof exp === 'number' && exp > now + LIFE_S && typeof nbf === 'number' && nbf <= now + SKEW_S;
  if (!directory.issuers.includes(String(iss))) return refused('issuer');
  if (typeof aud !== 'string' || !audiences.includes(lower(aud))) return refused('audience');
  if (!isTimely) return refused('time');
  if (lower(tid) !== lower(tenant)) return refused('tenant');
  if (!words(String(scp).split(' ')).includes(SCOPE)) return refused('scope');
  if (text(oid) === undefined || lower(oid) !== lower(person)) return refused('person');
  const name = signOn.nameClaims.map((claim) => text(claims[claim])).find((each) => each !== undefined);
  return { kind: 'verified', name: name ?? person, expiresAt: exp * 1_000 };
}

const lower = (value: unknown): string => String(value).toLowerCase();
