/**
 * Measures target P9 on each engine: one bridge answers 2,000 questions at once (`--turns N`: N questions) in 100 Slack
 * workspaces, and each answer gets five pieces of text a second. The answers end after the measurement, so that all
 * turns run at the same time even on a slow machine. Slack and the questions share one process; the platform, the bridge
 * and PostgreSQL run in processes of their own. Two rows show the delays of Slack's process and of the platform: if
 * these are long, the bridge was not measured under the whole load.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { questionOf } from './channel/saying.ts';
import { type EngineName, engines, openEngine } from './engine.ts';
import { atMost, type Figure, none, part } from './figure.ts';
import { type House, openHouse } from './slack/house.ts';
import { seenOf } from './slack/watch.ts';
import { cpuSeconds, residentMiB, SAMPLE_EVERY_MS, watchLoop } from './usage.ts';

const TURNS = 2_000;
const WORKSPACES = 100;
/** Pace of the questions. */
const ASKED_A_SECOND = 25;
/** Maximum seconds from the first question until all turns run. Each answer lasts longer, unless it is ended early. */
const BEGINNING_SECONDS = 240;
const SECOND_MS = 1_000;
const EVERY_MS = 200;
const CHARS_A_SECOND = 165;
/** Maximum wait for all turns to end. */
const MAX_WAIT_MS = 180_000;
const LOOK_EVERY_MS = 500;
const TARGET = { mib: 400, loopMs: 50, cores: 0.9 };
/**
 * Maximum event-loop delay of the fake Slack and of the platform, in milliseconds: as long as the pause between two
 * pieces of an answer.
 */
const OTHERS_MS = EVERY_MS;

interface Options {
  readonly full?: boolean;
  readonly turns?: number;
}

export async function run({ full = false, turns = TURNS }: Options = {}): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const seconds = full ? 60 : 20;
  for (const engine of engines)
    figures.push(...(await part(`P9: ${engine}`, () => manyTurns(engine, turns, seconds))));
  return figures;
}

/** Measurements taken while all turns were running at the same time. */
interface Load {
  readonly atOnce: number;
  readonly mib: number;
  readonly loopMs: number;
  readonly cores: number;
  /** Delay of the event loop in the process that contains the fake Slack, and in the platform's process. */
  readonly slackMs: number;
  readonly platformMs: number;
}

interface Asked {
  readonly ts: string;
  readonly id: string;
}

/** @param seconds length of the measurement, in which all turns run */
async function manyTurns(engine: EngineName, turns: number, seconds: number): Promise<readonly Figure[]> {
  await using opened = new AsyncDisposableStack();
  const house = opened.adopt(
    await openHouse({
      ...{ tenants: WORKSPACES, turns, limits: { off: true }, echoes: false },
      engine: await openEngine(opened, engine),
    }),
    (it) => it.close(),
  );
  const begun = performance.now();
  const asked = await askAll(house, turns, BEGINNING_SECONDS + seconds);
  await allRunning(house, turns, begun + BEGINNING_SECONDS * SECOND_MS);
  const load = await watch(house, seconds);
  await house.endAnswers();
  await ended(house, turns);
  const calls = house.slack.log.calls;
  const lost = asked.filter((each) => seenOf(calls, each).lastAt === undefined).length;
  const row = `P9: ${engine}, ${turns} turns for ${seconds} s`;
  return [
    {
      ...{ name: `${row}, at once during the whole measurement`, value: load.atOnce, unit: 'turns' },
      ...{ target: `${turns}`, ok: load.atOnce === turns },
    },
    none(`${row}, replies whose end was never shown`, lost),
    most(`${row}, memory, the most`, load.mib, { unit: 'MiB', target: TARGET.mib }),
    atMost(`${row}, delay of the event loop p99`, load.loopMs, TARGET.loopMs),
    most(`${row}, cores`, load.cores, { unit: 'cores', target: TARGET.cores }),
    atMost(`${row}, delay of the fake Slack p99`, load.slackMs, OTHERS_MS),
    atMost(`${row}, delay of the platform p99`, load.platformMs, OTHERS_MS),
  ];
}

