/** Measures the CPU time to look up a known person and their platform account (performance target P20). */

import { systemClock } from '../../src/clock.ts';
import { createAccountTable, identify, joinTables } from '../../src/core/agents/access.ts';
import type { Person } from '../../src/core/message.ts';
import { createPersonLookup, PEOPLE } from '../../src/kit/person-lookup.ts';
import type { Figure } from './figure.ts';

const ACCOUNTS = 100_000;
const LOOK_UPS = 50_000;
const MAX_US = 100;
/** Number of runs, of which the fastest counts, because other work on the machine only adds time. */
const TRIES = 5;
const PLACE = { tenant: 'T1' };

const personOf = (id: string): Person => ({
  ...{ id, name: id, standing: 'member', email: `${id.toLowerCase()}@example.org` },
});

export async function run(): Promise<readonly Figure[]> {
  const lookup = createPersonLookup<typeof PLACE>({
    clock: systemClock,
    listOf: () => 'one',
    readList: async function* () {},
    lookUp: async (_place, { id }) => personOf(id),
  });
  for (let nth = 0; nth < PEOPLE; nth += 1) await lookup.find(PLACE, { id: `U${nth}` });
  const table = createAccountTable([{ account: 'first', email: 'first@example.org' }]);
  const file = createAccountTable(
    Array.from({ length: ACCOUNTS }, (_, nth) => ({ account: `a${nth}`, email: `u${nth}@example.org` })),
  );
  const policy = { accounts: joinTables(table, () => file), unmapped: 'refuse', rooms: 'service' } as const;
  const thread = { channel: 'slack', tenant: 'T1', room: 'D1', key: '1', kind: 'direct' } as const;
  const times: number[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = process.cpuUsage();
    for (let nth = 0; nth < LOOK_UPS; nth += 1) {
      const id = `U${nth % PEOPLE}`;
      const { account } = identify(await lookup.find(PLACE, { id }), thread, policy, {});
      if (account !== `a${nth % PEOPLE}`) throw new Error(`${id} got the account ${account}.`);
    }
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / LOOK_UPS);
  }
  const name = `P20: a known person and their account, of ${ACCOUNTS} accounts`;
  const value = Math.min(...times);
  return [{ name, value, unit: 'µs', target: `<= ${MAX_US} µs`, ok: value <= MAX_US }];
}
