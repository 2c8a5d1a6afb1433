/** Sends signed questions at a steady pace. Runs in a separate process, which receives the job as its first message. */

import { type Pace, sendAsTold } from '../channel/sending.ts';

export interface Sending extends Pace {
  /** Address of the bot's messaging endpoint. */
  readonly url: string;
  readonly authorization: string;
  /** The activities as JSON, in the order of sending. */
  readonly bodies: readonly string[];
}

await sendAsTold<Sending>(({ url, authorization, bodies }) => {
  const headers = { authorization, 'content-type': 'application/json; charset=utf-8' };
  return (nth) => ({ url, headers, body: bodies[nth] ?? '' });
});
