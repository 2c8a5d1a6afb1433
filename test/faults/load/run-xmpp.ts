/** Runs a load through XMPP while the bridge and the server are killed, and returns its history. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { check } from '../../fakes/history/check.ts';
import { type History, recordOf } from '../../fakes/history/history.ts';
import { type XmppArchives, xmppRecord } from '../../fakes/history/xmpp-record.ts';
import { seeded } from '../../fakes/seeded.ts';
import type { ServerName } from '../../fakes/xmpp/servers.ts';
import { createCrowd } from './crowd.ts';
import { planOf } from './plan.ts';
import { saveLogs } from './save.ts';
import { openXmppTown, type XmppTown } from './xmpp-town.ts';

export interface XmppLoad {
  readonly server: ServerName;
  readonly events: number;
  readonly seed: number;
  readonly atOnce: number;
  readonly logs?: string;
}

/** Mean pause between two questions in milliseconds, if the bridge keeps up. */
const PAUSE_MS = 120;
/** Number of questions from one kill to the next, and minimum number of kills. */
const KILL_EVERY = 30;
const LEAST_KILLS = 3;
/**
 * Milliseconds without a new message after which the archives are judged: `QUIET_MS` if all replies are complete,
 * `STUCK_MS` if some are not.
 */
const QUIET_MS = 3_000;
const STUCK_MS = 60_000;
const LOOK_EVERY_MS = 1_500;
/** Longest wait for the end, in milliseconds. */
const LONGEST_MS = 5 * 60_000;
/** Rules that a reply can break while it is being written, and keep once it is complete. */
const PASSING = ['terminal', 'thinking', 'text', 'stray'];

export async function runXmpp(load: XmppLoad, tell: (line: string) => void): Promise<History> {
  const town = await openXmppTown(load.server, load.events);
  try {
    await play(town, load, tell);
    return await settled(town);
  } finally {
    if (load.logs !== undefined) {
      await saveLogs(load.logs, [town]);
      await writeFile(join(load.logs, 'server.log'), await town.serverLog());
    }
    await town.close();
  }
}

async function play(town: XmppTown, { events, seed, atOnce }: XmppLoad, tell: (line: string) => void) {
  const random = seeded(seed);
  const crowd = createCrowd(town);
  const every = Math.min(KILL_EVERY, Math.ceil(events / (LEAST_KILLS + 1)));
  let trouble = Promise.resolve();
  for (const [at, planned] of planOf(events, seeded(seed + 1)).entries()) {
    crowd.add(town.people.ask(planned), { ...planned, retries: false });
    if (at % every === every - 1) {
      await trouble;
      const nth = Math.floor(at / every);
      trouble = pause(random() * PAUSE_MS * every).then(() => town.breakOne(nth, random));
    }
    if (at % 100 === 99) tell(`${at + 1} of ${events} questions asked`);
    await pause(random() * 2 * PAUSE_MS);
    await crowd.below(atOnce);
  }
  await trouble;
  await crowd.ended();
  await town.people.sent();
}

/** Returns the history of a run, made from the archives of its server. */
export const historyOf = (town: XmppTown, archives: XmppArchives): History =>
  recordOf({ ...town, seen: xmppRecord(archives) });

/**
 * Resolves with the history once it no longer changes: after `QUIET_MS` if all replies are complete, or else after
 * `STUCK_MS`. Waits at most five minutes.
 */
export async function settled(town: XmppTown): Promise<History> {
  const until = Date.now() + LONGEST_MS;
  let calls = -1;
  let since = Date.now();
  for (;;) {
    const history = historyOf(town, await town.archives());
    if (history.calls.length !== calls) since = Date.now();
    calls = history.calls.length;
    const isDone =
      history.askings.every(({ end }) => end !== undefined) &&
      !check(history).some(({ rule }) => PASSING.includes(rule));
    if (Date.now() - since >= (isDone ? QUIET_MS : STUCK_MS) || Date.now() > until) return history;
    await pause(LOOK_EVERY_MS);
  }
}
