/** The state of a store and of its replicas, for `parley status` and the metrics. */

import type { TurnCounts } from './inbox.ts';

/** One live replica, as the others see it. */
export interface ReplicaStatus {
  readonly id: string;
  /** Time until the replica's lease ends unless the replica renews it, in milliseconds. */
  readonly leaseMs: number;
  /** Number of workspaces that the replica owns. It claims the turns of these workspaces. */
  readonly workspaces: number;
  readonly running: number;
  /** The replica's report at the last renewal of its lease. */
  readonly report: ReplicaReport;
}

export interface ReplicaReport {
  readonly host: string;
  readonly version: string;
  /** Start of the process, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Number of workspaces that the replica took over from other replicas. */
  readonly takeovers: number;
  /** Number of checkpoints of running turns that are not stored yet. */
  readonly checkpointsBehind: number;
}

export interface WorkspaceStatus {
  readonly channel: string;
  readonly tenant: string;
  /** Id of the replica that claims the workspace's turns; absent while the workspace has no owner. */
  readonly owner?: string;
  readonly waiting: number;
  readonly running: number;
}

export interface TurnTotals extends TurnCounts {
  /** Age of the oldest waiting turn, in milliseconds; absent if none waits. */
  readonly oldestWaitingMs?: number;
}

/** The values of the metrics: those of the store, and those of this process if it is a replica. */
export interface Gauges extends TurnTotals {
  readonly replica?: {
    /** Number of live replicas, this one included. */
    readonly replicas: number;
    /** Number of workspaces whose turns this replica claims. */
    readonly workspaces: number;
    /** Time for which this replica can still rely on its lease, in milliseconds; 0 if the lease has ended. */
    readonly leaseMs: number;
    readonly takeovers: number;
    readonly checkpointsBehind: number;
  };
}

export interface StoreStatus extends TurnTotals {
  /** Live replicas; empty for a store of one process. */
  readonly replicas: readonly ReplicaStatus[];
  /** Workspaces with open turns or an owner, busiest first, 1,000 at most; empty for a store of one process. */
  readonly workspaces: readonly WorkspaceStatus[];
}
