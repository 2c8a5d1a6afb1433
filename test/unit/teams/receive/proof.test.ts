/** Tests what proves that a request is genuine: only the Bot Connector's signature over valid claims for this bot. */

import { describe, expect, test } from 'vitest';
import { readBearer } from '../../../../adapters/teams/receive/bearer.ts';
import { type ProvingDeps, prove as proveWith } from '../../../../adapters/teams/receive/proof.ts';
import { signingKeys } from '../../../fakes/teams/index.ts';
import { otherToken, type SigningKey, signToken } from '../../../fakes/teams/tokens/keys.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const HOUR_S = 3_600;
const clock = createVirtualClock();
const NOW_S = clock.now() / 1_000;
const ISSUER = 'https://api.botframework.com';
const { connector, foreign } = signingKeys();

const keysOf = (find: ProvingDeps['keys']['find']) => ({ find });
const published = keysOf(async (kid) => (kid === connector.kid ? connector.publicKey : undefined));
const tryToProve = (token: string, keys: ProvingDeps['keys'] = published) =>
  proveWith(readBearer(`Bearer ${token}`) ?? { ...CLAIMED, token }, {
    keys,
    clock,
    issuer: ISSUER,
    audience: 'the-bot',
  });

const claims = {
  iss: ISSUER,
  aud: 'the-bot',
  serviceurl: 'https://smba.trafficmanager.net/emea/',
  nbf: NOW_S,
  exp: NOW_S + HOUR_S,
};
const CLAIMED = {
  ...{ kid: connector.kid, issuer: ISSUER, audience: 'the-bot' },
  ...{ serviceUrl: claims.serviceurl, expiresAt: claims.exp },
};

const prove = (changes: object = {}, key: SigningKey = connector, header = {}) => {
  const token = signToken(key, { ...claims, ...changes }, { kid: connector.kid, ...header });
  return tryToProve(token);
};
const kindOf = async (changes: object) => (await prove(changes)).kind;

test('the connector’s own token proves', async () => {
  expect(await prove()).toEqual({ kind: 'proven' });
});

describe('a forged token is refused', () => {
  test('signed by another key under the connector’s key id', async () => {
    expect(await prove({}, foreign)).toEqual({ kind: 'refused' });
  });

  test('signed by a key that is not published', async () => {
    expect(await prove({}, foreign, { kid: foreign.kid })).toEqual({ kind: 'refused' });
  });

  test.each([
    { iss: 'https://login.microsoftonline.com/x/v2.0' },
    { aud: 'another-bot' },
  ])('for %j', async (changes) => {
    expect(await prove(changes)).toEqual({ kind: 'refused' });
  });

  test('signed by another algorithm, even if the reader accepts it', async () => {
    const signedBy = (alg: string) => signToken(connector, claims, { alg });
    for (const token of [signedBy('RS512'), signedBy('RS384')])
      expect(await tryToProve(token)).toEqual({ kind: 'refused' });
    const bare = otherToken({ typ: 'JWT', alg: 'none', kid: connector.kid }, claims, () => '');
    expect(await tryToProve(bare)).toEqual({ kind: 'refused' });
    expect(await tryToProve(signedBy('RS256'))).toEqual({ kind: 'proven' });
  });

  test('with claims that were changed after signing', async () => {
    const [head, , signature] = signToken(connector, claims).split('.');
    const changed = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url');
    const token = `${head}.${changed}.${signature}`;
    expect(await tryToProve(token)).toEqual({ kind: 'refused' });
  });
});

describe('a token of another time', () => {
  test('is valid until 5 minutes after its end', async () => {
    expect(await kindOf({ exp: NOW_S - 299 })).toBe('proven');
    expect(await kindOf({ exp: NOW_S - 300 })).toBe('refused');
  });

  test('is valid from 5 minutes before its beginning', async () => {
    expect(await kindOf({ nbf: NOW_S + 300 })).toBe('proven');
    expect(await kindOf({ nbf: NOW_S + 301 })).toBe('refused');
  });

  test('is refused if it is valid for more than a day', async () => {
    expect(await kindOf({ exp: NOW_S + 24 * HOUR_S })).toBe('proven');
    expect(await kindOf({ exp: NOW_S + 24 * HOUR_S + 1 })).toBe('refused');
  });
});

test('the result is unknown if the keys cannot be fetched', async () => {
  const cause = new Error('no answer');
  const keys = keysOf(() => Promise.reject(cause));
  expect(await tryToProve(signToken(connector, claims), keys)).toEqual({ kind: 'unknown', cause });
});
