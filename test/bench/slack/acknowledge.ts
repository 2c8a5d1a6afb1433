/** P8: signed events at 500 a second, each kept before it is acknowledged. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Sent } from '../channel/sending.ts';
import { atMost, type Figure, none, quantile } from '../figure.ts';
import { openHouse } from './house.ts';
import type { Sending } from './sender.ts';

const EVENTS_A_SECOND = 500;
const SECONDS = 10;
const TARGET_MS = 300;
const SENDER = new URL('./sender.ts', import.meta.url);

export async function acknowledgements(): Promise<readonly Figure[]> {
  const house = await openHouse({ latencyMs: 0, limits: { off: true }, echoes: false });
  try {
    const { slack } = house;
    const workspace = slack.workspace();
    const sending: Sending = {
      url: house.bridge,
      secret: slack.app.signingSecret,
      app: slack.app.id,
      team: workspace.id,
      channel: workspace.channel().id,
      person: workspace.person().id,
      bot: workspace.botUser,
      aSecond: EVENTS_A_SECOND,
      seconds: SECONDS,
    };
    // Not with the flags of the bench itself.
    const sender = fork(SENDER, [JSON.stringify(sending)], { execArgv: [] });
    const [{ times, refused }] = (await once(sender, 'message')) as [Sent];
    const row = `P8: acknowledgement at ${EVENTS_A_SECOND} events a second for ${SECONDS} s`;
    return [
      atMost(`${row}, p50`, quantile(times, 0.5), TARGET_MS),
      atMost(`${row}, p99`, quantile(times, 0.99), TARGET_MS),
      none('P8: events that were not acknowledged', refused),
    ];
  } finally {
    await house.close();
  }
}
