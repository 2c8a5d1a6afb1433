/** Kills a bridge and starts it again. */

import type { FakeSlack } from '../slack/index.ts';
import type { FakeTeams } from '../teams/index.ts';
import type { Life } from './life.ts';

export interface Restartable {
  readonly slack?: FakeSlack;
  readonly teams?: FakeTeams;
  readonly breaks: number[];
  life(): Life;
  start(): Promise<void>;
}

/** Kills the bridge, ends all faults of the channels, starts the bridge and sends unacknowledged events again. */
export async function restart(house: Restartable): Promise<void> {
  await house.life().kill();
  house.breaks.push(Date.now());
  house.slack?.clearFaults();
  house.teams?.clearFaults();
  await house.start();
  await sendAgain(house);
}

/**
 * Sends unacknowledged events again. The channels themselves would do so later: Slack after up to a minute, Teams
 * after up to 15 s. Tests do not wait that long.
 */
export async function sendAgain({ slack, teams }: Pick<Restartable, 'slack' | 'teams'>): Promise<void> {
  for (const { kind, payload, attempts } of [...(slack?.deliveries ?? [])]) {
    if (kind === 'event' && !attempts.some(({ status }) => status === 200))
      await slack?.events.deliver('event', payload).done;
  }
  for (const delivery of [...(teams?.deliveries ?? [])]) {
    if (delivery.activity.type !== 'invoke' && !delivery.attempts.some(({ status }) => status === 200))
      await teams?.events.again(delivery).done;
  }
}
