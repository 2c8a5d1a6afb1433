/** Runs one bridge process between a real XMPP server and the scripted platform. Both the bridge and the server are killed. */

import { setTimeout as pause } from 'node:timers/promises';
import { makeDataFolder } from '../../e2e/house/running-parley.ts';
import type { Run } from '../../fakes/history/history.ts';
import { CONTRACT, type MachineFault, type Span } from '../../fakes/history/kept.ts';
import { createLife, type Life } from '../../fakes/history/life.ts';
import { startPlatform } from '../../fakes/history/platform.ts';
import { until } from '../../fakes/history/scene.ts';
import type { XmppArchives } from '../../fakes/history/xmpp-record.ts';
import { readArchive } from '../../fakes/xmpp/archive.ts';
import { xmppLine } from '../../fakes/xmpp/entry.ts';
import { connectPerson, roomOf } from '../../fakes/xmpp/person.ts';
import {
  DOMAIN,
  missing,
  PASSWORD,
  type ServerName,
  startServer,
  type XmppServer,
} from '../../fakes/xmpp/servers.ts';
import { watchStalls } from './stalls.ts';
import { people, roomNames, type XmppPeople, xmppPeople } from './xmpp-people.ts';

const BRIDGE = 'parley';
const ACCOUNT = `${BRIDGE}@${DOMAIN}`;
/**
 * The archives survive a kill of the server. The rooms show addresses, so that the bridge also knows people who are not
 * in the room at the moment.
 */
const SERVER = { isDurable: true, isUnlimited: true, showsAddresses: true } as const;
const NICK = 'Parley';
/** Messages a second, because the servers of a run limit nothing. */
const MESSAGES_A_SECOND = 30;
/** Longest silence of the platform that the bridge permits, in milliseconds. */
const SILENCE_MS = 6_000;
/**
 * Bounds of a run. The first sign of a question may take up to 15 s after a restart of the server: the bridge waits up to
 * 10 s before it connects again.
 */
const BOUNDS = { ...CONTRACT, noticeMs: 15_000 };
/** Maximum time until something that was killed starts again, in milliseconds. */
const DOWN_MS = 1_500;

export interface XmppTown extends Run {
  readonly people: XmppPeople;
  readonly breaks: number[];
  readonly machineFaults: MachineFault[];
  readonly excused: Span[];
  /** Every bridge process, oldest first. */
  readonly lives: readonly Life[];
  /**
   * Kills the bridge, the server, or both, and starts them again. Resolves when the fault is over.
   * @param nth number of faults before; the first three faults are one of each kind
   */
  breakOne(nth: number, random: () => number): Promise<void>;
  /** Reads the archives of the server. */
  archives(): Promise<XmppArchives>;
  /** Log of the server. */
  serverLog(): Promise<string>;
  close(): Promise<void>;
}

export async function openXmppTown(name: ServerName, events: number): Promise<XmppTown> {
  const reason = missing(name, { isDurable: true });
  if (reason !== undefined) throw new Error(reason);
  const opened = new AsyncDisposableStack();
  try {
    const platform = opened.adopt(await startPlatform(), (it) => it.close());
    const server = opened.adopt(await startServer(name, [BRIDGE, ...people], SERVER), (it) => it.stop());
    const rooms = roomNames(events).map(roomOf);
    const crowd = opened.adopt(await xmppPeople(server.port, ACCOUNT, rooms), (it) => it.close());
    const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    const begin = await createLife({
      ...{ data, bridge: 'process', platform: platform.url, silenceMs: SILENCE_MS },
      channel: xmppLine({
        ...{ jid: ACCOUNT, password: PASSWORD, server: `127.0.0.1:${server.port}`, tls: 'none', rooms },
        messagesPerSecond: MESSAGES_A_SECOND,
      }),
      environment: {},
    });
    const lives = [await begin()];
    opened.defer(() => lives.at(-1)?.kill());
    // The bridge does not answer questions that were asked before its first login.
    await until('the bridge is in all rooms', () => crowd.haveSeenBridge());
    const noted: Noted = { breaks: [], machineFaults: [], excused: [] };
    opened.defer(watchStalls(noted.excused));
    const start = async () => void lives.push(await begin());
    const kill = async () => {
      await lives.at(-1)?.kill();
      noted.breaks.push(Date.now());
    };
    return {
      ...{ platform, lives, ...noted, bounds: BOUNDS, people: crowd },
      async breakOne(nth, random) {
        const kind = nth < KINDS.length ? nth : Math.floor(random() * KINDS.length);
        const killed = [{ what: 'bridge', kill, start } as const, { ...server, what: name }];
        await Promise.all(
          killed
            .filter(({ what }) => KINDS[kind]?.includes(what === 'bridge' ? what : 'server'))
            .map((each) => restart(each, random() * DOWN_MS, noted)),
        );
      },
      archives: () => archivesOf(server.port, rooms),
      serverLog: () => server.log(),
      close: () => opened.disposeAsync(),
    };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

/** What each kind of fault kills. */
const KINDS: readonly (readonly ('bridge' | 'server')[])[] = [['bridge'], ['server'], ['bridge', 'server']];

type Noted = Pick<XmppTown, 'breaks' | 'machineFaults' | 'excused'>;

interface Killable extends Pick<XmppServer, 'kill' | 'start'> {
  readonly what: string;
}

/** Kills a process, and starts it again after `ms` milliseconds. Resolves when it is ready. */
async function restart({ what, kill, start }: Killable, ms: number, noted: Noted): Promise<void> {
  const at = Date.now();
  await kill();
  await pause(ms);
  await start();
  const span = { at, until: Date.now() };
  noted.machineFaults.push({ name: `${what} kill -9`, ...span });
  noted.excused.push(span);
}

/** Reads the archives with a client of the bridge's own account, to which the server sends no messages. */
async function archivesOf(port: number, rooms: readonly string[]): Promise<XmppArchives> {
  const reader = await connectPerson(port, BRIDGE, false);
  try {
    const direct = await readArchive(reader);
    const inRooms = new Map<string, XmppArchives['direct']>();
    for (const room of rooms) inRooms.set(room, await readArchive(reader, room));
    return { bridge: ACCOUNT, nick: NICK, rooms: inRooms, direct };
  } finally {
    await reader.close();
  }
}
