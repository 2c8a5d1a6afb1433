/**
 * Measures how much CPU time traces add to a bridge: exported to a collector, and without an SDK. Two bridges run in
 * turn, one with and one without a collector, so that other work of the machine affects both alike.
 */

import { randomUUID } from 'node:crypto';
import { turnId } from '../../src/core/ids.ts';
import type { CoreEvent } from '../../src/core/turn-events.ts';
import { createTraces } from '../../src/observe/traces.ts';
import type { Figure } from './figure.ts';
import { startSink } from './sink.ts';
import { answeredIn, ask, withBridge } from './turns-at-once.ts';
import { cpuSeconds } from './usage.ts';

const AT_ONCE = 30;
const ROUNDS = 7;
const PACE_MS = 50;
const LOOK_EVERY_MS = 250;
const TARGET_PERCENT = 5;

type Bridge = Parameters<Parameters<typeof withBridge>[2]>[0];

export async function run(): Promise<readonly Figure[]> {
  const sink = await startSink();
  try {
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url };
    return await withBridge({}, PACE_MS, (without) =>
      withBridge(on, PACE_MS, (exporting) => compare(without, exporting)),
    );
  } finally {
    await sink.stop();
  }
}

async function compare(without: Bridge, exporting: Bridge): Promise<readonly Figure[]> {
  const costs: number[] = [];
  const shares: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const cost = await costOf(without, round);
    const traced = await costOf(exporting, round);
    // Leaves out the first round, which warms up both bridges.
    if (round === 0) continue;
    costs.push(cost);
    shares.push((traced / cost - 1) * 100);
  }
  const turn = median(costs);
  return [
    figure('CPU of the bridge for a turn without traces', turn, 'ms', ''),
    figure('events of the turn without an SDK, share of it', (idleCost() / turn) * 100, '%'),
    figure('traces exported, beyond it', median(shares), '%'),
  ];
}

/** Returns the CPU milliseconds of the bridge for one of `AT_ONCE` turns at once. */
async function costOf({ address, pid }: Bridge, round: number): Promise<number> {
  const answered = async () => answeredIn(await (await fetch(`${address}/metrics`)).text());
  const before = cpuSeconds(pid);
  await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => ask(address, round * AT_ONCE + nth)));
  while ((await answered()) < (round + 1) * AT_ONCE)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  return ((cpuSeconds(pid) - before) * 1_000) / AT_ONCE;
}

const IDLE_TURNS = 20_000;

const EVENTS: readonly (readonly [CoreEvent['name'], CoreEvent['detail']])[] = [
  ['kept', { channel: 'slack', origin: 'message', ms: 1 }],
  ['claimed', { attempt: 1, waitedMs: 1 }],
  ['routed', { agent: 'guide' }],
  ['asking', { interface: 'open' }],
  ['answering', {}],
  ...Array.from({ length: 20 }, () => ['move', { family: 'chat.update', outcome: 'done', ms: 1 }] as const),
  ['ending', {}],
  ['settled', { state: 'answered', chars: 1 }],
];

/** Returns the CPU milliseconds that the events of one turn cost if no SDK is registered. */
function idleCost(): number {
  const { turnEvents } = createTraces({ now: () => 0 }, undefined, false);
  const before = process.cpuUsage();
  for (let nth = 0; nth < IDLE_TURNS; nth += 1) {
    const turn = turnId(randomUUID());
    for (const [name, detail] of EVENTS) turnEvents.record({ turn, at: 1, name, detail });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / IDLE_TURNS;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

function figure(name: string, value: number, unit: string, target = `<= ${TARGET_PERCENT} %`): Figure {
  return { name, value, unit, target, ok: target === '' || value <= TARGET_PERCENT };
}
