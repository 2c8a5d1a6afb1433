/**
 * `npm run bench [-- NAME ...] [--json] [--full] [--turns N]`: runs each bench in a separate process, reports progress on standard
 * error and prints each table when its bench ends. Takes at most five minutes; `--full` runs longer and prints more
 * rows. Benches are not tests: they print each measurement next to its target, and succeed whatever the result.
 */

import { spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Figure } from './figure.ts';

const BENCHES = [
  'start',
  'turns',
  'traces',
  'store',
  'console',
  'store-postgres',
  'store-outage',
  'operate',
  'render',
  'decode',
  'calls',
  'upload',
  'retrieval',
  'rules',
  'identity',
  'strangers',
  'crowds',
  'slack',
  'replicas',
  'many',
  'teams',
  'xmpp',
  'memory',
  'soak',
] as const;
/** Benches that run for minutes, so they run only with `--full` or by name. */
const LONG: readonly string[] = ['traces', 'xmpp', 'memory', 'many', 'soak'];
/** One-minute load per core above which a note says that the machine was too busy for good figures. */
const BUSY = 0.5;

const HELP = `Usage: npm run bench -- [NAME ...] [--full] [--turns N] [--json]

Measures Parley and prints each figure beside its target. Takes at most five minutes.

  NAME       one of ${BENCHES.join(', ')} (default: all; ${LONG.join(' and ')} only with --full)
  --full     run longer, with more rows
  --turns N  number of turns at once in the bench many (default: 2000)
  --json     print one JSON object in place of tables`;

const { values, positionals } = readArguments();
if (values.help === true) {
  console.log(HELP);
  process.exit(0);
}
const unknown = positionals.filter((name) => !BENCHES.some((known) => known === name));
if (unknown.length > 0) {
  console.error(`There is no bench "${unknown.join('", "')}". Known are: ${BENCHES.join(', ')}.`);
  process.exit(64);
}

const turns = Number(values.turns ?? 0);
const options = { full: values.full === true, ...(turns > 0 && { turns }) };

const isDefault = (name: string) => values.full === true || !LONG.includes(name);
const chosen = BENCHES.filter((name) =>
  positionals.length === 0 ? isDefault(name) : positionals.includes(name),
);
const load = loadavg()[0] ?? 0;
const busy = load > availableParallelism() * BUSY;
const figures: Figure[] = [];
for (const [nth, bench] of chosen.entries()) {
  process.stderr.write(`${bench} (${nth + 1} of ${chosen.length})\n`);
  const its = await runApart(bench);
  figures.push(...its);
  if (values.json !== true) print(its);
}

if (values.json === true) console.log(JSON.stringify({ busy, load, figures }, undefined, 2));
else if (busy)
  console.log(`The machine was busy (load ${load.toFixed(1)}): expect better figures on an idle one.`);

function readArguments() {
  try {
    const flag = { type: 'boolean' } as const;
    return parseArgs({
      allowPositionals: true,
      options: { json: flag, full: flag, turns: { type: 'string' }, help: { ...flag, short: 'h' } },
    });
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${HELP}`);
    process.exit(64);
  }
}

function print(its: readonly Figure[]): void {
  console.table(
    its.map(({ name, value, unit, target, ok }) => ({
      what: name,
      measured: `${Number(value.toPrecision(3))} ${unit}`,
      target,
      met: ok ? 'yes' : 'NO',
    })),
  );
}

/** Runs a bench in a new process, so that no bench warms up or slows down another. */
async function runApart(bench: string): Promise<readonly Figure[]> {
  const script = `const { run } = await import(${JSON.stringify(new URL(`${bench}.ts`, import.meta.url).href)});
    process.send(await run(${JSON.stringify(options)}));`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let told: readonly Figure[] | undefined;
    child.once('message', (message) => {
      told = message as readonly Figure[];
      child.disconnect();
    });
    child.once('exit', (code) =>
      told === undefined ? reject(new Error(`The bench ${bench} ended with ${code}.`)) : resolve(told),
    );
  });
}
