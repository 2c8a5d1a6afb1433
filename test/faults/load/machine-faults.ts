/** Seeded faults of the bridge processes: they are killed or paused. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Replica, Town } from './town.ts';

export const KILL = 'kill -9';
export const PAUSE = 'SIGSTOP';

/** Longest time in milliseconds until a killed process starts again, and of a pause. */
const DOWN_MS = 1_500;
const PAUSE_MS = 4_000;

type Random = () => number;

const someReplica = ({ replicas }: Town, random: Random): Replica | undefined =>
  replicas[Math.floor(random() * replicas.length)];

/** Kills a process and starts it again. Resolves when it is ready. */
export async function killOne(town: Town, random: Random): Promise<void> {
  const replica = someReplica(town, random);
  if (replica === undefined) return;
  const at = Date.now();
  await replica.life.kill();
  town.breaks.push(Date.now());
  await pause(random() * DOWN_MS);
  await replica.start();
  town.breaks.push(Date.now());
  ended(town, KILL, at);
}

/** Pauses a process and lets it continue. */
export async function pauseOne(town: Town, random: Random): Promise<void> {
  const replica = someReplica(town, random);
  if (replica === undefined) return;
  const at = Date.now();
  replica.life.signal('SIGSTOP');
  await pause(random() * PAUSE_MS);
  replica.life.signal('SIGCONT');
  ended(town, PAUSE, at);
}

function ended({ machineFaults, excused }: Town, name: string, at: number): void {
  const span = { at, until: Date.now() };
  machineFaults.push({ name, ...span });
  excused.push(span);
}
