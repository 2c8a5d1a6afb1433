/**
 * Measures how fast signed events are acknowledged while strangers send 10,000 requests a second (target P19). The
 * bridge, the strangers and the sender of the events are separate processes.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pace, runSender, type Sent } from './channel/sending.ts';
import { atMost, type Figure, quantile } from './figure.ts';
import type { Flooded, Flooding } from './flood/sender.ts';
import { type House, openHouse } from './slack/house.ts';
import type { Sending } from './slack/sender.ts';
import { cpuSeconds } from './usage.ts';

const STRANGERS_A_SECOND = 10_000;
const PACE: Pace = { aSecond: 20, seconds: 10 };
const TARGET_MS = 100;
/** Maximum CPU time for a stranger's request, in microseconds. 10,000 such requests a second take 80 % of one core. */
const MAX_US = 80;
/** Time for the bridge to compile the code of both kinds of requests, in milliseconds. */
const WARM_UP_MS = 3_000;
const SENDER = new URL('./slack/sender.ts', import.meta.url);
const FLOOD = new URL('./flood/sender.ts', import.meta.url);

export async function run(): Promise<readonly Figure[]> {
  const house = await openHouse({
    ...{ latencyMs: 0, limits: { off: true }, echoes: false },
    console: '{ token: a token of the console for the bench }',
  });
  try {
    const figures: Figure[] = [];
    for (const [name, requests] of Object.entries(floods))
      figures.push(...(await measure(house, name, requests)));
    return figures;
  } finally {
    await house.close();
  }
}

const head = (first: string, ...headers: readonly string[]): string =>
  [first, 'host: 127.0.0.1', ...headers, '', ''].join('\r\n');
const body = JSON.stringify({ type: 'event_callback', event: { type: 'message', text: 'x'.repeat(200) } });
const forged = (): string => {
  const time = `x-slack-request-timestamp: ${Math.floor(Date.now() / 1_000)}`;
  const signature = `x-slack-signature: v0=${'0'.repeat(64)}`;
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return (
    head('POST /slack/events HTTP/1.1', 'content-type: application/json', length, time, signature) + body
  );
};

const floods: Readonly<Record<string, () => readonly string[]>> = {
  'forged events': () => [forged()],
  'requests to the console without its cookie': () => [head('GET /console/state HTTP/1.1')],
};

async function measure(
  house: House,
  name: string,
  requests: () => readonly string[],
): Promise<readonly Figure[]> {
  const cpu = () => cpuSeconds(house.pid);
  const [before, calm, begun] = [cpu(), await events(house), cpu()];
  const flood = startFlood({ port: portOf(house), requests: requests(), aSecond: STRANGERS_A_SECOND });
  await pause(WARM_UP_MS);
  const { times, refused } = await events(house);
  const { seconds, sent, answered } = await flood.end();
  const rate = (answered['401'] ?? 0) / seconds;
  const costUs = ((cpu() - begun - (begun - before)) / (answered['401'] ?? 0)) * 1e6;
  const row = `P19: ${name}`;
  process.stderr.write(`    ${JSON.stringify({ sent: Math.round(sent / seconds), answered })}\n`);
  return [
    {
      ...{ name: `${row}, answered with 401`, value: rate, unit: 'a second' },
      ...{ target: `>= ${STRANGERS_A_SECOND * 0.95}`, ok: rate >= STRANGERS_A_SECOND * 0.95 },
    },
    {
      ...{ name: `${row}, CPU of the bridge for each`, value: costUs, unit: 'µs' },
      ...{ target: `<= ${MAX_US} µs`, ok: costUs <= MAX_US },
    },
    atMost(`${row}, acknowledgement of others without a flood, p99`, quantile(calm.times, 0.99), TARGET_MS),
    atMost(`${row}, acknowledgement of others, p50`, quantile(times, 0.5), TARGET_MS),
    atMost(`${row}, acknowledgement of others, p99`, quantile(times, 0.99), TARGET_MS),
    {
      name: `${row}, events that were not acknowledged`,
      value: refused,
      unit: '',
      target: '0',
      ok: refused === 0,
    },
  ];
}

const portOf = ({ bridge }: House): number => Number(new URL(bridge).port);

function events({ slack, bridge }: House): Promise<Sent> {
  const workspace = slack.workspace();
  const sending: Sending = {
    urls: [bridge],
    secret: slack.app.signingSecret,
    app: slack.app.id,
    team: workspace.id,
    channels: [workspace.channel().id],
    people: [workspace.person().id],
    bot: workspace.botUser,
    ...PACE,
  };
  return runSender(SENDER, sending);
}

function startFlood(flooding: Flooding): { end(): Promise<Flooded> } {
  const sender = fork(FLOOD, { execArgv: [] });
  sender.send(flooding);
  return {
    async end() {
      const told = once(sender, 'message');
      sender.send('end');
      const [flooded] = await told;
      return flooded as Flooded;
    },
  };
}
