/**
 * Tests attack S14 (bad tokens): only the Bot Connector's requests are handled, and no address in a token is called.
 */

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { badTokens } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';

let rig: Rig;
let activity: Record<string, unknown>;

const printed = vi.spyOn(console, 'error');

beforeAll(async () => {
  rig = await startRig();
  const person = rig.fake.tenant().person();
  const { delivery } = person.says(person.dm(), 'hello');
  await delivery?.done;
  activity = { ...delivery?.activity };
});
afterAll(async () => {
  printed.mockRestore();
  await rig.close();
});
beforeEach(() => void rig.taken.splice(0));

test('an activity with a valid token is handled', async () => {
  expect(await rig.send(activity)).toEqual({ status: 200, text: '' });
});

test.each(
  badTokens,
)('S14: %s: responds 401, runs no handler, and calls no address in the token', async (name) => {
  const bad = rig.fake.inbound.bad(name, activity);
  expect((await rig.post(bad.activity, bad.authorization)).status).toBe(401);
  expect(rig.taken).toEqual([]);
  expect(rig.fake.elsewhere.requests).toEqual([]);
  expect(printed).not.toHaveBeenCalled();
  expect(rig.logged.join('\n')).not.toMatch(/BEGIN|eyJ/);
});
