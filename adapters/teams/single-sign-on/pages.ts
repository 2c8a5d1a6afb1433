/**
 * The two pages of a sign-in by hand. They open in a window when a person presses the button of the sign-in card. The
 * first page sends the browser to Microsoft, where the person signs in or consents. The second page tells Teams that
 * the person is back (Microsoft's page "Add authentication to your Teams bot"). The bridge does not redeem the code
 * that Microsoft adds to the address, because the Teams client gets the token by itself after the sign-in.
 */

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpHandler } from '../../../src/kit/ladder.ts';
import type { SingleSignOn } from '../config.ts';
import { SCOPE } from './verify.ts';
import { words } from './words.ts';

export const PAGES = '/teams/sign-in';
const DONE = '/done';

/** Matches a state that the bridge made. */
const STATE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Microsoft's script for pages in Teams; the hash is from the README of the script's package, and the package's file
 * has the same hash.
 */
const SCRIPT = 'https://res.cdn.office.net/teams-js/2.58.0/js/MicrosoftTeams.min.js';
const SCRIPT_HASH = 'sha384-sMo/EOqQPa1OCup2/VBRum7oFeOS22kvs8WGDc45xK53tUVZzFR5WwFYDUYN1LO4';

/** Tells Teams if the sign-in failed. After a success, gives Teams the state, which Teams then sends to the bot. */
const TELL = `const { state, failed } = document.body.dataset;
microsoftTeams.app.initialize().then(() => failed === undefined
  ? microsoftTeams.authentication.notifySuccess(state)
  : microsoftTeams.authentication.notifyFailure(failed));`;

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src '${SCRIPT_HASH}' ${hashOf(TELL)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Returns the address at which a person signs in. */
export const signInPage = (publicUrl: string, state: string): string => `${publicUrl}${PAGES}?state=${state}`;

/**
 * Returns the handler of both pages. Their addresses contain nothing secret.
 * @param authorize address at which a person signs in
 * @param publicUrl address at which browsers reach the bridge, without a trailing slash
 */
export function createPages(signOn: SingleSignOn, authorize: string, publicUrl: string): HttpHandler {
  const addressOf = (state: string): string => {
    const query = new URLSearchParams({
      client_id: signOn.application,
      response_type: 'code',
      response_mode: 'query',
      redirect_uri: `${publicUrl}${PAGES}${DONE}`,
      scope: `openid ${signOn.resource}/${SCOPE}`,
      state,
    });
    return `${authorize}?${query}`;
  };
  return (request, response) => {
    const address = URL.parse(request.url ?? '', 'http://bridge');
    const state = address?.searchParams.get('state') ?? '';
    if (address === null || !isRead(request) || !STATE.test(state)) return void response.writeHead(404).end();
    const path = address.pathname.replace(/\/$/, '');
    if (path === '') {
      const headers = { location: addressOf(state), 'referrer-policy': 'no-referrer' };
      return void response.writeHead(302, headers).end();
    }
    if (path !== DONE) return void response.writeHead(404).end();
    response.writeHead(200, HEADERS).end(donePage(state, address.searchParams.has('error')));
  };
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const donePage = (state: string, isFailed: boolean): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Parley</title>
<body data-state="${state}"${isFailed ? ' data-failed="SignInFailed"' : ''}>
<p>${isFailed ? words.failed : words.done}</p>
<script src="${SCRIPT}" integrity="${SCRIPT_HASH}" crossorigin="anonymous"></script>
<script>${TELL}</script>
</html>
`;
