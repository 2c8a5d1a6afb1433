/** Sends signed events at a steady pace, from a process of its own, so that nothing else delays their clock. */

import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { sign } from '../../fakes/slack/index.ts';
import { questionOf } from './saying.ts';

export interface Sending {
  /** Of the bridge. */
  readonly url: string;
  readonly secret: string;
  readonly app: string;
  readonly team: string;
  readonly channel: string;
  readonly person: string;
  readonly bot: string;
  readonly aSecond: number;
  readonly seconds: number;
}

export interface Sent {
  /** From the moment each was due to its acknowledgement, milliseconds. */
  readonly times: readonly number[];
  readonly refused: number;
}

const SOCKETS = 200;
const SECOND_MS = 1_000;

async function sendAll(sending: Sending): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  const times: number[] = [];
  let refused = 0;
  const begun = performance.now();
  const sent: Promise<void>[] = [];
  for (let nth = 0; nth < sending.aSecond * sending.seconds; nth += 1) {
    const due = begun + (nth / sending.aSecond) * SECOND_MS;
    const early = due - performance.now();
    if (early > 1) await pause(early);
    sent.push(
      post(sending, bodyOf(sending, nth), agent).then((status) => {
        times.push(performance.now() - due);
        if (status !== 200) refused += 1;
      }),
    );
  }
  await Promise.all(sent);
  agent.destroy();
  return { times, refused };
}

function bodyOf({ app, team, channel, person, bot }: Sending, nth: number): string {
  const question = questionOf({ id: `e${nth}`, ms: 1, everyMs: 1, chars: 40, shape: 'lines' });
  const ts = `1793491200.${String(nth).padStart(6, '0')}`;
  return JSON.stringify({
    type: 'event_callback',
    team_id: team,
    api_app_id: app,
    event_id: `Ev${nth}`,
    event_time: 1_793_491_200,
    event: { type: 'app_mention', user: person, channel, ts, text: `<@${bot}> ${question}` },
  });
}

function post({ url, secret }: Sending, body: string, agent: Agent): Promise<number> {
  const headers = { ...sign(secret, body, Date.now()), 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/slack/events`, { method: 'POST', headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const job = process.argv[2];
if (job !== undefined) {
  const sent = await sendAll(JSON.parse(job) as Sending);
  process.send?.(sent);
}
