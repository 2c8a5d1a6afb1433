/**
 * Makes people's tokens for the app, in the versions 1 and 2 that Entra issues to Teams' clients
 * (https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference; Microsoft-Teams-Samples issue
 * 805; teams.ts pull request 556). Also makes the tokens that `badPersonTokens` lists, which must be refused.
 */

import { createHmac } from 'node:crypto';
import type { Json } from '../read.ts';
import type { Person } from '../shapes.ts';
import { keys, otherToken, type SigningKey, signToken } from '../tokens/keys.ts';
import type { World } from '../world.ts';

const LIFE = 4_500;
/** Client id of Teams on the web: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/authentication/bot-sso-register-aad */
const TEAMS_WEB = '5e3ce6c0-2b1f-4285-8d4b-75ee78787346';

export interface PersonTokenOptions {
  readonly claims?: Json;
  readonly header?: Json;
  readonly key?: SigningKey;
  readonly version?: 1 | 2;
}

/** Returns a token of the person for the app. */
export function personToken(
  { app, clock }: World,
  { aadObjectId, name, email }: Pick<Person, 'aadObjectId' | 'name' | 'email'>,
  tenant: string,
  { claims = {}, header = {}, key = keys().login, version = 2 }: PersonTokenOptions = {},
): string {
  const now = Math.floor(clock.now() / 1_000);
  const own =
    version === 2
      ? {
          aud: app.id,
          iss: `https://login.microsoftonline.com/${tenant}/v2.0`,
          azp: TEAMS_WEB,
          preferred_username: email,
          ver: '2.0',
        }
      : {
          aud: app.resource,
          iss: `https://sts.windows.net/${tenant}/`,
          appid: TEAMS_WEB,
          upn: email,
          unique_name: email,
          ver: '1.0',
        };
  const common = {
    iat: now,
    nbf: now,
    exp: now + LIFE,
    name,
    oid: aadObjectId,
    tid: tenant,
    scp: 'access_as_user',
  };
  return signToken(key, { ...own, ...common, ...claims }, header);
}

export const badPersonTokens = [
  'audience',
  'issuer',
  'other-tenant',
  'other-person',
  'expired',
  'early',
  'no-expiry',
  'id-token',
  'alg-none',
  'hs256',
  'foreign-key',
  'unknown-kid',
  'connector-key',
  'consumers-key',
  'crit',
  'text',
  'too-long',
] as const;
export type BadPersonToken = (typeof badPersonTokens)[number];

const OTHER = '99999999-9999-4999-8999-999999999999';

/** Returns a token that must be refused, although the person sent it. */
export function badPersonToken(name: BadPersonToken, world: World, person: Person, tenant: string): string {
  const make = (options?: PersonTokenOptions) => personToken(world, person, tenant, options);
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Json;
  const now = Math.floor(world.clock.now() / 1_000);
  switch (name) {
    case 'audience':
      return make({ claims: { aud: 'https://graph.microsoft.com' } });
    case 'issuer':
      return make({ claims: { iss: `https://login.microsoftonline.com/${OTHER}/v2.0` } });
    case 'other-tenant':
      return make({ claims: { tid: OTHER } });
    case 'other-person':
      return make({ claims: { oid: OTHER } });
    case 'expired':
      return make({ claims: { nbf: now - 2 * LIFE, exp: now - 1 } });
    case 'early':
      return make({ claims: { nbf: now + LIFE } });
    case 'no-expiry':
      return make({ claims: { exp: undefined } });
    case 'id-token':
      return make({ claims: { scp: undefined } });
    case 'alg-none':
      return otherToken({ typ: 'JWT', alg: 'none', kid: keys().login.kid }, claimsOf(make()), () => '');
    case 'hs256':
      return withPublicKey(claimsOf(make()));
    case 'foreign-key':
      return make({ key: keys().foreign, header: { kid: keys().login.kid } });
    case 'unknown-kid':
      return make({ key: keys().foreign });
    // Signed with a key that Microsoft uses only for requests to bots.
    case 'connector-key':
      return make({ key: keys().connector });
    // A key of Microsoft's sign-in service, but for personal accounts.
    case 'consumers-key':
      return make({ key: keys().consumers });
    case 'crit':
      return make({ header: { crit: ['b64'], b64: true } });
    case 'text':
      return 'not.a.token';
    case 'too-long':
      return make({ claims: { groups: Array.from({ length: 1_000 }, () => OTHER) } });
  }
}

function withPublicKey(claims: Json): string {
  const { kid, publicKey } = keys().login;
  const secret = publicKey.export({ type: 'spki', format: 'pem' });
  return otherToken({ typ: 'JWT', alg: 'HS256', kid }, claims, (unsigned) =>
    createHmac('sha256', secret).update(unsigned).digest('base64url'),
  );
}
