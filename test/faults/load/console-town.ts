/**
 * Two replicas with the console on one PostgreSQL server, behind a load balancer, between people who sign in and the
 * scripted platform. Replicas and PostgreSQL are killed, paused and cut off.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { ConsoleState, RoomView } from '../../../adapters/console/wire.ts';
import type { Breach } from '../../fakes/history/breach.ts';
import { check } from '../../fakes/history/check.ts';
import { checkPages, type PagesRun } from '../../fakes/history/check-pages.ts';
import { consoleRecord, type PageLog } from '../../fakes/history/console-record.ts';
import { type History, type Run, recordOf } from '../../fakes/history/history.ts';
import type { MachineFault, Span } from '../../fakes/history/kept.ts';
import { startPlatform } from '../../fakes/history/platform.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { CLIENT_ID, CLIENT_SECRET, openProvider } from '../../fakes/oidc/provider.ts';
import type { PostgresServer } from '../../fakes/postgres/server.ts';
import { startBalancer } from './balancer.ts';
import { type ConsolePage, openDoor, openPage } from './console-page.ts';
import { type ConsolePeople, consolePeople, type Room, type Rooms } from './console-people.ts';
import { watchStalls } from './stalls.ts';
import { openEngine, portsFor, type Replica, startReplica } from './town.ts';

/** Accounts at the provider. The first one has two pages. */
const ACCOUNTS = ['ada', 'ben', 'chen'];
/** Accounts that may read the private room. */
const MEMBERS = ['ada', 'ben'];
/** Longest time until each page shows a message that was written at any replica, in milliseconds. */
const SHOWN_MS = 10_000;
/** Time after a fault in which pages connect again, in milliseconds. */
const CONNECTS_MS = 2_000;

export interface ConsoleTown extends Run {
  readonly breaks: number[];
  readonly machineFaults: MachineFault[];
  readonly excused: Span[];
  readonly replicas: readonly Replica[];
  readonly postgres?: PostgresServer;
  readonly pages: readonly ConsolePage[];
  readonly rooms: Rooms;
  readonly people: ConsolePeople;
  close(): Promise<void>;
}

