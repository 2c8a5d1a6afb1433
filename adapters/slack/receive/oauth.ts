/** Serves the pages with which workspaces install the app themselves. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { InstallProvider } from '@slack/oauth';
import {
  cappedFetch,
  createAttempts,
  createSeldom,
  type EndAttempt,
  MAX_ANSWER_BYTES,
  plain,
  readJson,
} from '../../../src/kit/ladder.ts';
import { sdkLog } from '../api/sdk-log.ts';
import { CALL_MS, webOptions } from '../api/sender.ts';
import { toStoredInstallation } from './installation.ts';
import { type RenewalDeps, renewTokens } from './renewal.ts';

export interface OAuthDeps extends RenewalDeps {
  readonly scopes: readonly string[];
  /** Called with the token of a new installation, before it is stored. */
  installed(token: string): void;
  readonly apiUrl: string;
}

export type OAuth = ReturnType<typeof createOAuth>;

export function createOAuth(deps: OAuthDeps) {
  const { config, clock, log } = deps;
  const seldom = createSeldom(clock);
  const attempts = createAttempts(clock);
  const options = { scopes: [...deps.scopes], redirectUri: `${config.publicUrl}/slack/oauth_redirect` };
  return {
    // Create the SDK's provider for each request, so that a rotated secret takes effect immediately.
    /** Handles `GET /install`: redirects the browser to Slack. */
    install: (request: IncomingMessage, response: ServerResponse): Promise<void> =>
      createProvider(deps).handleInstallPath(request, response, {}, options),
    /** Handles `GET /oauth_redirect`, to which Slack sends the browser back. */
    callback: (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      let end: EndAttempt = () => undefined;
      return createProvider(deps).handleCallback(request, response, {
        // The SDK has checked the state now. Anyone can begin an installation and make up a code.
        async beforeInstallation() {
          const begun = attempts(request.socket.remoteAddress ?? '');
          if (begun === undefined) page(response, 429, 'Nothing was installed', TOO_MANY);
          end = begun ?? end;
          return begun !== undefined;
        },
        success: ({ team, enterprise }) => {
          end(false);
          log.info({ team: team?.id, enterprise: enterprise?.id }, 'the app was installed in Slack');
          const next = 'Open Slack, invite Parley to a channel, and mention it there.';
          page(response, 200, 'Parley is installed', next);
        },
        failure: (error) => {
          end(true);
          const refused = /invalid_state|missing_state|missing_code|authorization|unknown/.test(error.code);
          // Anyone can send a request that is refused.
          seldom(refused ? 'refused' : 'failed', () =>
            log.warn({ err: error }, 'an installation of the app in Slack failed'),
          );
          const reason = REASONS[error.code] ?? 'Nothing was installed. Please start again.';
          page(response, refused ? 400 : 502, 'The installation failed', reason);
        },
      });
    },
    /** Renews tokens until the signal aborts. */
    renew: (signal: AbortSignal): Promise<void> => renewTokens(deps, signal),
  };
}

function createProvider({ config, installations, installed, apiUrl, log }: OAuthDeps): InstallProvider {
  const answers = readAnswers();
  return new InstallProvider({
    clientId: config.clientId,
    clientSecret: config.clientSecret.reveal(),
    stateSecret: config.stateSecret.reveal(),
    directInstall: true,
    authorizationUrl: new URL('/oauth/v2/authorize', apiUrl).href,
    clientOptions: { ...webOptions(apiUrl), fetch: answers.fetch },
    logger: sdkLog(log, 'oauth'),
    installationStore: {
      async storeInstallation(installation) {
        const stored = toStoredInstallation(installation, answers.grantedAt());
        if (stored === undefined)
          throw new Error('Slack returned no bot token or no workspace: the app may request no bot scopes.');
        installed(stored.token);
        await installations.write(stored);
      },
      // The pages never read an installation.
      fetchInstallation: () => Promise.reject(new Error('Installations are not read through the SDK.')),
    },
  });
}

const TOO_MANY = 'Too many installations failed. Please wait a minute, and start again.';

/** Reasons for a failed installation that people can do something about, by the SDK's error code. */
const REASONS: Readonly<Record<string, string>> = {
  slack_oauth_installer_authorization_error:
    'The installation was cancelled in Slack, so nothing was installed. You can start again at any time.',
  // The SDK uses this code for an answer of Slack's that lacks something.
  slack_oauth_unknown_error:
    'Slack did not give the app a bot for your workspace, so nothing was installed. Please tell the people who run this app.',
};

/**
 * Returns a `fetch` that notes the time of the installation by Slack's clock, and completes Slack's answer: it may
 * lack the person who installed the app, and the SDK would then fail.
 */
function readAnswers() {
  const request = cappedFetch(MAX_ANSWER_BYTES, CALL_MS);
  let grantedAt: number | undefined;
  return {
    /** Time in seconds since the epoch. */
    grantedAt: () => grantedAt,
    async fetch(...given: Parameters<typeof request>): Promise<Response> {
      const response = await request(...given);
      if (!String(given[0]).endsWith('/oauth.v2.access') || !response.ok) return response;
      const { headers, status } = response;
      const date = Date.parse(headers.get('date') ?? '');
      grantedAt = Number.isNaN(date) ? undefined : Math.floor(date / 1_000);
      const answer = readJson(await response.text()) ?? {};
      const completed = { ...answer, authed_user: plain(answer.authed_user) };
      return new Response(JSON.stringify(completed), { status, headers });
    },
  };
}

/**
 * Sends a page that contains no scripts, no external addresses and no data from the request, so that nothing can be
 * injected.
 */
function page(response: ServerResponse, status: number, title: string, words: string): void {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${words}</p></html>`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  response.end(html);
}
