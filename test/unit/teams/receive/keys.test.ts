/** Microsoft's keys, with which its requests are proven: asked for once, and without them nobody is heard. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { type Rig, startRig } from '../rig.ts';

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
afterEach(async () => {
  vi.useRealTimers();
  await rig.close();
});

const keyCalls = () => rig.fake.log.calls.filter(({ method }) => method === 'openid' || method === 'keys');

test('many first requests at once ask for the keys once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, nth) => rig.send({ ...activity, id: String(nth) })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(keyCalls()).toHaveLength(2);
});

test.each([
  { kind: 'status', status: 500, method: 'openid' },
  { kind: 'status', status: 404, method: 'keys' },
  { kind: 'reset', method: 'openid' },
] as const)('while they cannot be had, Teams sends its events again, and the operator is told: %j', async (fault) => {
  rig.fake.plant({ ...fault, count: 1 });
  expect((await rig.send(activity)).status).toBe(503);
  expect(rig.taken).toEqual([]);
  expect(rig.logged.filter((line) => line.includes('keys could not be had'))).toHaveLength(1);
  later = 1_000;
  expect((await rig.send(activity)).status).toBe(200);
});

test('unknown keys, asked for by anybody, do not make it ask Microsoft each time', async () => {
  await rig.send(activity);
  for (let nth = 0; nth < 20; nth++) {
    const bad = rig.fake.inbound.bad('unknown-kid', activity);
    expect((await rig.post(bad.activity, bad.authorization)).status).toBe(401);
  }
  expect(keyCalls()).toHaveLength(2);
});

const HOUR_MS = 60 * 60_000;
const unknownKey = async () => {
  const bad = rig.fake.inbound.bad('unknown-kid', activity);
  return (await rig.post(bad.activity, bad.authorization)).status;
};

test('an unknown key may be a new one: while nobody can tell, Teams sends its events again, and Microsoft is asked once', async () => {
  await rig.send(activity);
  // The SDK looks for a key that it does not know once an hour, by the machine's own clock.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR_MS });
  rig.taken.splice(0);
  const down = rig.fake.plant({ kind: 'status', status: 500, method: 'openid' });
  const asked = keyCalls().length;
  expect(await Promise.all(Array.from({ length: 20 }, unknownKey))).toEqual(Array(20).fill(503));
  for (let nth = 0; nth < 5; nth++) expect(await unknownKey()).toBe(503);
  expect(keyCalls()).toHaveLength(asked + 1);
  expect(rig.taken).toEqual([]);
  // Whom the known keys prove is heard all the while.
  expect((await rig.send({ ...activity, id: 'f:2' })).status).toBe(200);
  down.remove();
  later = 1_000;
  expect(await unknownKey()).toBe(401);
});
