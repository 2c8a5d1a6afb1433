/**
 * `npm run test:faults`: runs real bridge processes under load and with seeded faults. Judges them only by the logs of
 * the fake chat platforms and of the agent platform.
 */

import { judge, printed } from './load/judge.ts';
import { readOptions, USAGE, UsageError } from './load/options.ts';
import { runLoad } from './load/run-load.ts';
import { runXmpp } from './load/run-xmpp.ts';
import { loadRun, type SavedRun, saveRun } from './load/save.ts';

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

async function runOf(args: readonly string[]): Promise<SavedRun> {
  const options = readOptions(args);
  if ('judge' in options) return loadRun(options.judge);
  const { save, seed, engine, replicas, server } = options.run;
  tell(`seed ${seed}`);
  const history = await (server === undefined
    ? runLoad(options.run, tell)
    : runXmpp({ ...options.run, server }, tell));
  const run = { header: { seed, engine, replicas, ...(server !== undefined && { server }) }, history };
  if (save !== undefined) await saveRun(save, run);
  return run;
}

try {
  const run = await runOf(process.argv.slice(2));
  const verdict = judge(run);
  tell(printed(run, verdict));
  process.exitCode = verdict.breaches.length === 0 ? 0 : 1;
} catch (thrown) {
  const isUsage = thrown instanceof UsageError || (thrown instanceof TypeError && 'code' in thrown);
  process.stderr.write(isUsage ? `${thrown.message}\n${USAGE}` : `${String(thrown)}\n`);
  process.exitCode = isUsage ? 64 : 70;
}
