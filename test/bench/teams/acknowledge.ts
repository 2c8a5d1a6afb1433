/**
 * Sends questions at a steady pace. The bridge verifies Microsoft's token of each question and stores the question
 * before it acknowledges it. The paces are far above what one organization can use: Teams allows an app 50 calls per
 * second in an organization, so the app could not answer more than 50 questions per second.
 */

import type { FakeTeams } from '../../fakes/teams/index.ts';
import { questionOf } from '../channel/saying.ts';
import { type Pace, runSender } from '../channel/sending.ts';
import { atMost, type Figure, none, quantile } from '../figure.ts';
import { openHouse } from './house.ts';
import type { Sending } from './sender.ts';

const SHORT: Pace = { aSecond: 200, seconds: 5 };
const FULL: Pace = { aSecond: 500, seconds: 60 };
const CHANNELS = 50;
const TARGET_MS = 300;
const SENDER = new URL('./sender.ts', import.meta.url);

export async function acknowledgements({ full }: { readonly full: boolean }): Promise<readonly Figure[]> {
  const pace = full ? FULL : SHORT;
  const house = await openHouse({ latencyMs: 0, limits: { off: true } });
  try {
    const { teams, bridge } = house;
    const sending = { ...pace, url: `${bridge}/api/messages`, ...(await questions(teams, pace)) };
    const { times, refused } = await runSender(SENDER, sending);
    const row = `acknowledgement at ${pace.aSecond} questions a second for ${pace.seconds} s`;
    return [
      atMost(`${row}, p50`, quantile(times, 0.5), TARGET_MS),
      atMost(`${row}, p99`, quantile(times, 0.99), TARGET_MS),
      none(`${row}: not acknowledged`, refused),
      none(`${row}: refused for their rate`, teams.log.failed(429).length),
      none(`${row}: calls that the channel's documentation does not allow`, teams.log.violations.length),
    ];
  } finally {
    await house.close();
  }
}

/** Returns copies of a person's first question, each with new ids. */
async function questions(
  teams: FakeTeams,
  { aSecond, seconds }: Pace,
): Promise<Pick<Sending, 'authorization' | 'bodies'>> {
  const person = teams.tenant().person();
  const team = teams.tenant().team();
  const channels = Array.from({ length: CHANNELS }, () => team.channel());
  const bodies: string[] = [];
  let authorization = '';
  for (const channel of channels) {
    const { message, delivery } = person.mentions(channel, 'WORDS');
    if (delivery === undefined) throw new Error('Teams told nothing.');
    await delivery.done;
    authorization = teams.inbound.authorize(delivery.activity);
    const first = JSON.stringify(delivery.activity);
    for (let nth = 0; nth < (aSecond * seconds) / CHANNELS; nth += 1) {
      const words = questionOf({ id: `e${bodies.length}`, ms: 1, everyMs: 1, chars: 40, shape: 'lines' });
      const { message: root } = person.mentions(channel, words, { silent: true });
      const quoted = JSON.stringify(words).slice(1, -1);
      bodies.push(first.replaceAll(message.id, root.id).replaceAll('WORDS', () => quoted));
    }
  }
  return { authorization, bodies };
}
