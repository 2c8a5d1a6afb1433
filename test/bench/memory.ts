/**
 * Measures the memory of a running reply on each channel. The bridge's memory is measured twice after a garbage
 * collection: without replies, and with 200 running replies. The difference is divided by 200. Each answer has 165
 * characters a second and grows until the measurement ends.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { missing } from '../fakes/xmpp/servers.ts';
import type { Processes } from './channel/processes.ts';
import { questionOf, type Saying } from './channel/saying.ts';
import { collectedMemory, inspected } from './collected.ts';
import { type Figure, part } from './figure.ts';
import { freePort } from './free-ports.ts';
import { openHouse as openSlack } from './slack/house.ts';
import { openHouse as openTeams } from './teams/house.ts';
import { NICK, openHouse as openXmpp } from './xmpp/house.ts';

const REPLIES = 200;
/** Number of replies that run before the measurement, to fill caches and to let code be compiled. */
const WARMING = 20;
/** Many rooms, because the adapter stops answering a person who asks many questions quickly in the same room. */
const XMPP_ROOMS = 100;
const ANSWER_MS = 120_000;
const CHARS = 20_000;
/** Time for which all replies run before the measurement, in milliseconds. */
const RUNS_MS = 8_000;
const MAX_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 250;
const KIB = 1_024;
/** P9: 400 MiB for 2,000 turns. */
const TARGET_KIB = 205;

/** A channel with its bridge. */
interface Place extends Pick<Processes, 'answers' | 'endAnswers'> {
  /** Asks a question in a thread of its own. */
  ask(nth: number, text: string): void;
  close(): Promise<void>;
}

type Variables = Readonly<Record<string, string>>;

const channels: Readonly<Record<string, (variables: Variables) => Promise<Place>>> = {
  async Slack(variables) {
    const house = await openSlack({ limits: { off: true }, echoes: false, variables });
    const workspace = house.slack.workspace();
    const [person, room] = [workspace.person(), workspace.channel()];
    return { ...house, ask: (_, text) => void person.mentions(room, text) };
  },
  async Teams(variables) {
    const house = await openTeams({ limits: { off: true }, variables });
    const tenant = house.teams.tenant();
    const [person, channel] = [tenant.person(), tenant.team().channel()];
    return { ...house, ask: (_, text) => void person.mentions(channel, text) };
  },
  async XMPP(variables) {
    const options = { server: 'prosody', messagesPerSecond: 200, rooms: XMPP_ROOMS } as const;
    const house = await openXmpp({ ...options, variables });
    const { person, rooms } = house;
    return {
      ...house,
      ask: (nth, text) =>
        void person.says(rooms[nth % rooms.length] ?? '', `${NICK}: ${text}`, { thread: `thread-${nth}` }),
    };
  },
};

export async function run(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, open] of Object.entries(channels)) {
    if (name === 'XMPP' && missing('prosody') !== undefined) continue;
    figures.push(await part(`memory of a reply on ${name}`, () => memoryOf(name, open)));
  }
  return figures;
}

async function memoryOf(name: string, open: (variables: Variables) => Promise<Place>): Promise<Figure> {
  const port = await freePort();
  const place = await open(inspected(port));
  try {
    const ask = (nth: number, ms: number, chars: number) => {
      const saying: Saying = { id: `q${nth}`, ms, everyMs: 200, chars, shape: 'lines' };
      place.ask(nth, questionOf(saying));
    };
    for (let nth = 0; nth < WARMING; nth += 1) ask(nth, 2_000, 330);
    await until(async () => (await running(place)).ended === WARMING);
    await pause(RUNS_MS);
    const before = await collectedMemory(port);
    for (let nth = WARMING; nth < WARMING + REPLIES; nth += 1) {
      ask(nth, ANSWER_MS, CHARS);
      await pause(20);
    }
    await until(async () => (await running(place)).open === REPLIES);
    await pause(RUNS_MS);
    const during = await collectedMemory(port);
    const value = ((during.usedMiB - before.usedMiB) * KIB) / REPLIES;
    const isWhole = (await running(place)).open === REPLIES;
    return {
      name: `memory of a running reply on ${name}, ${REPLIES} at once`,
      ...{ value, unit: 'KiB', target: `<= ${TARGET_KIB} KiB`, ok: isWhole && value <= TARGET_KIB },
    };
  } finally {
    await place.close();
  }
}

async function running({ answers }: Place): Promise<{ readonly open: number; readonly ended: number }> {
  const all = Object.values(await answers());
  const ended = all.filter(({ endAt }) => endAt !== undefined).length;
  return { ended, open: all.length - ended };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + MAX_WAIT_MS; !(await isSo()); await pause(LOOK_EVERY_MS))
    if (Date.now() > deadline) throw new Error('The replies did not come to run.');
}
