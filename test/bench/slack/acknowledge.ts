/**
 * Measures how fast the bridge acknowledges signed events at a steady rate (targets P8 and P17; also with PostgreSQL).
 * The bridge stores each event before it acknowledges it.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { documentedRates } from '../../fakes/slack/limits.ts';
import { type Pace, runSender, type Sent } from '../channel/sending.ts';
import { atMost, type Figure, none, quantile } from '../figure.ts';
import { type House, openHouse } from './house.ts';
import type { Sending } from './sender.ts';

const EVENTS_A_SECOND = 500;
const SECONDS = 10;
const TARGET_MS = 300;
const CHANNELS = 200;
const NEWCOMERS = 2_000;
/** Maximum number of concurrent turns. Each turn counts until its answer is shown. */
const AT_ONCE = 500;
const POSTS_A_MINUTE = 300;
const REST_MS = 5_000;
const FREE = { calls: 1_000_000, per: 1_000 };
const SENDER = new URL('./sender.ts', import.meta.url);

export const acknowledgements = (seconds: number): Promise<readonly Figure[]> =>
  acknowledgedOn({}, { row: 'P8: acknowledgement', seconds, aSecond: EVENTS_A_SECOND });

interface Rate extends Pace {
  /** Text with which the names of the figures begin. */
  readonly row: string;
  /** Number of bridges that share the store, each of which receives a part of the events; default 1. */
  readonly replicas?: number;
  /** Number of people who ask; default 1. */
  readonly people?: number;
}

/** @param engine variables that choose the bridge's store */
export async function acknowledgedOn(
  engine: Readonly<Record<string, string>>,
  { row: name, replicas = 1, people = 1, ...pace }: Rate,
): Promise<readonly Figure[]> {
  const house = await openHouse({ latencyMs: 0, limits: { off: true }, echoes: false, engine, replicas });
  try {
    const workspace = house.slack.workspace();
    const asking = Array.from({ length: people }, () => workspace.person().id);
    const { times, refused } = await sendAll(house, pace, asking);
    const row = `${name} at ${pace.aSecond} events a second for ${pace.seconds} s`;
    return [
      atMost(`${row}, p50`, quantile(times, 0.5), TARGET_MS),
      atMost(`${row}, p99`, quantile(times, 0.99), TARGET_MS),
      none(`${row}, events that were not acknowledged`, refused),
    ];
  } finally {
    await house.close();
  }
}

/** Measures events of people whom the bridge must look up first. Only these look-ups are rate-limited here. */
export async function newcomers(): Promise<readonly Figure[]> {
  const free = Object.keys(documentedRates).filter((method) => !method.startsWith('users.'));
  const house = await openHouse({
    limits: {
      rates: Object.fromEntries(free.map((method) => [method, FREE])),
      postsPerChannel: { rate: FREE, burst: FREE.calls },
    },
    echoes: false,
  });
  try {
    const workspace = house.slack.workspace();
    const { times, refused } = await sendAll(
      house,
      { seconds: SECONDS, aSecond: EVENTS_A_SECOND },
      Array.from({ length: NEWCOMERS }, () => workspace.person().id),
    );
    await pause(REST_MS);
    const asked = Object.keys(await house.answers()).length;
    const row = `P17: acknowledgement at ${EVENTS_A_SECOND} events a second of ${NEWCOMERS} new people`;
    return [
      atMost(`${row}, p50`, quantile(times, 0.5), TARGET_MS),
      atMost(`${row}, p99`, quantile(times, 0.99), TARGET_MS),
      none('P17: events that were not acknowledged', refused),
      {
        name: `P17: asked ${REST_MS / 1_000} s after the last event`,
        value: asked,
        unit: '',
        target: `>= ${AT_ONCE} turns at once and ${POSTS_A_MINUTE} posts a minute`,
        ok: asked >= AT_ONCE + POSTS_A_MINUTE,
      },
    ];
  } finally {
    await house.close();
  }
}

async function sendAll({ slack, bridges }: House, pace: Pace, people: readonly string[]): Promise<Sent> {
  const workspace = slack.workspace();
  const sending: Sending = {
    urls: bridges,
    secret: slack.app.signingSecret,
    app: slack.app.id,
    team: workspace.id,
    channels: Array.from({ length: CHANNELS }, () => workspace.channel().id),
    people,
    bot: workspace.botUser,
    ...pace,
  };
  return runSender(SENDER, sending);
}
