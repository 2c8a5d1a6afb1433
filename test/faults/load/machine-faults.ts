/**
 * Seeded faults: bridge processes and PostgreSQL are killed or paused, the network between one bridge process and PostgreSQL
 * fails, or PostgreSQL fails over to its standby.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresPair } from '../../fakes/postgres/pair.ts';
import type { PostgresServer } from '../../fakes/postgres/server.ts';
import type { Replica, Town } from './town.ts';

const KILL = 'kill -9';
const PAUSE = 'SIGSTOP';
const DATABASE_KILL = 'PostgreSQL kill -9';
const DATABASE_PAUSE = 'PostgreSQL SIGSTOP';
const FAILOVER = 'PostgreSQL failover';
const NETWORK = 'network of one replica';

/** Maximum time until a killed process starts again, and maximum length of a pause, in milliseconds. */
const DOWN_MS = 1_500;
const PAUSE_MS = 4_000;
/**
 * Maximum length of a pause if there are other replicas, in milliseconds. It exceeds the lease of 7 s, so that another
 * replica can take over.
 */
const TAKEOVER_PAUSE_MS = 14_000;
/**
 * Shortest and longest failure of a network, in milliseconds. Most failures are short; some end after another replica
 * has taken over, and some after TCP gave up its connections.
 */
const NETWORK_MS = { least: 500, most: 60_000 };

type Random = () => number;

/** The processes of a run, and what happened to them. */
export type Machines = Pick<Town, 'replicas' | 'postgres' | 'pair' | 'breaks' | 'machineFaults' | 'excused'>;

/** Begins one fault. Resolves when it is over. */
export async function breakOne(town: Machines, random: Random): Promise<void> {
  const { postgres, pair } = town;
  if (pair !== undefined && random() < DATABASE_FAULTS) return failOver(town, pair, random);
  if (postgres !== undefined && random() < DATABASE_FAULTS)
    return (random() < DATABASE_KILLS ? killDatabase : pauseDatabase)(town, postgres, random);
  const fault = random();
  if (fault < NETWORKS && town.replicas.length > 1) return disconnectOne(town, random);
  return (fault < NETWORKS + PAUSES ? pauseOne : killOne)(town, random);
}

/**
 * Shares of the faults of a bridge process that disconnect it from PostgreSQL, and that pause it; the other faults kill
 * it.
 */
const NETWORKS = 0.35;
const PAUSES = 0.25;
/** Share of the faults that hit PostgreSQL, and share of those that kill it; the others pause it. */
const DATABASE_FAULTS = 0.25;
const DATABASE_KILLS = 0.6;

async function killDatabase(town: Machines, postgres: PostgresServer, random: Random): Promise<void> {
  const at = Date.now();
  await postgres.kill();
  await pause(random() * DOWN_MS);
  await postgres.restart();
  ended(town, DATABASE_KILL, at);
}

async function pauseDatabase(town: Machines, postgres: PostgresServer, random: Random): Promise<void> {
  const at = Date.now();
  const resume = await postgres.pause();
  await pause(random() * PAUSE_MS);
  resume();
  ended(town, DATABASE_PAUSE, at);
}

/** Kills the primary, promotes the standby, and makes a new standby. */
async function failOver(town: Machines, pair: PostgresPair, random: Random): Promise<void> {
  const at = Date.now();
  await pair.primary.kill();
  town.breaks.push(at);
  await pause(random() * DOWN_MS);
  await pair.promote();
  ended(town, FAILOVER, at);
  await pair.renew();
}

const someReplica = ({ replicas }: Machines, random: Random): Replica | undefined =>
  replicas[Math.floor(random() * replicas.length)];

/** Kills a process and starts it again. Resolves when it is ready. */
async function killOne(town: Machines, random: Random): Promise<void> {
  const replica = someReplica(town, random);
  if (replica === undefined) return;
  const at = Date.now();
  await replica.life.kill();
  town.breaks.push(Date.now());
  await pause(random() * DOWN_MS);
  await replica.start();
  ended(town, KILL, at);
}

/** Pauses a process and lets it continue. */
async function pauseOne(town: Machines, random: Random): Promise<void> {
  const replica = someReplica(town, random);
  if (replica === undefined) return;
  const at = Date.now();
  replica.life.signal('SIGSTOP');
  town.breaks.push(at);
  await pause(random() * (town.replicas.length > 1 ? TAKEOVER_PAUSE_MS : PAUSE_MS));
  replica.life.signal('SIGCONT');
  ended(town, PAUSE, at);
}

/**
 * Makes the network between one process and PostgreSQL fail: `cut` resets its connections and refuses new ones,
 * `half-open` loses what it sends and receives without a word, and `reset` resets its connections once.
 */
async function disconnectOne(town: Machines, random: Random): Promise<void> {
  const network = someReplica(town, random)?.network;
  if (network === undefined) return;
  const at = Date.now();
  const kind = (['reset', 'cut', 'half-open'] as const)[Math.floor(random() * 3)] ?? 'reset';
  network.set(kind === 'half-open' ? 'half-open' : 'cut');
  town.breaks.push(at);
  const { least, most } = NETWORK_MS;
  if (kind !== 'reset') await pause(least * (most / least) ** random());
  network.set('open');
  ended(town, `${NETWORK}: ${kind}`, at);
}

function ended({ machineFaults, excused }: Machines, name: string, at: number): void {
  const span = { at, until: Date.now() };
  machineFaults.push({ name, ...span });
  excused.push(span);
}
