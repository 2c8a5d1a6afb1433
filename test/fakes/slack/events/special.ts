/** Requests that belong to no workspace. */

import type { World } from '../world.ts';
import type { Deliverer, Delivery } from './deliver.ts';

export interface Special {
  /** Sends a challenge, which the app must answer: https://docs.slack.dev/reference/events/url_verification */
  urlVerification(challenge?: string): Delivery;
  /**
   * Sends `ssl_check` with the deprecated verification token:
   * https://docs.slack.dev/interactivity/implementing-slash-commands
   */
  sslCheck(): Delivery;
  /**
   * Reports more than 30,000 events per hour for a workspace: https://docs.slack.dev/reference/events/app_rate_limited
   */
  appRateLimited(team: string): Delivery;
}

const MINUTE = 60_000;

export function createSpecial({ app, clock }: World, { deliver }: Deliverer): Special {
  const token = app.verificationToken;
  return {
    urlVerification: (challenge = 'fake-challenge') =>
      deliver('other', { token, challenge, type: 'url_verification' }),
    sslCheck: () => deliver('other', { ssl_check: '1', token }),
    appRateLimited: (team) =>
      deliver('other', {
        token,
        type: 'app_rate_limited',
        team_id: team,
        minute_rate_limited: Math.floor(clock.now() / MINUTE) * 60,
        api_app_id: app.id,
      }),
  };
}
