/** The adapter's configuration, made from Slack's settings and the settings that all channels share. */

import { proofAddress, type Shared } from '../../src/kit.ts';
import type { SlackSettings } from './settings.ts';

export type { Secret } from '../../src/kit/ladder.ts';

export type SlackConfig = Readonly<ReturnType<typeof slackConfig>>;
export type OAuthConfig = NonNullable<SlackConfig['oauth']>;
export type OpenIdConfig = NonNullable<SlackConfig['openId']>;

/** Base address of Slack's Web API. */
export const SLACK_API = 'https://slack.com/api/';

export function slackConfig(settings: SlackSettings, { publicUrl, byEmail }: Shared) {
  const { enabled: _, clientId, clientSecret, stateSecret, linkBySignIn, ...rest } = settings;
  const { apiUrl = SLACK_API, ...own } = rest;
  return {
    ...own,
    /** True if people are identified by their e-mail addresses. */
    email: byEmail,
    /** The address under which Slack and browsers reach the bridge, without a slash at the end. */
    publicUrl,
    /** Base address of Slack's methods, with a slash at the end. */
    apiUrl: apiUrl.replace(/\/*$/, '/'),
    /**
     * Set if workspaces install the app themselves. The checks of the settings have already refused an incomplete set of
     * these values. `stateSecret` signs the OAuth state, which a browser brings back from Slack, so that the state cannot
     * be forged.
     */
    oauth:
      clientId && clientSecret && stateSecret && publicUrl
        ? { clientId, clientSecret, stateSecret, publicUrl }
        : undefined,
    /**
     * Set if people may connect themselves to a platform account by signing in to Slack. `redirectUri` is the bridge's
     * own address, to which Slack sends the browser back.
     */
    openId:
      linkBySignIn && clientId && clientSecret && publicUrl
        ? { clientId, clientSecret, redirectUri: proofAddress(publicUrl, 'slack') }
        : undefined,
  };
}
