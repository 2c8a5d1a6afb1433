/** The sign-in that is made when the bridge starts, before anybody asks. */

import { expect, test } from 'vitest';
import { type Rig, secret, startRig } from '../rig.ts';

async function started(password?: string): Promise<Rig> {
  const credential = password !== undefined && { kind: 'password' as const, password: secret(password) };
  return startRig({ config: credential === false ? {} : { credential } });
}

test('has a token before the first question comes', async () => {
  const rig = await started();
  await expect.poll(() => rig.fake.login.issued.length).toBe(1);
  expect(rig.logged).toEqual([]);
  await rig.close();
});

test('tells of a wrong secret, and how it is mended, without a question', async () => {
  const rig = await started('not the secret');
  await expect
    .poll(() => rig.logged.join())
    .toContain('Questions in Teams cannot be answered yet. Microsoft issues no token');
  expect(rig.logged.join()).toContain('set MICROSOFT_APP_PASSWORD to its value');
  await rig.close();
});

test('that is still waited for when the bridge ends is no fault', async () => {
  const rig = await started();
  await rig.close();
  expect(rig.logged).toEqual([]);
});
