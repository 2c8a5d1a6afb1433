/** Microsoft's keys, with which its requests are proven: asked for once, and without them nobody is heard. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Rig, startRig } from '../rig.ts';

let rig: Rig;
let activity: Record<string, unknown>;
beforeEach(async () => {
  rig = await startRig();
  rig.fake.deliverTo('http://127.0.0.1:1/nobody');
  const person = rig.fake.tenant().person();
  activity = {
    ...person.says(person.dm(), 'How long is the notice period, and who tells me?').delivery?.activity,
  };
});
afterEach(() => rig.close());

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
