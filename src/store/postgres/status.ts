/** Reads the state of the database and of its replicas, also from a process that is no replica. */

import type {
  Gauges,
  ReplicaReport,
  ReplicaStatus,
  StoreStatus,
  TurnTotals,
  WorkspaceStatus,
} from '../../core/stores/status.ts';
import { countsOf, textOf } from '../turn-rows.ts';
import type { Query, Row } from './database.ts';
import type { Replica } from './replica.ts';

const TOTALS = `
  SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'running') AS running,
    count(*) FILTER (WHERE ready < 0) AS postponed,
    extract(epoch FROM clock_timestamp()) * 1000 - min(kept_at) FILTER (WHERE state = 'waiting') AS oldest
  FROM parley.turns WHERE state IN ('waiting', 'running')`;

const REPLICAS = `
  SELECT id, extract(epoch FROM until - clock_timestamp()) * 1000 AS lease, report,
    (SELECT count(*) FROM parley.tenants WHERE owner = replicas.id) AS workspaces,
    (SELECT count(*) FROM parley.turns WHERE owner = replicas.id AND state = 'running') AS running
  FROM parley.replicas WHERE until > clock_timestamp() ORDER BY id`;

const WORKSPACES = `
  WITH open AS (
    SELECT channel, tenant, count(*) FILTER (WHERE state = 'waiting') AS waiting,
      count(*) FILTER (WHERE state = 'running') AS running
    FROM parley.turns WHERE state IN ('waiting', 'running') GROUP BY channel, tenant)
  SELECT channel, tenant, owner, coalesce(waiting, 0) AS waiting, coalesce(running, 0) AS running
  FROM parley.tenants FULL JOIN open USING (channel, tenant)
  ORDER BY coalesce(waiting, 0) + coalesce(running, 0) DESC, channel, tenant LIMIT 1000`;

export async function readStatus(query: Query): Promise<StoreStatus> {
  const [totals = {}] = await query(TOTALS);
  const [replicas, workspaces] = [await query(REPLICAS), await query(WORKSPACES)];
  return { ...totalsOf(totals), replicas: replicas.map(replicaOf), workspaces: workspaces.map(workspaceOf) };
}

/** Resolves with the values of the metrics of one replica. */
export async function readGauges(
  query: Query,
  replica: Pick<Replica, 'id' | 'count' | 'takeovers' | 'leaseMs'>,
  checkpointsBehind: number,
): Promise<Gauges> {
  const [totals = {}] = await query(TOTALS);
  const [owned] = await query('SELECT count(*) AS workspaces FROM parley.tenants WHERE owner = $1', [
    replica.id,
  ]);
  const { count, takeovers } = replica;
  const leaseMs = Math.max(0, replica.leaseMs());
  const workspaces = Number(owned?.workspaces);
  return {
    ...totalsOf(totals),
    replica: { replicas: count, workspaces, leaseMs, takeovers, checkpointsBehind },
  };
}

const totalsOf = ({ oldest, ...counts }: Row): TurnTotals => ({
  ...countsOf(counts),
  ...(oldest !== null && { oldestWaitingMs: Math.max(0, Math.round(Number(oldest))) }),
});

/** Counts the calls of a function that have not ended. */
export function countInFlight() {
  let count = 0;
  return {
    get count() {
      return count;
    },
    counted:
      <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
      async (...given: Given): Promise<Result> => {
        count += 1;
        return work(...given).finally(() => {
          count -= 1;
        });
      },
  };
}

const replicaOf = (row: Row): ReplicaStatus => ({
  id: textOf(row.id),
  leaseMs: Math.round(Number(row.lease)),
  workspaces: Number(row.workspaces),
  running: Number(row.running),
  report: reportOf(row.report),
});

const workspaceOf = ({ channel, tenant, owner, waiting, running }: Row): WorkspaceStatus => ({
  channel: textOf(channel),
  tenant: textOf(tenant),
  ...(typeof owner === 'string' && { owner }),
  waiting: Number(waiting),
  running: Number(running),
});

/** Decodes a report. A report from another version of the bridge may lack some properties. */
function reportOf(value: unknown): ReplicaReport {
  const report: Readonly<Record<string, unknown>> = typeof value === 'object' ? { ...value } : {};
  const number = (name: string) => (typeof report[name] === 'number' ? report[name] : 0);
  const text = (name: string) => (typeof report[name] === 'string' ? report[name] : '');
  return {
    host: text('host'),
    version: text('version'),
    startedAt: number('startedAt'),
    takeovers: number('takeovers'),
    checkpointsBehind: number('checkpointsBehind'),
  };
}
