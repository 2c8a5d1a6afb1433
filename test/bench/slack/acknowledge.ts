/** P8: signed events at 500 a second, each kept before it is acknowledged. */

import { Agent, request } from 'node:http';
import { sign } from '../../fakes/slack/index.ts';
import type { Figure } from '../figure.ts';
import { openHouse } from './house.ts';
import { atMost, none, quantile } from './runs.ts';

const EVENTS_A_SECOND = 500;
const SECONDS = 10;
const TICK_MS = 10;
const TARGET_MS = 300;

export async function acknowledgements(): Promise<readonly Figure[]> {
  const house = await openHouse({ latencyMs: 0, limits: { off: true } });
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  try {
    const workspace = house.slack.workspace();
    const channel = workspace.channel();
    const person = workspace.person();
    const times: number[] = [];
    let refused = 0;
    const send = async (nth: number, intended: number): Promise<void> => {
      const event = {
        type: 'app_mention',
        user: person.id,
        channel: channel.id,
        ts: `1793491200.${String(nth).padStart(6, '0')}`,
        text: `<@${workspace.botUser}> say {"id":"e${nth}","ms":1,"everyMs":1,"chars":40,"shape":"lines"}`,
      };
      const body = JSON.stringify({
        type: 'event_callback',
        team_id: workspace.id,
        api_app_id: house.slack.app.id,
        event_id: `Ev${nth}`,
        event_time: 1,
        event,
      });
      const status = await post(`${house.bridge}/slack/events`, {
        body,
        headers: { ...sign(house.slack.app.signingSecret, body, Date.now()) },
        agent,
      });
      times.push(performance.now() - intended);
      if (status !== 200) refused += 1;
    };
    const begun = performance.now();
    const sending: Promise<void>[] = [];
    for (let nth = 0; nth < EVENTS_A_SECOND * SECONDS; nth += 1) {
      const intended = begun + (nth / EVENTS_A_SECOND) * 1_000;
      while (performance.now() < intended)
        await new Promise((resolve) =>
          setTimeout(resolve, Math.min(TICK_MS, Math.max(0, intended - performance.now()))),
        );
      sending.push(send(nth, intended));
    }
    await Promise.all(sending);
    return [
      atMost(
        `P8: acknowledgement at ${EVENTS_A_SECOND} events a second for ${SECONDS} s, p99`,
        quantile(times, 0.99),
        TARGET_MS,
      ),
      none('P8: events that were not acknowledged', refused),
    ];
  } finally {
    agent.destroy();
    await house.close();
  }
}

interface Post {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
}

function post(url: string, { body, headers, agent }: Post): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) }, agent },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
