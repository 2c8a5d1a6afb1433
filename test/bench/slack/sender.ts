/** Sends signed events at a steady pace. Runs in a separate process, which receives the job as its first message. */

import { sign } from '../../fakes/slack/index.ts';
import { questionOf } from '../channel/saying.ts';
import { type Pace, sendAsTold } from '../channel/sending.ts';

export interface Sending extends Pace {
  /** Addresses of the replicas of the bridge, used in turn. */
  readonly urls: readonly string[];
  readonly secret: string;
  readonly app: string;
  readonly team: string;
  /** Ids of the channels of the questions, used in turn. */
  readonly channels: readonly string[];
  /** Ids of the people who ask, used in turn. */
  readonly people: readonly string[];
  readonly bot: string;
}

function bodyOf({ app, team, channels, people, bot }: Sending, nth: number): string {
  const question = questionOf({ id: `e${nth}`, ms: 1, everyMs: 1, chars: 40, shape: 'lines' });
  const [user, channel] = [people[nth % people.length], channels[nth % channels.length]];
  const ts = `1793491200.${String(nth).padStart(6, '0')}`;
  return JSON.stringify({
    type: 'event_callback',
    team_id: team,
    api_app_id: app,
    event_id: `Ev${nth}`,
    event_time: 1_793_491_200,
    event: {
      type: 'app_mention',
      user,
      channel,
      ts,
      text: `<@${bot}> ${question}`,
    },
  });
}

await sendAsTold<Sending>((sending) => (nth) => {
  const body = bodyOf(sending, nth);
  return {
    url: `${sending.urls[nth % sending.urls.length]}/slack/events`,
    headers: { ...sign(sending.secret, body, Date.now()) },
    body,
  };
});
