/** The figures for an operator: what the store and the channels know about turns, limits and linked people. */

import type { Permissions } from '../core/access/permissions.ts';
import type { Clock } from '../core/clock.ts';
import type { CallBudget, Operations } from '../core/stores/operations.ts';
import type { AdapterHost, ChannelAdapter } from '../kit.ts';
import type { Sealing, Store } from '../store/index.ts';
import { createQueries, type OperatorQueries } from '../store/operations.ts';
import { CALLS, callsOf, entriesOf, LIMITS, limitsOf, REFUSED_CALLS, recentTimes } from './channels.ts';
import { LINKS, linkOf } from './link-records.ts';

type Adapters = readonly Pick<ChannelAdapter, 'name' | 'limits'>[];

/** Maximum number of links that are read. */
const MAX_PEOPLE = 1_000;

interface BridgeParts {
  readonly store: Pick<Store, 'reader'>;
  readonly stateKey: Sealing['key'];
  readonly clock: Pick<Clock, 'now'>;
}

export function createOperations(
  { store: { reader }, stateKey: key, clock }: BridgeParts,
  adapters: Adapters,
  log: Sealing['log'],
): Operations {
  const queries = createQueries(reader);
  const status = () => reader.status();
  return {
    status,
    async open(filter) {
      const served = new Set(adapters.map(({ name }) => name));
      const { replicas, workspaces } = await status();
      const live = new Set(replicas.map(({ id }) => id));
      const owned = workspaces.filter(({ owner = '' }) => live.has(owner));
      const owners = new Set(owned.map(({ channel, tenant }) => `${channel} ${tenant}`));
      return queries.open(filter, served, replicas.length > 0 ? owners : undefined);
    },
    ended: (filter, limit, after) => queries.ended(filter, limit, after),
    counted: queries.counted,
    ratings: queries.ratings,
    corrections: async (filter, limit) => (await queries.ended(filter, limit, undefined, ['correct'])).lines,
    budgets: () => readBudgets(queries, adapters, clock.now()),
    async people(limit) {
      const { count, rows } = await queries.values(LINKS, 'link ', Math.min(limit, MAX_PEOPLE));
      return { count, people: rows.flatMap((row) => linkOf(row, { key, log }) ?? []) };
    },
  };
}

/** Returns the figures, if the rules give the person the right to see them. */
export const operationsFor =
  (
    permissions: Pick<Permissions, 'decide'>,
    operations: Operations,
  ): NonNullable<AdapterHost['operations']> =>
  (person, place) =>
    permissions.decide(person, 'operate', place).allowed ? operations : undefined;

/** Joins the calls, the learned limits and the refusals of each workspace with the documented limits. */
async function readBudgets(
  queries: OperatorQueries,
  adapters: Adapters,
  now: number,
): Promise<readonly CallBudget[]> {
  const [calls, limits, refused] = await Promise.all(
    [CALLS, LIMITS, REFUSED_CALLS].map(async (namespace) => {
      const { rows } = await queries.values(namespace, '[');
      return new Map(rows.map(({ key, value }) => [key, value]));
    }),
  );
  const documented = new Map(adapters.map(({ name, limits: own }) => [name, own]));
  const keys = new Set([calls, limits, refused].flatMap((values) => [...(values?.keys() ?? [])]));
  return [...keys].flatMap((key) => {
    const [channel = '', tenant = ''] = JSON.parse(key) as readonly string[];
    const processes = entriesOf(calls?.get(key)).map(([, own]) => callsOf(own, now - 60_000));
    const learned = limitsOf(limits?.get(key));
    const times = recentTimes(refused?.get(key), now);
    const families = new Set([...processes, learned, times].flatMap((each) => Object.keys(each)));
    return [...families].map((family): CallBudget => {
      const perMinute = documented.get(channel)?.[family]?.perMinute;
      const refusedAt = times[family]?.at(-1);
      return {
        ...{ channel, tenant, family },
        calls: processes.reduce((sum, own) => sum + (own[family]?.length ?? 0), 0),
        ...(perMinute !== undefined && { perMinute }),
        ...(learned[family] !== undefined && { learned: learned[family] }),
        refused: times[family]?.length ?? 0,
        ...(refusedAt !== undefined && { refusedAt }),
      };
    });
  });
}
