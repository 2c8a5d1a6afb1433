/**
 * Tests whether the app may post under other names: decided by the token's scopes, or by those granted at the
 * installation.
 */

import { expect, test } from 'vitest';
import { createCaller } from '../../../../adapters/slack/api/sender.ts';
import { createInstallations } from '../../../../adapters/slack/receive/installations.ts';
import { createMembers } from '../../../../adapters/slack/receive/members.ts';
import { oneWorkspace } from '../../../../adapters/slack/receive/one-workspace.ts';
import { createReach } from '../../../../adapters/slack/receive/reach.ts';
import { systemClock as clock } from '../../../../src/clock.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { startFakeSlack } from '../../../fakes/slack/index.ts';
import { manifestScopes } from '../../../fakes/slack/manifest.ts';
import { memoryKeyed } from '../keyed.ts';
import { secret } from '../rig.ts';

const NAMES = 'chat:write.customize';

test('the scopes of a configured token contain the right', async () => {
  const fake = await startFakeSlack();
  const workspace = fake.workspace();
  const { signal } = new AbortController();
  const parts = {
    token: secret(workspace.token),
    call: createCaller(fake.apiUrl, quiet),
    clock,
    reach: createReach(quiet),
    members: createMembers(memoryKeyed()),
    signal,
  };
  const found = async () => (await oneWorkspace(parts)).ofTenant(workspace.id);
  expect(await found()).not.toHaveProperty('customizes');
  workspace.grant([...manifestScopes, NAMES]);
  expect(await found()).toMatchObject({ customizes: true });
  await fake.close();
});

test('the scopes of a stored installation contain the right', async () => {
  const installations = createInstallations(memoryKeyed(), clock, createMembers(memoryKeyed()));
  const kept = { id: 'T1', orgWide: false, botUser: 'U1', token: 'xoxb-1' };
  await installations.write({ ...kept, scopes: ['chat:write'] });
  expect(await installations.ofTenant('T1')).not.toHaveProperty('customizes');
  await installations.write({ ...kept, scopes: ['chat:write', NAMES] });
  expect(await installations.ofTenant('T1')).toMatchObject({ customizes: true });
});