export async function openConsoleTown(): Promise<ConsoleTown> {
  const opened = new AsyncDisposableStack();
  try {
    const platform = opened.adopt(await startPlatform(), (it) => it.close());
    const engine = opened.adopt(await openEngine({ engine: 'postgres' }), (it) => it.close());
    const ports = await portsFor(2);
    const { url } = opened.adopt(await startBalancer(ports), (it) => it.close());
    const provider = opened.adopt(await openProvider(url), (it) => it.close());
    provider.claims.chen = { name: 'Chen Wei' };
    const signIn = { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
    const replicas = await Promise.all(
      ports.map((port) =>
        startReplica(opened, engine, {
          platform: platform.url,
          channel: '',
          console: JSON.stringify({ signIn }),
          environment: { PORT: String(port), PARLEY_PUBLIC_URL: url },
        }),
      ),
    );
    const pages: ConsolePage[] = [];
    for (const account of [...ACCOUNTS, ...ACCOUNTS.slice(0, 1)]) {
      provider.account = account;
      const door = openDoor(url, await signedIn(url));
      const page = await openPage(`${account} ${pages.length + 1}`, door);
      opened.defer(() => page.close());
      pages.push(page);
    }
    const rooms = await roomsOf(pages);
    const excused: Span[] = [];
    opened.defer(watchStalls(excused));
    return {
      ...{ platform, replicas, pages, rooms, excused, people: consolePeople(rooms) },
      ...{ breaks: [], machineFaults: [] },
      ...(engine.postgres !== undefined && { postgres: engine.postgres }),
      close: () => opened.disposeAsync(),
    };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

/** Signs in at the provider, and returns the cookie of the session. */
async function signedIn(url: string): Promise<string> {
  const browser = new Browser();
  const visit = await browser.follow(`${url}/console/sign-in/start`, (next) => next === `${url}/`);
  if (visit.location !== `${url}/`) throw new Error(`Nobody was signed in: ${visit.status} ${visit.text}`);
  return browser.cookies(new URL(url).host);
}

/** Makes a public and a private room, and returns all rooms with the pages of those who may read them. */
async function roomsOf(pages: readonly ConsolePage[]): Promise<Rooms> {
  const [first] = pages;
  if (first === undefined) throw new Error('There is no page.');
  const make = async (name: string, isPrivate: boolean) => {
    const body = { as: first.person, name, topic: '', private: isPrivate };
    return ((await (await first.door.post('rooms', body)).json()) as RoomView).id;
  };
  const field = await make('field', false);
  const plan = await make('plan', true);
  const members = pages.filter(({ name }) => MEMBERS.some((account) => name.startsWith(account)));
  for (const person of new Set(members.slice(1).map((page) => page.person)))
    await first.door.post(`rooms/${plan}/invite`, { as: first.person, person });
  const direct = ACCOUNTS.map(async (account): Promise<Room> => {
    const own = pages.filter(({ name }) => name.startsWith(account));
    const state = await own[0]?.door.get<ConsoleState>('state');
    const room = state?.rooms.find(({ kind, agent }) => kind === 'direct' && agent === 'speaker');
    return { id: room?.id ?? '', pages: own, isPublic: false };
  });
  return {
    room: ['general', field].map((id) => ({ id, pages, isPublic: true })),
    group: [{ id: plan, pages: members, isPublic: false }],
    direct: await Promise.all(direct),
  };
}

/** Returns a history for each page. It contains the requests to the platform for the questions that the page shows. */
export const historiesOf = (town: ConsoleTown, logs: readonly PageLog[]): readonly History[] =>
  logs.map((log) => {
    const history = recordOf({ ...town, seen: consoleRecord(log, town.people.posts) });
    const own = new Set(history.questions.flatMap(({ sayings }) => sayings.map(({ id }) => id)));
    return { ...history, askings: history.askings.filter(({ id }) => own.has(id)) };
  });

export function pagesOf(
  { people, rooms, excused, machineFaults }: ConsoleTown,
  logs: readonly PageLog[],
): PagesRun {
  const spans = [...excused, ...machineFaults].map(({ at, until }) => ({ at, until: until + CONNECTS_MS }));
  const hidden = [...rooms.group, ...rooms.direct].map(
    ({ id, pages }) => [id, pages.map(({ person }) => person)] as const,
  );
  return { logs, posts: people.posts, hidden: new Map(hidden), excused: spans, shownMs: SHOWN_MS };
}

export const breachesIn = (town: ConsoleTown, logs: readonly PageLog[]): readonly Breach[] => [
  ...historiesOf(town, logs).flatMap(check),
  ...checkPages(pagesOf(town, logs)),
];

export const logsOf = (town: ConsoleTown): Promise<readonly PageLog[]> =>
  Promise.all(town.pages.map((page) => page.log()));

/** Time without a change on any page after which a run without breaches is over, in milliseconds. */
const QUIET_MS = 1_500;
/** Longest wait for the end, in milliseconds. */
const LONGEST_MS = 60_000;

/** Resolves with what the pages showed, once nothing changes any more and no rule is broken; at the latest after a minute. */
export async function settledLogs(town: ConsoleTown): Promise<readonly PageLog[]> {
  await town.people.sent();
  for (const until = Date.now() + LONGEST_MS; ; await pause(QUIET_MS)) {
    const logs = await logsOf(town);
    const changedAt = Math.max(...logs.flatMap(({ looks }) => looks.at(-1)?.at ?? 0));
    const isQuiet =
      Date.now() - changedAt >= QUIET_MS && town.platform.askings.every(({ end }) => end !== undefined);
    if (Date.now() > until || (isQuiet && breachesIn(town, logs).length === 0)) return logs;
  }
}

/** Returns the stored files that a page cannot read whole though it may, or can read though it may not. */
export async function fileFaults({ people, pages }: ConsoleTown): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [id, text] of people.files) {
    const post = people.posts.find(({ key }) => text.endsWith(key));
    for (const { name, person, door } of pages) {
      const response = await door.call(`files/${id}`);
      const expected = post?.readers?.includes(person) === false ? undefined : text;
      const got = response.ok ? await response.text() : undefined;
      if (got !== expected) faults.push(`${name}: ${text}: ${response.status} ${got ?? ''}`);
    }
  }
  return faults;
}
