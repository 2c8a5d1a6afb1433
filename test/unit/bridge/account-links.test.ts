/** Tests that calls at the same time never link an account to two people of a workspace. */

import { expect, test } from 'vitest';
import { createAccountLinks } from '../../../src/bridge/account-links.ts';
import { createAccountTable } from '../../../src/core/agents/access.ts';
import { person, thread } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../slack/keyed.ts';

const inSlack = thread({ channel: 'slack', tenant: 'T1', kind: 'direct' });
const inConsole = thread({ channel: 'console', tenant: 'console', kind: 'direct' });
const [one, two] = [person({ id: 'U1' }), person({ id: 'U2' })];

test('an account that is linked again while its link ends belongs to one person', async () => {
  const state = memoryKeyed();
  let held: PromiseWithResolvers<void> | undefined;
  const stored = {
    ...state,
    async delete(key: string) {
      if (key.startsWith('holder')) await held?.promise;
      await state.delete(key);
    },
  };
  const accounts = createAccountTable([{ channel: 'console', person: 'ada', account: 'ada@p' }]);
  const clock = createVirtualClock();
  const links = createAccountLinks({
    ...{ stored, accounts, days: 30, clock, titleOf: String },
    isAccepted: async () => true,
    noteAct: async () => undefined,
  });
  const link = (whom: typeof one) => {
    const { id, name } = whom;
    return links.linkProven({ channel: 'slack', tenant: 'T1', person: id, name }, 'ada@p', whom, inConsole);
  };
  expect(await link(one)).toMatchObject({ kind: 'linked' });
  held = Promise.withResolvers();
  const ending = links.unlink(one, inSlack);
  await clock.pass(0);
  expect(await link(one)).toMatchObject({ kind: 'linked' });
  held.resolve();
  await ending;
  await link(two);
  const found = await Promise.all([one, two].map((each) => links.find(each, inSlack)));
  expect(found.filter((account) => account !== undefined).length).toBeLessThanOrEqual(1);
});
