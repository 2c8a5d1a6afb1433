/** Signs a request to the app: https://docs.slack.dev/authentication/verifying-requests-from-slack */

import { createHmac } from 'node:crypto';

export interface Signed {
  readonly 'x-slack-request-timestamp': string;
  readonly 'x-slack-signature': string;
}

/** @param at milliseconds since the epoch */
export function sign(secret: string, body: string, at: number): Signed {
  const timestamp = String(Math.floor(at / 1_000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}
