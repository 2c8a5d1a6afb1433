/**
 * Makes tokens for requests to the bot:
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication ("Authenticate
 * requests from the Bot Connector service to your bot"). Also makes the invalid tokens of attack S14 (bad tokens in
 * requests to Teams), by name.
 */

import { createHmac } from 'node:crypto';
import type { Json } from '../read.ts';
import type { World } from '../world.ts';
import { keys, otherToken, type SigningKey, signToken } from './keys.ts';

const ISSUER = 'https://api.botframework.com';
/** Validity of a token, and tolerated difference of clocks ("clock-skew is 5 minutes"), in seconds. */
const LIFE = 3_600;
const SKEW = 300;

export interface TokenOverrides {
  readonly claims?: Json;
  readonly header?: Json;
  readonly key?: SigningKey;
}

export interface Inbound {
  /** Returns the `Authorization` header for this activity. */
  authorize(activity: Json, overrides?: TokenOverrides): string;
  /** Returns a request that must be refused with 401: its header (absent for `none`) and its activity. */
  bad(name: BadToken, activity: Json): { readonly authorization?: string; readonly activity: Json };
}

export const badTokens = [
  'none',
  'empty',
  'audience',
  'issuer',
  'expired',
  'early',
  'alg-none',
  'hs256',
  'foreign-key',
  'unknown-kid',
  'endorsement',
  'unendorsed',
  'rs512',
  'crit',
  'far',
  'tenant',
  'service-url-differs',
  'service-url-missing',
  'emulator',
] as const;
export type BadToken = (typeof badTokens)[number];

interface Making {
  readonly claims: Json;
  readonly activity: Json;
  readonly world: World;
  /** An address on a foreign host, to detect calls to addresses in tokens. */
  readonly elsewhere: string;
}

type Made = { readonly token?: string; readonly activity?: Json };

/** @param now seconds since the epoch */
export function createInbound(world: World, elsewhere: string, now: () => number): Inbound {
  const claimsFor = (activity: Json): Json => ({
    iss: ISSUER,
    aud: world.app.id,
    nbf: now() - SKEW,
    exp: now() + LIFE,
    ...(activity.serviceUrl === undefined ? {} : { serviceurl: activity.serviceUrl }),
  });
  /** One token per serviceUrl, reused for SKEW seconds, as Microsoft reuses its tokens. */
  const kept = new Map<string, { readonly header: string; readonly until: number }>();
  const usual = (serviceUrl: string, activity: Json): string => {
    const known = kept.get(serviceUrl);
    if (known !== undefined && now() < known.until) return known.header;
    const header = `Bearer ${signToken(keys().connector, claimsFor(activity))}`;
    kept.set(serviceUrl, { header, until: now() + SKEW });
    return header;
  };
  return {
    authorize(activity, overrides) {
      if (overrides === undefined) return usual(String(activity.serviceUrl), activity);
      const { claims = {}, header = {}, key = keys().connector } = overrides;
      return `Bearer ${signToken(key, { ...claimsFor(activity), ...claims }, header)}`;
    },
    bad(name, activity) {
      const made = makers[name]({ claims: claimsFor(activity), activity, world, elsewhere });
      const authorization = name === 'empty' ? 'Bearer ' : `Bearer ${made.token ?? ''}`;
      const asked = made.activity ?? activity;
      return name === 'none' ? { activity: asked } : { authorization, activity: asked };
    },
  };
}

const signed = (claims: Json, header: Json = {}, key = keys().connector): Made => ({
  token: signToken(key, claims, header),
});

const makers: Readonly<Record<BadToken, (making: Making) => Made>> = {
  none: () => ({}),
  empty: () => ({}),
  audience: ({ claims }) => signed({ ...claims, aud: '11111111-2222-4333-8444-555555555555' }),
  issuer: ({ claims, elsewhere }) => signed({ ...claims, iss: `${elsewhere}/issuer` }),
  expired: ({ claims }) =>
    signed({ ...claims, nbf: Number(claims.nbf) - 3 * LIFE, exp: Number(claims.nbf) - LIFE }),
  early: ({ claims }) => signed({ ...claims, nbf: Number(claims.exp), exp: Number(claims.exp) + LIFE }),
  'alg-none': ({ claims }) => ({
    token: otherToken({ typ: 'JWT', alg: 'none', kid: keys().connector.kid }, claims, () => ''),
  }),
  hs256: ({ claims }) => ({ token: withPublicKey(claims) }),
  'foreign-key': ({ claims, elsewhere }) =>
    signed(claims, { kid: keys().connector.kid, jku: `${elsewhere}/keys` }, keys().foreign),
  'unknown-kid': ({ claims, elsewhere }) =>
    signed(claims, { jku: `${elsewhere}/keys`, x5u: `${elsewhere}/certificate` }, keys().foreign),
  endorsement: ({ claims }) => signed(claims, {}, keys().otherChannel),
  // Microsoft's page on authentication requires that the signing key is endorsed for the activity's channel.
  unendorsed: ({ claims }) => signed(claims, {}, keys().unendorsed),
  // RS512 must be refused, because the metadata names only RS256 in `id_token_signing_alg_values_supported`.
  rs512: ({ claims }) => signed(claims, { alg: 'RS512' }),
  // RFC 7515, 4.1.11: an unsupported extension makes the token invalid.
  crit: ({ claims }) => signed(claims, { crit: ['b64'], b64: true }),
  // Real tokens last an hour. This one lasts two days and must be refused, because it would be dangerous if stolen.
  far: ({ claims }) => signed({ ...claims, exp: Number(claims.nbf) + 2 * 24 * LIFE }),
  tenant: ({ claims, activity }) => ({ ...signed(claims), activity: ofTenant(activity, FOREIGN_TENANT) }),
  'service-url-differs': ({ claims, elsewhere }) => signed({ ...claims, serviceurl: `${elsewhere}/` }),
  'service-url-missing': ({ claims: { serviceurl: _, ...claims } }) => signed(claims),
  // A token that the login service issues to the app. The emulator, and anyone who has the app's secret, could send
  // requests with such a token.
  emulator: ({ claims, world }) =>
    signed(
      {
        ...claims,
        iss: 'https://login.microsoftonline.com/d6d49420-f39b-4df7-a1dc-d59a935871db/v2.0',
        ver: '2.0',
        azp: world.app.id,
        appid: world.app.id,
      },
      {},
      keys().login,
    ),
};

const FOREIGN_TENANT = '99999999-9999-4999-8999-999999999999';

function withPublicKey(claims: Json): string {
  const { kid, publicKey } = keys().connector;
  const secret = publicKey.export({ type: 'spki', format: 'pem' });
  return otherToken({ typ: 'JWT', alg: 'HS256', kid }, claims, (unsigned) =>
    createHmac('sha256', secret).update(unsigned).digest('base64url'),
  );
}

function ofTenant(activity: Json, tenant: string): Json {
  const inside = (value: unknown) => (typeof value === 'object' && value !== null ? value : {});
  return {
    ...activity,
    conversation: { ...inside(activity.conversation), tenantId: tenant },
    channelData: { ...inside(activity.channelData), tenant: { id: tenant } },
  };
}