const most = (
  name: string,
  value: number,
  { unit, target }: { readonly unit: string; readonly target: number },
): Figure => ({ name, value, unit, target: `<= ${target} ${unit}`, ok: value <= target });

/** @param seconds length of each answer that is not ended early */
async function askAll({ slack }: House, turns: number, seconds: number): Promise<readonly Asked[]> {
  const rooms = Array.from({ length: WORKSPACES }, (_, nth) => {
    const workspace = slack.workspace(nth);
    return { person: workspace.person(), room: workspace.channel() };
  });
  const asked: Asked[] = [];
  const begun = performance.now();
  for (let nth = 0; nth < turns; nth += 1) {
    const place = rooms[nth % WORKSPACES];
    if (place === undefined) break;
    const early = begun + (nth / ASKED_A_SECOND) * SECOND_MS - performance.now();
    if (early > 1) await pause(early);
    const id = `q${nth}`;
    const saying = { id, ms: seconds * SECOND_MS, everyMs: EVERY_MS, chars: seconds * CHARS_A_SECOND };
    const { ts } = place.person.mentions(place.room, questionOf({ ...saying, shape: 'lines' }));
    asked.push({ id, ts });
  }
  return asked;
}

/** Waits until all turns run, at most until the time `latest` of `performance.now`. */
async function allRunning(house: House, turns: number, latest: number): Promise<void> {
  while ((await running(house)) < turns && performance.now() < latest) await pause(LOOK_EVERY_MS);
}

/** Measures the bridge for `seconds` seconds. */
async function watch(house: House, seconds: number): Promise<Load> {
  const { bridge, pid, loopMs: platformLoop } = house;
  const atBegin = await running(house);
  const slackLoop = watchLoop();
  // Read the delays here and drop them: each reading covers only the time since the previous one.
  await Promise.all([metrics(bridge), platformLoop()]);
  slackLoop();
  const [beganAt, beganCpu] = [performance.now(), cpuSeconds(pid)];
  let mib = 0;
  for (const end = beganAt + seconds * SECOND_MS; performance.now() < end; ) {
    mib = Math.max(mib, residentMiB(pid));
    await pause(LOOK_EVERY_MS);
  }
  const cores = (cpuSeconds(pid) - beganCpu) / ((performance.now() - beganAt) / SECOND_MS);
  const lag = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await metrics(bridge))?.[1];
  // The metric includes the time between two samples.
  const loopMs = Math.max(0, Number(lag) * SECOND_MS - SAMPLE_EVERY_MS);
  const [slackMs, platformMs] = [slackLoop(), await platformLoop()];
  return { atOnce: Math.min(atBegin, await running(house)), mib, cores, loopMs, slackMs, platformMs };
}

/** Returns the number of answers that have begun and not ended. */
async function running({ answers }: House): Promise<number> {
  return Object.values(await answers()).filter(({ endAt }) => endAt === undefined).length;
}

/** Waits until every turn has ended. */
async function ended({ bridge }: House, turns: number): Promise<void> {
  for (const until = Date.now() + MAX_WAIT_MS; Date.now() < until; await pause(LOOK_EVERY_MS)) {
    const counts = [...(await metrics(bridge)).matchAll(/^parley_turns_ended_total\{[^}]*\} (\d+)$/gm)];
    if (counts.reduce((sum, [, count]) => sum + Number(count), 0) >= turns) return;
  }
}

/**
 * Opens a new connection for each request, because the bridge closes idle connections, such as one that waits for the
 * end of a measurement.
 */
const metrics = async (bridge: string): Promise<string> =>
  (await fetch(`${bridge}/metrics`, { headers: { connection: 'close' } })).text();
