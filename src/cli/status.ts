/** `parley status`: the state of the store and of the replicas, also while the bridge runs or is stopped. */

import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { ReplicaStatus, StoreStatus } from '../core/stores/status.ts';
import { readFileStatus } from '../store/sqlite/status.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { printResult } from './print.ts';
import { projectVersion } from './project.ts';

interface StatusOptions {
  readonly json?: true;
  readonly config?: string;
}

/** Prints the state. Throws `store-unavailable`, or `database-unreachable` and the like, if it cannot be read. */
export async function status({ json, config: file }: StatusOptions, deps: CommandDeps): Promise<number> {
  const { config } = await loadSettings(deps, file);
  const state = await readState(config);
  const version = projectVersion();
  const lines = [`version: ${version}`, ...linesOf(state, config.database !== undefined)];
  printResult(json, { version, ...state }, lines);
  return 0;
}

async function readState({ data, database }: Config): Promise<StoreStatus> {
  if (database === undefined) return readFileStatus(join(data, 'parley.sqlite'), systemClock.now());
  const { withStore, readStatus } = await import('../store/postgres/outside.ts');
  return withStore(database.url.reveal().trim(), readStatus);
}

function linesOf(state: StoreStatus, hasReplicas: boolean): readonly string[] {
  const { waiting, postponed, running, oldestWaitingMs: oldest, replicas, workspaces } = state;
  const age = oldest === undefined ? '' : `, the oldest for ${seconds(oldest)}`;
  const held = postponed === undefined ? '' : ` (${postponed} of them until the agent platform answers)`;
  const turns = `turns: ${running} running, ${waiting} waiting${held}${age}`;
  if (!hasReplicas) return [turns];
  const without = workspaces.filter(({ owner }) => owner === undefined).length;
  return [
    turns,
    `replicas: ${replicas.length === 0 ? 'none' : replicas.length}`,
    ...replicas.map(replicaLine),
    `workspaces: ${workspaces.length - without} with a replica, ${without} without`,
  ];
}

function replicaLine({ id, leaseMs, workspaces, running, report }: ReplicaStatus): string {
  const { host, version, takeovers, checkpointsBehind } = report;
  const facts = [
    `lease ${seconds(leaseMs)}`,
    count(workspaces, 'workspace'),
    count(running, 'running turn'),
    count(takeovers, 'takeover'),
    `${count(checkpointsBehind, 'checkpoint')} behind`,
  ];
  return `  ${id.slice(0, 8)} on ${host}, version ${version}: ${facts.join(', ')}`;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
