/** Tests the sign-in when the bridge starts, before the first question. */

import { expect, test } from 'vitest';
import { type Rig, secret, startRig } from '../rig.ts';

async function started(password?: string): Promise<Rig> {
  const credential = password !== undefined && { kind: 'password' as const, password: secret(password) };
  return startRig({ config: credential === false ? {} : { credential } });
}

test('the sign-in fetches a token before the first question', async () => {
  const rig = await started();
  await expect.poll(() => rig.fake.login.issued.length).toBe(1);
  expect(rig.logged).toEqual([]);
  await rig.close();
});

test('the sign-in logs a wrong secret and its cure before any question', async () => {
  const rig = await started('not the secret');
  await expect
    .poll(() => rig.logged.join())
    .toContain('Questions in Teams cannot be answered yet. Microsoft issues no token');
  expect(rig.logged.join()).toContain('set MICROSOFT_APP_PASSWORD to the value of the secret');
  await rig.close();
});

test('the sign-in logs no error if the bridge stops during the sign-in', async () => {
  const rig = await started();
  await rig.close();
  expect(rig.logged).toEqual([]);
});
