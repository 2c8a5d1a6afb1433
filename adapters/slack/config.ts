/** The adapter's configuration, made from Slack's settings and the settings that all channels share. */

import { proofAddress, type Secret, type Shared } from '../../src/kit/channel.ts';
import type { SlackSettings } from './settings.ts';

export type { Secret } from '../../src/kit/channel.ts';

type Own = Omit<
  SlackSettings,
  'enabled' | 'apiUrl' | 'clientId' | 'clientSecret' | 'stateSecret' | 'linkBySignIn'
>;

export interface SlackConfig extends Own {
  /** Base address of Slack's methods, with a slash at the end. */
  readonly apiUrl: string;
  /** True if people are identified by their e-mail addresses. */
  readonly email: boolean;
  /** The address under which Slack reaches the bridge, without a slash at the end. */
  readonly publicUrl?: string | undefined;
  /** Set if workspaces install the app themselves. */
  readonly oauth?: OAuthConfig | undefined;
  /** Set if people may connect themselves to a platform account by signing in to Slack. */
  readonly openId?: OpenIdConfig | undefined;
}

export interface OAuthConfig {
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Signs the OAuth state, which a browser brings back from Slack, so that the state cannot be forged. */
  readonly stateSecret: Secret;
  /** The address under which browsers reach the bridge, without a slash at the end. */
  readonly publicUrl: string;
}

export interface OpenIdConfig {
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** The bridge's own address, to which Slack sends the browser back. */
  readonly redirectUri: string;
}

/** Base address of Slack's Web API. */
export const SLACK_API = 'https://slack.com/api/';

export function slackConfig(settings: SlackSettings, { publicUrl, byEmail }: Shared): SlackConfig {
  const { enabled: _, clientId, clientSecret, stateSecret, linkBySignIn, ...rest } = settings;
  const { apiUrl = SLACK_API, ...own } = rest;
  return {
    ...own,
    email: byEmail,
    publicUrl,
    apiUrl: apiUrl.replace(/\/*$/, '/'),
    // The checks of the settings have already refused an incomplete set of these values.
    oauth:
      clientId && clientSecret && stateSecret && publicUrl
        ? { clientId, clientSecret, stateSecret, publicUrl }
        : undefined,
    openId:
      linkBySignIn && clientId && clientSecret && publicUrl
        ? { clientId, clientSecret, redirectUri: proofAddress(publicUrl, 'slack') }
        : undefined,
  };
}
