/** Tests that the bridge's limits equal those that Teams documents. */

import { expect, test } from 'vitest';
import { limits } from '../../../adapters/teams/limits.ts';
import { documentedRates } from '../../fakes/teams/limits.ts';

const { thread, tenant } = documentedRates;
const windowsOf = (rates: readonly { readonly calls: number; readonly per: number }[]) =>
  rates.map(({ calls, per: ms }) => ({ calls, ms }));

test.each([
  ['activity', thread.send],
  ['card', thread.send],
  ['stream', thread.send],
  ['typing', thread.send],
])('%s calls count for the chat or channel, and for the organization', (family, rates) => {
  const shared = limits[family]?.shared ?? [];
  expect(shared.map(({ of, windows }) => [of, windows])).toEqual([
    ['room', windowsOf(rates)],
    ['tenant', windowsOf(tenant)],
  ]);
});

test('two calls of a stream are always a second apart', () => {
  expect(limits.stream).toMatchObject({ gapMs: 1_000, strict: true });
});

test('look-ups count for the organization, and those of people for their conversation too', () => {
  const shared = (family: string) => limits[family]?.shared?.map(({ of, windows }) => [of, windows]);
  expect(shared('asking')).toEqual([['tenant', windowsOf(tenant)]]);
  expect(shared('members')).toEqual([
    ['room', windowsOf(thread.members)],
    ['tenant', windowsOf(tenant)],
  ]);
});
