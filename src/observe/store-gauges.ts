/** The metrics that are read from the store: turns by state, and the state of this replica. */

import { Gauge, type Registry } from 'prom-client';
import type { TurnCounts } from '../core/stores/inbox.ts';

export interface StoreGauges extends TurnCounts {
  /** Age of the oldest waiting turn, in milliseconds; absent if none waits. */
  readonly oldestWaitingMs?: number;
  /** Absent in a bridge of one process. */
  readonly replica?: ReplicaGauges;
}

interface ReplicaGauges {
  readonly replicas: number;
  readonly workspaces: number;
  readonly leaseMs: number;
  readonly takeovers: number;
  readonly checkpointsBehind: number;
}

/** Returns a function that reads the values from the store into the registry. It never rejects. */
export function storeGauges(registry: Registry, read: () => Promise<StoreGauges>): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const turns = new Gauge({
    name: 'parley_turns',
    help: 'Turns of all replicas by state; waiting turns include postponed ones, which wait for the agent platform',
    labelNames: ['state'],
    registers: [registry],
  });
  const oldest = gauge('parley_oldest_waiting_seconds', 'Age of the oldest waiting turn; 0 if none waits');
  const readable = gauge(
    'parley_store_readable',
    '1 if the values of the store are current, 0 if it could not be read',
  );
  let setReplica: ((state: ReplicaGauges) => void) | undefined;
  return async () => {
    try {
      const { waiting, postponed = 0, running, oldestWaitingMs = 0, replica } = await read();
      turns.set({ state: 'waiting' }, waiting);
      turns.set({ state: 'postponed' }, postponed);
      turns.set({ state: 'running' }, running);
      oldest.set(oldestWaitingMs / 1000);
      if (replica) {
        setReplica ??= replicaGauges(gauge);
        setReplica(replica);
      }
      readable.set(1);
    } catch {
      readable.set(0);
    }
  };
}

function replicaGauges(gauge: (name: string, help: string) => Gauge): (state: ReplicaGauges) => void {
  const all = gauge('parley_replicas', 'Live replicas');
  const owned = gauge('parley_owned_workspaces', 'Workspaces whose turns this replica claims');
  const lease = gauge('parley_lease_seconds', 'Time for which this replica can rely on its lease');
  const takeoverGauge = gauge('parley_takeovers', 'Workspaces that this replica took over since its start');
  const behind = gauge('parley_checkpoints_behind', 'Checkpoints of this replica that are not stored yet');
  return ({ replicas, workspaces, leaseMs, takeovers, checkpointsBehind }) => {
    all.set(replicas);
    owned.set(workspaces);
    lease.set(leaseMs / 1000);
    takeoverGauge.set(takeovers);
    behind.set(checkpointsBehind);
  };
}
