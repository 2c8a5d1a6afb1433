/**
 * Measures target P14 on each engine: people in Slack and Teams ask questions for 3 minutes (with `--full`, 15
 * minutes), while 2 % of the channels' calls and 2 % of the answers fail. Prints how much the bridge's memory and its
 * rows grow, and how often the delivery contract is broken. The bridge and PostgreSQL are separate processes.
 */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { check } from '../fakes/history/check.ts';
import { recordOf } from '../fakes/history/history.ts';
import { seeded } from '../fakes/seeded.ts';
import { type Planned, planOf } from '../faults/load/plan.ts';
import { quiet } from '../faults/load/quiet.ts';
import { slackPeople } from '../faults/load/slack-people.ts';
import { teamsPeople } from '../faults/load/teams-people.ts';
import { openTown, type Town } from '../faults/load/town.ts';
import { collectedMemory, inspected, type Memory } from './collected.ts';
import { type EngineName, engines } from './engine.ts';
import { type Figure, none, part } from './figure.ts';
import { freePort } from './free-ports.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** Share of calls and answers that fail. */
const FAULTY = 0.02;
/** Share of the run that does not count, because in this time caches are filled and code is compiled. */
const WARMING = 1 / 3;
/** The growth of the memory is reported for this many minutes, however long the run takes. */
const SPAN_MINUTES = 10;
const TARGET_MIB = 1;
/** Number of questions from one measurement of the memory to the next. */
const SAMPLE_EVERY = 10;
const SEED = 14;

export async function run({ full = false }: { readonly full?: boolean } = {}): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const minutes = full ? 15 : 3;
  for (const engine of engines) figures.push(...(await part(`P14: ${engine}`, () => soak(engine, minutes))));
  return figures;
}

/** State of the bridge at one time. */
interface Sample extends Memory {
  readonly minute: number;
}

async function soak(engine: EngineName, minutes: number): Promise<readonly Figure[]> {
  const events = Math.round((minutes * MINUTE_MS) / SECOND_MS);
  const port = await freePort();
  const town = await openTown({ engine, replicas: 1, seed: SEED, variables: inspected(port) });
  try {
    const always = { probability: FAULTY, count: Number.POSITIVE_INFINITY } as const;
    const planted = [
      town.slack.plant({ kind: 'status', status: 503, ...always }),
      town.teams.plant({ kind: 'status', status: 503, ...always }),
    ];
    const { samples, middle } = await ask(town, planOf(events, seeded(SEED)), port);
    for (const fault of planted) fault.remove();
    await quiet(town);
    const end = await rowsIn(town);
    const row = `P14: ${engine}, ${events} questions in ${minutes} min`;
    const warm = samples.filter(({ minute }) => minute >= minutes * WARMING);
    const growth = (of: (memory: Memory) => number) =>
      SPAN_MINUTES * slopeOf(warm.map((each) => [each.minute, of(each)]));
    const breaches = check(recordOf(town));
    for (const { rule, where, what } of breaches) process.stderr.write(`  ${rule}: ${where}: ${what}\n`);
    const perQuestion = (end.all - middle.all) / (events / 2);
    return [
      atMostMiB(
        `${row}, growth of objects and buffers in ${SPAN_MINUTES} min`,
        growth(({ usedMiB }) => usedMiB),
      ),
      {
        ...{ name: `${row}, growth of compiled code in ${SPAN_MINUTES} min`, unit: 'MiB' },
        ...{ value: growth(({ codeMiB }) => codeMiB), target: 'none', ok: true },
      },
      atMostMiB(
        `${row}, growth of the process in ${SPAN_MINUTES} min`,
        growth(({ residentMiB }) => residentMiB),
      ),
      none(`${row}, breaches of the contract`, breaches.length),
      none(`${row}, turns that have not ended`, end.open),
      none(`${row}, rows of growing answers at the end`, end.answers),
      {
        ...{
          name: `${row}, rows that each question adds for a week at most`,
          value: perQuestion,
          unit: 'rows',
        },
        ...{ target: '<= 10', ok: perQuestion <= 10 },
      },
    ];
  } finally {
    await town.close();
  }
}

const atMostMiB = (name: string, value: number): Figure => ({
  ...{ name, value, unit: 'MiB', target: `<= ${TARGET_MIB} MiB`, ok: value <= TARGET_MIB },
});

/**
 * Asks one question a second. Resolves with the memory over time, and with the numbers of stored rows after half of the
 * questions.
 * @param port where the bridge's inspector listens
 */
async function ask(town: Town, plan: readonly Planned[], port: number) {
  const people = { slack: slackPeople(town.slack, plan.length), teams: teamsPeople(town.teams, plan.length) };
  const samples: Sample[] = [];
  let middle = await rowsIn(town);
  const began = performance.now();
  for (const [nth, planned] of plan.entries()) {
    await pause(Math.max(0, began + nth * SECOND_MS - performance.now()));
    const { happens } = planned;
    const asked = people[planned.channel]({ ...planned, saying: sayingOf(planned, nth) });
    if (happens !== undefined) setTimeout(() => asked.happens(happens.what), happens.afterMs);
    const minute = (performance.now() - began) / MINUTE_MS;
    if (nth % SAMPLE_EVERY === 0) samples.push({ minute, ...(await collectedMemory(port)) });
    if (nth === Math.floor(plan.length / 2)) middle = await rowsIn(town);
  }
  return { samples, middle };
}

/** Returns the planned answer; only 2 % of the answers have a fault. */
function sayingOf({ saying }: Planned, nth: number): Planned['saying'] {
  const { fault: _, ...whole } = saying;
  return nth % Math.round(1 / FAULTY) === 0 ? { ...whole, fault: { code: 'F01', times: 2 } } : whole;
}

/** Returns the slope of the line fitted to points of a time and a value. */
function slopeOf(points: readonly (readonly [at: number, value: number])[]): number {
  const mean = (of: (at: number, value: number) => number) =>
    points.reduce((sum, [at, value]) => sum + of(at, value), 0) / points.length;
  const [time, middle] = [mean((at) => at), mean((_, value) => value)];
  const spread = mean((at) => (at - time) ** 2);
  return spread === 0 ? 0 : mean((at, value) => (at - time) * (value - middle)) / spread;
}

interface Rows {
  readonly all: number;
  readonly open: number;
  readonly answers: number;
}

const TABLES = ['turns', 'answers', 'keyed', 'withdrawn', 'feedback'];
const COUNTS = (schema: string) => `SELECT
  ${TABLES.map((table) => `(SELECT count(*) FROM ${schema}${table})`).join(' + ')} AS "all",
  (SELECT count(*) FROM ${schema}turns WHERE state IN ('waiting', 'running')) AS open,
  (SELECT count(*) FROM ${schema}answers) AS answers`;

async function rowsIn({ postgres, replicas, address }: Town): Promise<Rows> {
  const counts = async (): Promise<object> => {
    if (postgres === undefined || address === undefined) {
      const file = join(replicas[0]?.folder ?? '', 'parley.sqlite');
      using database = new DatabaseSync(file, { readOnly: true });
      return database.prepare(COUNTS('')).get() ?? {};
    }
    const client = await postgres.connect(address);
    const { rows } = await client.query<object>(COUNTS('parley.'));
    await client.end();
    return rows[0] ?? {};
  };
  const found = Object.entries(await counts()).map(([name, value]) => [name, Number(value)] as const);
  return { all: 0, open: 0, answers: 0, ...Object.fromEntries(found) };
}
