/**
 * Measures how much CPU time traces add to a bridge, exported to a collector and without an SDK, and whether a turn costs
 * more after many others. Two bridges run in turn, so that other work of the machine affects both alike.
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
const ROUNDS = 30;
/** Rounds that only warm up a new bridge. */
const WARM_UP = 5;
/** Rounds of the comparison with a new bridge. */
const LAST_ROUNDS = 9;
const PACE_MS = 50;
const LOOK_EVERY_MS = 250;
const TARGET_PERCENT = 5;
/** Percent by which a turn may cost more after many turns than in a new bridge. */
const RISE_PERCENT = 10;

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
  const rounds = await roundsOf([without, exporting], ROUNDS);
  const answered = AT_ONCE * (WARM_UP + ROUNDS);
  const last = await withBridge({}, PACE_MS, (fresh) => roundsOf([fresh, without], LAST_ROUNDS));
  const turn = median(rounds.map(([cost = 0]) => cost));
  const rise = `a turn after ${answered} turns, beyond one of a new bridge`;
  return [
    figure('CPU of the bridge for a turn without traces', turn, 'ms', 0),
    figure('events of the turn without an SDK, share of it', (idleCost() / turn) * 100, '%', TARGET_PERCENT),
    figure('traces exported, beyond it', median(rounds.map(percentBeyond)), '%', TARGET_PERCENT),
    figure(rise, median(last.map(percentBeyond)), '%', RISE_PERCENT),
  ];
}

/**
 * Lets the bridges answer in turn, and returns for each round the CPU milliseconds of each bridge for a turn. They
 * include the time in which the other bridge answers, because spans are exported later.
 */
async function roundsOf(bridges: readonly Bridge[], count: number): Promise<readonly (readonly number[])[]> {
  const rounds: (readonly number[])[] = [];
  for (let round = -WARM_UP; round < count; round += 1) {
    const before = bridges.map(({ pid }) => cpuSeconds(pid));
    for (const bridge of bridges) await answerSome(bridge);
    const costs = bridges.map(({ pid }, nth) => ((cpuSeconds(pid) - (before[nth] ?? 0)) * 1_000) / AT_ONCE);
    if (round >= 0) rounds.push(costs);
  }
  return rounds;
}

const percentBeyond = ([cost = 0, other = 0]: readonly number[]): number => (other / cost - 1) * 100;

/** Resolves once the bridge has answered `AT_ONCE` more questions, which it gets at once. */
async function answerSome({ address }: Bridge): Promise<void> {
  const answered = async () => answeredIn(await (await fetch(`${address}/metrics`)).text());
  const before = await answered();
  await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => ask(address, before + nth)));
  while ((await answered()) < before + AT_ONCE)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
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

/** @param most the limit in `unit`; 0 for a figure without a limit */
function figure(name: string, value: number, unit: string, most: number): Figure {
  return {
    name,
    value,
    unit,
    target: most === 0 ? '' : `<= ${most} ${unit}`,
    ok: most === 0 || value <= most,
  };
}
