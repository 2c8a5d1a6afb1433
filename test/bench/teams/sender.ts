/** Sends proven questions at a steady pace, as a process of its own: the job comes as its first message. */

import { once } from 'node:events';
import { type Pace, sendSteadily } from '../channel/sending.ts';

export interface Sending extends Pace {
  /** The bot's messaging endpoint. */
  readonly url: string;
  readonly authorization: string;
  /** Activities as JSON, in order. */
  readonly bodies: readonly string[];
}

if (process.send !== undefined) {
  const [sending] = (await once(process, 'message')) as [Sending];
  const { url, authorization, bodies } = sending;
  const headers = { authorization, 'content-type': 'application/json; charset=utf-8' };
  process.send(await sendSteadily(sending, (nth) => ({ url, headers, body: bodies[nth] ?? '' })));
  process.disconnect();
}
