/** Requests that belong to no workspace. */

import type { World } from '../world.ts';
import type { Deliverer, Delivery } from './deliver.ts';

export interface Special {
  /** https://docs.slack.dev/reference/events/url_verification: the app answers the challenge. */
  urlVerification(challenge?: string): Delivery;
  /** https://docs.slack.dev/interactivity/implementing-slash-commands: a form of one field and the old token. */
  sslCheck(): Delivery;
  /** https://docs.slack.dev/reference/events/app_rate_limited: over 30,000 events an hour and workspace. */
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
