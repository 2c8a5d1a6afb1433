/** Sends signed events at a steady pace, as a process of its own. */

import { sign } from '../../fakes/slack/index.ts';
import { questionOf } from '../channel/saying.ts';
import { type Pace, sendSteadily } from '../channel/sending.ts';

export interface Sending extends Pace {
  /** Of the bridge. */
  readonly url: string;
  readonly secret: string;
  readonly app: string;
  readonly team: string;
  readonly channel: string;
  readonly person: string;
  readonly bot: string;
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

const job = process.argv[2];
if (job !== undefined) {
  const sending = JSON.parse(job) as Sending;
  const sent = await sendSteadily(sending, (nth) => {
    const body = bodyOf(sending, nth);
    return {
      url: `${sending.url}/slack/events`,
      headers: { ...sign(sending.secret, body, Date.now()) },
      body,
    };
  });
  process.send?.(sent);
}
