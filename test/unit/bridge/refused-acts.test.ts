/** Tests that nobody can fill the audit with refused acts. */

import { expect, test } from 'vitest';
import { limitRefused } from '../../../src/bridge/refused-acts.ts';
import type { Act } from '../../../src/core/stores/audit.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

function open() {
  const clock = createVirtualClock();
  const acts: Act[] = [];
  const note = limitRefused(async (act) => void acts.push(act), clock);
  const share = (person: string, outcome = 'refused', tenant = 'T1') =>
    note({ action: 'share', outcome, channel: 'slack', tenant, person });
  const times = async (count: number, act: () => Promise<void>) => {
    for (let time = 0; time < count; time += 1) await act();
  };
  return { clock, acts, share, times };
}

test('of the refused acts of a person in a minute, 30 are recorded, and one record says that there are more', async () => {
  const { clock, acts, share, times } = open();
  await times(1_000, () => share('eve'));
  expect(acts).toHaveLength(31);
  expect(acts.filter(({ detail }) => detail !== undefined)).toHaveLength(1);
  expect(acts.at(-1)).toMatchObject({ person: 'eve', action: 'share', outcome: 'refused' });
  await clock.pass(59_999);
  await share('eve');
  expect(acts).toHaveLength(31);
  await clock.pass(1);
  await times(1_000, () => share('eve'));
  expect(acts).toHaveLength(62);
});

test('acts of other people, other workspaces and acts that are done are all recorded', async () => {
  const { acts, share, times } = open();
  await times(100, () => share('eve'));
  await share('ada');
  await share('eve', 'refused', 'T2');
  await times(100, () => share('eve', 'done'));
  expect(acts).toHaveLength(31 + 2 + 100);
});
