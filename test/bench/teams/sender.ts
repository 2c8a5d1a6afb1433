/** Sends signed questions at a steady pace. Runs as a separate process, which gets its job as the first message. */

import { type Pace, sendAsTold } from '../channel/sending.ts';

export interface Sending extends Pace {
  /** The bot's messaging endpoint. */
  readonly url: string;
  readonly authorization: string;
  /** Activities as JSON, in order. */
  readonly bodies: readonly string[];
}

await sendAsTold<Sending>(({ url, authorization, bodies }) => {
  const headers = { authorization, 'content-type': 'application/json; charset=utf-8' };
  return (nth) => ({ url, headers, body: bodies[nth] ?? '' });
});
