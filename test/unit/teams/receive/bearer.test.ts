/** Tests the checks of a token's header and claims that come before its key is looked up. */

import { describe, expect, test } from 'vitest';
import { readBearer } from '../../../../adapters/teams/receive/bearer.ts';
import { refusalOf } from '../../../../adapters/teams/receive/http.ts';

const HEAD = { typ: 'JWT', alg: 'RS256', kid: 'key-one' };
const BODY = {
  iss: 'https://api.botframework.com',
  aud: 'the-bot',
  serviceurl: 'https://smba.trafficmanager.net/emea/',
  exp: 1_793_494_800,
};
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (body: unknown = BODY, head: unknown = HEAD) => `${part(head)}.${part(body)}.c2lnbmVk`;
const READ = {
  kid: 'key-one',
  issuer: BODY.iss,
  audience: BODY.aud,
  serviceUrl: BODY.serviceurl,
  expiresAt: BODY.exp,
};

describe('a bearer token', () => {
  test('contains the key’s id, the claims and the address', () => {
    expect(readBearer(`Bearer ${tokenOf()}`)).toEqual({ ...READ, token: tokenOf() });
  });

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    tokenOf(),
    `bearer ${tokenOf()}`,
    `Basic ${tokenOf()}`,
    `Bearer  ${tokenOf()}`,
    ` Bearer ${tokenOf()}`,
    `Bearer ${tokenOf()} `,
    `Bearer ${tokenOf()}.`,
    `Bearer ${tokenOf()}=`,
    `Bearer ${tokenOf()}.more`,
    `Bearer ${part(HEAD)}.${part(BODY)}`,
    `Bearer ${part(HEAD)}.${part(BODY)}.`,
    `Bearer .${part(BODY)}.c2lnbmVk`,
    `Bearer ${part(HEAD)}..c2lnbmVk`,
    `Bearer ${part(HEAD)}+.${part(BODY)}.c2lnbmVk`,
    `Bearer ${part(HEAD)}.${part(BODY)}/.c2lnbmVk`,
  ])('must have the documented shape: %s', (header) => {
    expect(readBearer(header)).toBeUndefined();
  });

  test('has at most 8,192 characters with its header', () => {
    const long = (more: number) => `Bearer ${tokenOf()}${'A'.repeat(more)}`;
    const room = 8_192 - long(0).length;
    expect(readBearer(long(room))).toMatchObject(READ);
    expect(readBearer(long(room + 1))).toBeUndefined();
  });

  test.each([
    null,
    [],
    'RS256',
    {},
    { ...HEAD, alg: 'RS512' },
    { ...HEAD, alg: 'HS256' },
    { ...HEAD, alg: 'none' },
    { ...HEAD, alg: ['RS256'] },
    { ...HEAD, alg: undefined },
    { ...HEAD, crit: ['b64'] },
    { ...HEAD, crit: null },
    { ...HEAD, kid: undefined },
    { ...HEAD, kid: '' },
    { ...HEAD, kid: 7 },
  ])('is refused if its header is %j', (head) => {
    expect(readBearer(`Bearer ${tokenOf(BODY, head)}`)).toBeUndefined();
  });

  test.each([
    null,
    [],
    'text',
    {},
    { ...BODY, iss: undefined },
    { ...BODY, iss: [BODY.iss] },
    { ...BODY, aud: undefined },
    { ...BODY, aud: [BODY.aud] },
    { ...BODY, serviceurl: undefined },
    { ...BODY, serviceurl: '' },
    { ...BODY, serviceurl: 7 },
    { ...BODY, exp: undefined },
    { ...BODY, exp: String(BODY.exp) },
    { ...BODY, appid: 'another' },
    { ...BODY, azp: 'another' },
    { ...BODY, appid: BODY.aud, azp: 'another' },
    { ...BODY, appid: null },
  ])('is refused if its claims are %j', (body) => {
    expect(readBearer(`Bearer ${tokenOf(body)}`)).toBeUndefined();
  });

  test.each([
    `Bearer bm9uZQ.${part(BODY)}.c2lnbmVk`,
    `Bearer ${part(HEAD)}.bm9uZQ.c2lnbmVk`,
  ])('is refused if its parts are not JSON: %s', (header) => {
    expect(readBearer(header)).toBeUndefined();
  });

  test('that the bot itself requested is accepted', () => {
    const own = tokenOf({ ...BODY, appid: BODY.aud, azp: BODY.aud });
    expect(readBearer(`Bearer ${own}`)).toMatchObject(READ);
  });
});

describe('an activity', () => {
  const bearer = { serviceUrl: BODY.serviceurl };
  const activity = {
    channelId: 'msteams',
    serviceUrl: BODY.serviceurl,
    channelData: { tenant: { id: 'ABC' } },
    conversation: { tenantId: 'abc' },
  };

  test('that fits its token and the organization is accepted', () => {
    expect(refusalOf(activity, bearer, 'aBc')).toBeUndefined();
  });

  test.each([
    [{ channelId: 'webchat' }, 'channel'],
    [{ channelId: undefined }, 'channel'],
    [{ serviceUrl: `${BODY.serviceurl}x` }, 'service'],
    [{ serviceUrl: undefined }, 'service'],
    [{ channelData: { tenant: { id: 'another' } } }, 'tenant'],
    [{ channelData: {}, conversation: {} }, 'tenant'],
  ])('that differs is refused: %j', (changes, refusal) => {
    expect(refusalOf({ ...activity, ...changes }, bearer, 'abc')).toBe(refusal);
  });
});
