/**
 * Measures 50 replies at once over one connection to a real XMPP server: with the servers' default limits, and with an
 * account that is exempt from them, as the page on XMPP recommends for many answers at once. The bridge, the platform
 * and the server run in processes of their own; all times are from the client of a person.
 */

import { missing, type ServerName } from '../fakes/xmpp/servers.ts';
import {
  firstWords,
  lastWords,
  lastWordsWithin,
  lost,
  measure,
  type Planned,
  plan,
  type Ran,
} from './channel/runs.ts';
import { questionOf } from './channel/saying.ts';
import { atMost, type Figure, none, part } from './figure.ts';
import { type HouseOptions, NICK, openHouse } from './xmpp/house.ts';
import { createWatch, type XmppSeen } from './xmpp/watch.ts';

const REPLIES = 50;
const ANSWER_MS = 10_000;
/** Maximum milliseconds that Parley adds. */
const OWN_MS = 300;
const SECOND_MS = 1_000;
/** Messages a second of an account that is exempt from the server's limits. */
const EXEMPT = 200;
/** Bytes a second that a server reads from a connection by default, after a burst. */
const DEFAULTS: Readonly<Record<ServerName, { readonly rate: number; readonly burst: number }>> = {
  // `limits.c2s` of mod_limits in prosody's example configuration.
  prosody: { rate: 10_000, burst: 20_000 },
  // `shaper.normal` in ejabberd's example configuration.
  ejabberd: { rate: 3_000, burst: 20_000 },
};
/** Messages a second that the bridge sends by default. */
const DEFAULT_MESSAGES = 5;

export async function run(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const server of ['prosody', 'ejabberd'] as const) {
    const reason = missing(server);
    if (reason !== undefined) {
      process.stderr.write(`  ${reason}\n`);
      continue;
    }
    figures.push(...(await part(`${server}, without limits`, () => exempt(server))));
    figures.push(...(await part(`${server}, default limits`, () => limited(server))));
  }
  return figures;
}

async function exempt(server: ServerName): Promise<readonly Figure[]> {
  const ran = await runPlan({ server, messagesPerSecond: EXEMPT });
  const row = `${REPLIES} replies at once on ${server}, account exempt from limits`;
  return [
    atMost(`${row}, first words p95`, firstWords(ran, 0.95), OWN_MS),
    lastWordsWithin(row, ran, OWN_MS),
    none(`${row}: replies whose end was never shown`, lost(ran, REPLIES)),
  ];
}

/** The last words of all replies are sent at the same time, so the limits determine when the last reply ends. */
async function limited(server: ServerName): Promise<readonly Figure[]> {
  const ran = await runPlan({ server });
  const { rate, burst } = DEFAULTS[server];
  const bytes = ran.replies.reduce((sum, { lastBytes }) => sum + lastBytes, 0);
  const bound = Math.max(
    (Math.max(0, bytes - burst) / rate) * SECOND_MS,
    (REPLIES / DEFAULT_MESSAGES) * SECOND_MS,
  );
  const row = `${REPLIES} replies at once on ${server}, ${rate / 1_000} kB/s (its default limit)`;
  return [
    atMost(`${row}, last words, worst`, lastWords(ran, 1), bound + OWN_MS),
    none(`${row}: replies whose end was never shown`, lost(ran, REPLIES)),
  ];
}

async function runPlan(options: HouseOptions): Promise<Ran<XmppSeen>> {
  const house = await openHouse(options);
  try {
    const { person, rooms, answers } = house;
    const watch = createWatch(person, NICK);
    const plans = plan(REPLIES, (nth) => ({ room: nth, ms: ANSWER_MS }));
    const replies = await measure(plans, {
      answers,
      ask({ room, saying }: Planned) {
        const thread = `thread-${room}`;
        const look = watch.ask(thread, saying.id);
        void person.says(rooms[room % rooms.length] ?? '', `${NICK}: ${questionOf(saying)}`, { thread });
        return look;
      },
    });
    return { replies, refused: 0, violations: 0 };
  } finally {
    await house.close();
  }
}
