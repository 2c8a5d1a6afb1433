/** Tests the list of Microsoft's signing keys: its requests, which keys are accepted, and its lifetime. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { HttpAnswer, HttpRequest } from '../../../../adapters/teams/api/http.ts';
import { createKeys, ENDORSEMENT, type KeysDeps } from '../../../../adapters/teams/receive/keys.ts';
import { signingKeys } from '../../../fakes/teams/index.ts';
import { jwkOf } from '../../../fakes/teams/tokens/keys.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';

const OPEN_ID = 'https://login.example';
const METADATA = `${OPEN_ID}/v1/.well-known/openidconfiguration`;
const KEYS = 'https://keys.example/v1/keys';
const SECOND_MS = 1_000;
const DAY_MS = 24 * 3_600 * SECOND_MS;
const { connector, next, unendorsed, otherChannel } = signingKeys();

let clock: VirtualClock;
let asked: HttpRequest[];
let metadata: HttpAnswer;
let published: HttpAnswer;
/** All requests wait for this promise. */
let gate: Promise<void>;

const answer = (body: unknown, status = 200): HttpAnswer => ({
  kind: 'answered',
  status,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

beforeEach(() => {
  clock = createVirtualClock();
  asked = [];
  metadata = answer({ jwks_uri: KEYS });
  published = answer({ keys: [jwkOf(connector)] });
  gate = Promise.resolve();
});

const stopped = new AbortController().signal;
const make = (more: Partial<KeysDeps> = { endorsement: ENDORSEMENT }) =>
  createKeys({
    http: {
      async send(request, signal) {
        expect(signal).toBe(stopped);
        asked.push(request);
        await gate;
        return request.url === METADATA ? metadata : published;
      },
    },
    ...{ clock, metadata: METADATA, signal: stopped, ...more },
  });

const publish = (...keys: unknown[]) => {
  published = answer({ keys });
};
const fetches = () => asked.filter(({ url }) => url === METADATA).length;

test('a key is found by its id, with two requests of limited time and size', async () => {
  const keys = make();
  expect((await keys.find(connector.kid))?.equals(connector.publicKey)).toBe(true);
  const bounded = {
    method: 'GET',
    headers: { accept: 'application/json' },
    limit: 1_048_576,
    withinMs: 4_000,
  };
  expect(asked).toEqual([
    { ...bounded, url: METADATA },
    { ...bounded, url: KEYS },
  ]);
});

describe('a key that does not sign for Teams', () => {
  const jwk = jwkOf(connector);
  test.each([
    ['without an id', { ...jwk, kid: undefined }],
    ['with an empty id', { ...jwk, kid: '' }],
    ['of another kind', { ...jwk, kty: 'EC' }],
    ['without a type', { ...jwk, kty: undefined }],
    ['endorsed for another channel', { ...jwk, endorsements: ['webchat'] }],
    ['endorsed by a text', { ...jwk, endorsements: 'msteams' }],
    ['without endorsements', { ...jwk, endorsements: undefined }],
    ['without its number', { ...jwk, n: undefined }],
    ['without its exponent', { ...jwk, e: undefined }],
    ['with another thing as its number', { ...jwk, n: 7 }],
    ['that is a text', 'key'],
  ])('is ignored: %s', async (_, key) => {
    publish(key, null, jwkOf(next));
    const keys = make();
    expect(await keys.find(connector.kid)).toBeUndefined();
    expect((await keys.find(next.kid))?.equals(next.publicKey)).toBe(true);
    expect(fetches()).toBe(1);
  });

  test('does not hide one that does', async () => {
    publish(jwkOf(unendorsed), jwkOf(otherChannel), jwkOf(connector));
    const keys = make();
    expect(await keys.find(unendorsed.kid)).toBeUndefined();
    expect(await keys.find(otherChannel.kid)).toBeUndefined();
    expect(await keys.find(connector.kid)).toBeDefined();
  });
});

describe('a key of the sign-in service', () => {
  const tenant = '6f0f5c6a-7a31-4c0e-9d0e-3a1c5b1f7e99';
  const login = 'https://login.microsoftonline.com';
  const organization = { tenant, issuers: [`${login}/${tenant}/v2.0`, `https://sts.windows.net/${tenant}/`] };
  const find = async (issuer: unknown) => {
    publish({ ...jwkOf(connector), ...(issuer !== undefined && { issuer }) });
    return (await make({ organization }).find(connector.kid)) !== undefined;
  };

  test.each([
    undefined,
    `${login}/{tenantid}/v2.0`,
    `${login}/{TenantId}/v2.0`,
    `${login}/${tenant}/v2.0`,
    `https://sts.windows.net/${tenant}/`,
  ])('counts if its issuer is the organization: %s', async (issuer) => expect(await find(issuer)).toBe(true));

  test.each([
    `${login}/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0`,
    'https://login.microsoftonline.us/{tenantid}/v2.0',
    `${login}/{tenantid}`,
    `${login}/{tenantid}/{tenantid}/v2.0`,
    '',
    7,
    null,
  ])('does not count if it names another issuer: %s', async (issuer) =>
    expect(await find(issuer)).toBe(false));
});

describe('Microsoft’s responses', () => {
  const noAddress = 'The OpenID metadata contains no https address of the keys.';
  test.each([
    ['a plain address', answer({ jwks_uri: 'http://keys.example/v1/keys' }), noAddress],
    ['a word as the address', answer({ jwks_uri: 'keys' }), noAddress],
    ['a number as the address', answer({ jwks_uri: 7 }), noAddress],
    ['no address', answer({}), noAddress],
    ['a list', answer([]), 'https://login.example answered 200 instead of sending the keys.'],
    ['a page', answer('<html>'), 'https://login.example answered 200 instead of sending the keys.'],
    [
      'status 500',
      answer({ jwks_uri: KEYS }, 500),
      'https://login.example answered 500 instead of sending the keys.',
    ],
    [
      'status 203',
      answer({ jwks_uri: KEYS }, 203),
      'https://login.example answered 203 instead of sending the keys.',
    ],
    [
      'an unsent request',
      { kind: 'unsent', reason: 'refused' },
      'https://login.example did not answer: refused.',
    ],
    ['no response', { kind: 'unknown', reason: 'late' }, 'https://login.example did not answer: late.'],
  ] as const)('in place of metadata are an error, and not followed: %s', async (_, given, why) => {
    metadata = given;
    await expect(make().find(connector.kid)).rejects.toThrow(why);
    expect(asked.map(({ url }) => url)).toEqual([METADATA]);
  });

  test.each([
    [
      'status 404',
      answer({ keys: [] }, 404),
      'https://keys.example answered 404 instead of sending the keys.',
    ],
    ['no response', { kind: 'unknown', reason: 'late' }, 'https://keys.example did not answer: late.'],
  ] as const)('in place of keys are an error: %s', async (_, given, why) => {
    published = given;
    await expect(make().find(connector.kid)).rejects.toThrow(why);
  });

  test.each([{}, { keys: 'none' }, { keys: {} }])('may contain no keys: %j', async (given) => {
    published = answer(given);
    expect(await make().find(connector.kid)).toBeUndefined();
  });
});

describe('a failed fetch', () => {
  test('fails all requests of the next second, and is then repeated', async () => {
    metadata = answer({}, 500);
    const keys = make();
    await expect(keys.find(connector.kid)).rejects.toThrow('500');
    metadata = answer({ jwks_uri: KEYS });
    await clock.pass(SECOND_MS - 1);
    await expect(keys.find(connector.kid)).rejects.toThrow('500');
    expect(fetches()).toBe(1);
    await clock.pass(1);
    expect(await keys.find(connector.kid)).toBeDefined();
    expect(fetches()).toBe(2);
  });

  test('has no effect after a successful one', async () => {
    metadata = answer({}, 500);
    const keys = make();
    await expect(keys.find(connector.kid)).rejects.toThrow();
    await clock.pass(SECOND_MS);
    metadata = answer({ jwks_uri: KEYS });
    await keys.find(connector.kid);
    // The clock goes forward by two days, and then back to the time of the failure, when the failure could still
    // delay a request.
    clock.jump(2 * DAY_MS);
    await keys.find(connector.kid);
    clock.jump(-2 * DAY_MS - SECOND_MS);
    expect(await keys.find(connector.kid)).toBeDefined();
    expect(fetches()).toBe(4);
  });
});

describe('the list', () => {
  test('is fetched once for concurrent requests', async () => {
    const keys = make();
    const found = await Promise.all([
      keys.find(connector.kid),
      keys.find(connector.kid),
      keys.find('made-up'),
    ]);
    expect(found.map((key) => key !== undefined)).toEqual([true, true, false]);
    expect(fetches()).toBe(1);
  });

  test('is fetched for an unknown id from its 30th second on', async () => {
    const keys = make();
    await keys.find(connector.kid);
    publish(jwkOf(next));
    await clock.pass(30 * SECOND_MS - 1);
    expect(await keys.find(next.kid)).toBeUndefined();
    expect(fetches()).toBe(1);
    await clock.pass(1);
    expect(await keys.find(next.kid)).toBeDefined();
    expect(fetches()).toBe(2);
    expect(await keys.find(connector.kid)).toBeUndefined();
  });

  test('is renewed in the background from its 24th hour on', async () => {
    const keys = make();
    await keys.find(connector.kid);
    await clock.pass(DAY_MS - 1);
    expect(await keys.find(connector.kid)).toBeDefined();
    expect(fetches()).toBe(1);
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    await clock.pass(1);
    expect(await keys.find(connector.kid)).toBeDefined();
    expect(await keys.find(connector.kid)).toBeDefined();
    expect(fetches()).toBe(2);
    opened.resolve();
    await clock.pass(0);
    publish();
    expect(await keys.find(connector.kid)).toBeDefined();
    expect(fetches()).toBe(2);
  });

  test('is fetched once for an unknown id on the second day, without a background fetch', async () => {
    const keys = make();
    await keys.find(connector.kid);
    await clock.pass(DAY_MS);
    metadata = answer({}, 500);
    await expect(keys.find('made-up')).rejects.toThrow('500');
    expect(await keys.find(connector.kid)).toBeDefined();
    expect(fetches()).toBe(2);
  });

  test('is no longer used after its second day', async () => {
    const keys = make();
    await keys.find(connector.kid);
    metadata = answer({}, 500);
    await clock.pass(2 * DAY_MS - 1);
    expect(await keys.find(connector.kid)).toBeDefined();
    await clock.pass(0);
    await clock.pass(1);
    await expect(keys.find(connector.kid)).rejects.toThrow('500');
  });

  test('is no longer used after the clock went back by two days', async () => {
    const keys = make();
    await keys.find(connector.kid);
    publish();
    clock.jump(-2 * DAY_MS);
    expect(await keys.find(connector.kid)).toBeUndefined();
    expect(fetches()).toBe(2);
  });
});
