/**
 * Short runs of `npm run test:faults -- --channel xmpp`: the bridge and a real server are killed, and the archives of the
 * server show each answer once, whole and in order.
 */

import { describe, expect, test } from 'vitest';
import { CONTRACT } from '../fakes/history/kept.ts';
import { missing, type ServerName } from '../fakes/xmpp/servers.ts';
import { judge, printed } from './load/judge.ts';
import { readOptions } from './load/options.ts';
import { runXmpp } from './load/run-xmpp.ts';
import { ALL } from './load/table.ts';

const RUN_MS = 240_000;
const EVENTS = 30;
const seed = Number(process.env.PARLEY_SEED ?? 7);
/** Bounds for a busy machine, on which the first sign of a question may be late. */
const PATIENT = { ...CONTRACT, noticeMs: 60_000 };

// Not on ejabberd: if it is killed, it may lose a direct message that it has confirmed (docs/reference/proven.md).
describe.each<ServerName>(['prosody'])('%s', (name) => {
  const reason = missing(name, { isDurable: true });
  test.skipIf(reason !== undefined)(
    reason ?? `${EVENTS} questions while the bridge and the server are killed, seed ${seed}`,
    async () => {
      const options = readOptions([
        '--channel',
        'xmpp',
        '--server',
        name,
        '--events',
        `${EVENTS}`,
        '--seed',
        `${seed}`,
      ]);
      if (!('run' in options)) throw new Error('no run');
      const { server = name } = options.run;
      const history = { ...(await runXmpp({ ...options.run, server }, () => undefined)), bounds: PATIENT };
      const run = { header: { seed, engine: 'sqlite', replicas: 1, server }, history };
      const verdict = judge(run);
      expect(verdict.breaches, printed(run, verdict)).toEqual([]);
      expect(history.questions).toHaveLength(EVENTS);
      expect(history.machineFaults.length).toBeGreaterThan(0);
      const all = verdict.rows.find(({ fault }) => fault === ALL);
      expect(all?.ends).toBe(all?.questions);
    },
    RUN_MS,
  );
});

test.each([
  [['--channel', 'irc']],
  [['--server', 'prosody']],
  [['--channel', 'xmpp', '--server', 'openfire']],
  [['--channel', 'xmpp', '--engine', 'postgres']],
])('refuses %j', (args) => {
  expect(() => readOptions(args)).toThrow(/^--/);
});
