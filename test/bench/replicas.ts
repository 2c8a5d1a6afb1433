/**
 * Measures replicas on PostgreSQL with Slack: acknowledgements by one and by two replicas, the takeover of a killed
 * replica's workspace, and the end of the answer that the kill interrupted. Commits are written to the disk.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { type FakeSlack, startFakeSlack, visibleText } from '../fakes/slack/index.ts';
import { type Bridge, openBridge, openPlatform, type Platform } from './channel/processes.ts';
import { questionOf } from './channel/saying.ts';
import { engines, openEngine } from './engine.ts';
import { atMost, type Figure, part } from './figure.ts';
import { acknowledgedOn } from './slack/acknowledge.ts';
import { LATENCY_MS, tokenOf } from './slack/house.ts';

const SECOND_MS = 1_000;
const TAKEOVER_MS = 10_000;
const LAST_WORDS_MS = 15_000;
/** Length of the answer that a kill interrupts. */
const ANSWER_MS = 60_000;
/**
 * Number of people who ask. The replicas count each person's questions in one row of the store, so the questions of a
 * single person would wait for each other.
 */
const PEOPLE = 200;
/** Time for which the answer grows before the kill. */
const GROWING_MS = 2_000;
const LOOK_EVERY_MS = 50;
const MAX_WAIT_MS = 60_000;

export async function run({ full = false }: { readonly full?: boolean } = {}): Promise<readonly Figure[]> {
  if (!engines.includes('postgres')) return [];
  return [
    ...(await part('acknowledgements', () => acknowledgements(full ? 60 : 10))),
    ...(await part('takeovers', () => takeovers(full ? 5 : 2))),
  ];
}

async function acknowledgements(seconds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const replicas of [1, 2]) {
    await using opened = new AsyncDisposableStack();
    const row = `postgres, ${replicas === 1 ? 'one replica' : 'two replicas'}: acknowledgement`;
    const rate = { row, seconds, aSecond: 300, replicas, people: PEOPLE };
    figures.push(...(await acknowledgedOn(await openEngine(opened, 'postgres'), rate)));
  }
  return figures;
}

interface Stage {
  readonly slack: FakeSlack;
  readonly platform: Platform;
  start(): Promise<Bridge>;
}

/**
 * Kills the answering replica, and repeats this until `times` replicas were killed. Returns the longest time until the
 * takeover, and the longest time until the end of the reply.
 */
async function takeovers(times: number): Promise<readonly Figure[]> {
  await using opened = new AsyncDisposableStack();
  const engine = await openEngine(opened, 'postgres');
  const slack = opened.adopt(await startFakeSlack({ latencyMs: LATENCY_MS }), (it) => it.close());
  const platform = await openPlatform(opened);
  const stage: Stage = {
    slack,
    platform,
    start: () =>
      openBridge(opened, platform, {
        line: 'slack: { streaming: always }',
        environment: { ...tokenOf(slack), ...engine },
      }),
  };
  let replicas: readonly Bridge[] = [await stage.start(), await stage.start()];
  let worst = { takenMs: 0, lastMs: 0 };
  for (let nth = 0; nth < times; nth += 1) {
    const { heir, takenMs, lastMs } = await takeOver(stage, replicas, `kill-${nth}`);
    worst = { takenMs: Math.max(worst.takenMs, takenMs), lastMs: Math.max(worst.lastMs, lastMs) };
    replicas = [heir, await stage.start()];
  }
  const row = `postgres: of ${times} kills, the longest time to`;
  return [
    atMost(`${row} the takeover`, worst.takenMs, TAKEOVER_MS),
    atMost(`${row} the end of the interrupted reply`, worst.lastMs, LAST_WORDS_MS),
  ];
}

async function takeOver({ slack }: Stage, replicas: readonly Bridge[], id: string) {
  const workspace = slack.workspace();
  const room = workspace.channel();
  slack.deliverTo(`${replicas[0]?.url}/slack/events`);
  const saying = { id, ms: ANSWER_MS, everyMs: 200, chars: 10_000, shape: 'lines' } as const;
  const { ts } = workspace.person().mentions(room, questionOf(saying));
  const reply = () =>
    slack
      .thread(room.id, ts)
      .filter(({ app }) => app)
      .map(visibleText)
      .join('\n');
  await until('the answer grows', () => reply().includes('Point 1'));
  await pause(GROWING_MS);
  const owned = await Promise.all(replicas.map(ownedBy));
  const owner = replicas[owned.indexOf(1)];
  const heir = replicas[owned.indexOf(0)];
  if (owner === undefined || heir === undefined) throw new Error(`No single owner: ${owned.join(', ')}.`);
  slack.deliverTo(`${heir.url}/slack/events`);
  const killedAt = Date.now();
  await owner.kill();
  const since = (at: number) => at - killedAt;
  const [takenMs, lastMs] = await Promise.all([
    until('the workspace is taken over', async () => (await ownedBy(heir)) === 1).then(since),
    until('the reply ends', () => reply().includes('interrupted')).then(since),
  ]);
  return { heir, takenMs, lastMs };
}

async function ownedBy({ url }: Bridge): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
  return Number(/^parley_owned_workspaces (\d+)$/m.exec(metrics)?.[1]);
}

/** Waits until `look` returns true. Resolves with the current time. */
async function until(what: string, look: () => boolean | Promise<boolean>): Promise<number> {
  for (const latest = Date.now() + MAX_WAIT_MS; Date.now() < latest; await pause(LOOK_EVERY_MS))
    if (await look()) return Date.now();
  throw new Error(`Not within ${MAX_WAIT_MS / SECOND_MS} s: ${what}.`);
}
