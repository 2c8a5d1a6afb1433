/**
 * Tests Microsoft's signing keys: fetched once, renewed in the background, and used to check each request's signature.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { signingKeys } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

let rig: Rig;
let activity: Record<string, unknown>;
let later = 0;
const clock = { ...systemClock, now: () => systemClock.now() + later };
beforeEach(async () => {
  later = 0;
  rig = await startRig({ clock });
  rig.fake.deliverTo('http://127.0.0.1:1/nobody');
  const person = rig.fake.tenant().person();
  activity = {
    ...person.says(person.dm(), 'How long is the notice period, and who tells me?').delivery?.activity,
  };
});
afterEach(() => rig.close());

const fetches = () => rig.fake.log.calls.filter(({ method }) => method === 'openid').length;
const keyCalls = () => rig.fake.log.calls.filter(({ method }) => method === 'openid' || method === 'keys');

const signedBy = (name: 'next' | 'connector', header: Record<string, unknown> = {}) =>
  rig.fake.inbound.authorize(activity, { key: signingKeys()[name], header });
const genuine = async () => (await rig.send(activity)).status;
/** Sends an activity that an unpublished key signed under the id `kid`. Resolves with the status. */
const forged = async (kid: string) => {
  const authorization = rig.fake.inbound.authorize(activity, { key: signingKeys().foreign, header: { kid } });
  return (await rig.post(activity, authorization)).status;
};
const unknownKey = async () => {
  const bad = rig.fake.inbound.bad('unknown-kid', activity);
  return (await rig.post(bad.activity, bad.authorization)).status;
};
const times = <Value>(count: number, make: (nth: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => make(nth)));

describe('requests that arrive while the keys are fetched', () => {
  test('share the fetch, and each signature is checked: genuine ones pass, forged ones do not', async () => {
    rig.fake.plant({ kind: 'slow', method: 'keys', ms: 100 });
    const { kid } = signingKeys().connector;
    const answers = await times(
      60,
      (nth) => [genuine, () => forged(kid), unknownKey][nth % 3]?.() ?? genuine(),
    );
    expect(answers).toEqual(Array.from({ length: 60 }, (_, nth) => (nth % 3 === 0 ? 200 : 401)));
    expect(rig.taken).toHaveLength(20);
    expect(keyCalls()).toHaveLength(2);
  });

  test.each(['genuine first', 'forged first'])('with a new key: %s', async (order) => {
    await genuine();
    const { kid } = signingKeys().next;
    rig.fake.login.published.push(signingKeys().next);
    rig.fake.plant({ kind: 'slow', method: 'keys', ms: 100 });
    later = MINUTE_MS;
    const real = async () => (await rig.post(activity, signedBy('next'))).status;
    const both = order === 'genuine first' ? [real, () => forged(kid)] : [() => forged(kid), real];
    const answers = await Promise.all(both.map((send) => send()));
    expect(answers).toEqual(order === 'genuine first' ? [200, 401] : [401, 200]);
    expect(fetches()).toBe(2);
  });
});

describe('a key that is not in the list', () => {
  test('is looked up before it is refused, so that requests signed with a new key pass', async () => {
    await genuine();
    rig.fake.login.published.push(signingKeys().next);
    later = MINUTE_MS;
    expect((await rig.post(activity, signedBy('next'))).status).toBe(200);
    expect(fetches()).toBe(2);
  });

  test('causes no fetch while the list is fresh, and otherwise one per half minute', async () => {
    await genuine();
    for (let nth = 0; nth < 20; nth++) expect(await unknownKey()).toBe(401);
    expect(fetches()).toBe(1);
    later = MINUTE_MS;
    expect(await times(20, unknownKey)).toEqual(Array(20).fill(401));
    for (let nth = 0; nth < 20; nth++) expect(await unknownKey()).toBe(401);
    expect(fetches()).toBe(2);
  });

  test('may be new: while the list cannot be fetched, Teams repeats its event, and known keys stay valid', async () => {
    await genuine();
    later = MINUTE_MS;
    rig.taken.splice(0);
    const down = rig.fake.plant({ kind: 'status', status: 500, method: 'openid', count: 1_000 });
    expect(await times(20, unknownKey)).toEqual(Array(20).fill(503));
    for (let nth = 0; nth < 5; nth++) expect(await unknownKey()).toBe(503);
    expect(fetches()).toBe(2);
    expect(rig.taken).toEqual([]);
    expect(await genuine()).toBe(200);
    down.remove();
    later += SECOND_MS;
    expect(await unknownKey()).toBe(401);
  });
});

test.each([
  { kind: 'status', status: 500, method: 'openid' },
  { kind: 'status', status: 404, method: 'keys' },
  { kind: 'reset', method: 'openid' },
] as const)('without any keys Teams repeats its events, and the log says why: %j', async (fault) => {
  rig.fake.plant({ ...fault, count: 1 });
  expect(await genuine()).toBe(503);
  expect(rig.taken).toEqual([]);
  expect(rig.logged.filter((line) => line.includes('keys could not be fetched'))).toHaveLength(1);
  later = SECOND_MS;
  expect(await genuine()).toBe(200);
});

describe('keys that are a day old', () => {
  test('are renewed once, in the background', async () => {
    await genuine();
    later = DAY_MS;
    const held = rig.fake.plant({ kind: 'slow', method: 'keys', ms: 300 });
    expect(await times(20, genuine)).toEqual(Array(20).fill(200));
    expect(held.hits).toBe(1);
    expect(fetches()).toBe(2);
  });

  test('are not fetched by every request while Microsoft is down, and stay valid for a second day', async () => {
    await genuine();
    const down = rig.fake.plant({ kind: 'status', status: 500, method: 'openid', count: 1_000 });
    later = DAY_MS;
    for (let nth = 0; nth < 20; nth++) expect(await genuine()).toBe(200);
    expect(down.hits).toBe(1);
    later = 2 * DAY_MS;
    for (let nth = 0; nth < 20; nth++) expect(await genuine()).toBe(503);
    expect(down.hits).toBe(2);
    down.remove();
    later += SECOND_MS;
    expect(await genuine()).toBe(200);
  });
});
