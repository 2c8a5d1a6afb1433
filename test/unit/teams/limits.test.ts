/** What the bridge allows itself is what Teams documents, call by call. */

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
])('%s: of a chat or channel, and of the organisation', (family, rates) => {
  const shared = limits[family]?.shared ?? [];
  expect(shared.map(({ of, windows }) => [of, windows])).toEqual([
    ['room', windowsOf(rates)],
    ['tenant', windowsOf(tenant)],
  ]);
});

test('a stream keeps its second between two calls, whatever there is to say', () => {
  expect(limits.stream).toMatchObject({ gapMs: 1_000, strict: true });
});

test('what only asks counts for the organisation', () => {
  expect(limits.asking?.shared?.map(({ of, windows }) => [of, windows])).toEqual([
    ['tenant', windowsOf(tenant)],
  ]);
});
