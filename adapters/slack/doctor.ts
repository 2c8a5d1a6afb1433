/** Findings of `parley doctor` about Slack. A finding that reports a fault also names the cure. */

import { createHmac, randomBytes } from 'node:crypto';
import { cappedFetch, checkClock, plain, readJson, text, timeLimit } from '../../src/kit/ladder.ts';
import type { Clock, Finding } from '../../src/kit.ts';
import { codeOf, UNREADABLE } from './api/errors.ts';
import type { Secret, SlackConfig } from './config.ts';
import { cureOf } from './cures.ts';
import { socketCure } from './receive/reach.ts';
import { botScopes } from './scopes.ts';

/** Maximum duration of one request, in milliseconds. */
const REQUEST_MS = 10_000;
const request = cappedFetch();

export async function examineSlack(config: SlackConfig, clock: Clock): Promise<readonly Finding[]> {
  const { botToken, appToken, signingSecret, oauth, publicUrl } = config;
  const found = await Promise.all([
    ...(botToken === undefined ? [] : [checkToken(botToken, config, clock)]),
    ...(appToken === undefined ? [] : [checkSocket(appToken, config)]),
    ...(signingSecret === undefined ? [] : [checkAddress(signingSecret, config, clock)]),
  ]);
  const pages = oauth === undefined ? [] : [good('Slack installation', `at ${publicUrl}/slack/install`)];
  return [...found.flat(), ...pages];
}

const good = (what: string, detail: string): Finding => ({ what, ok: true, detail });
const fault = (what: string, detail: string): Finding => ({ what, ok: false, detail });

/**
 * Calls a method and returns its result and its response headers, which contain the scopes and the time. Returns
 * undefined if Slack cannot be reached. `error` is Slack's code, `HTTP` with a status, or `UNREADABLE`.
 */
async function look(method: string, token: Secret, { apiUrl }: SlackConfig) {
  try {
    const response = await request(new URL(method, apiUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${token.reveal()}` },
      redirect: 'manual',
      signal: timeLimit(REQUEST_MS),
    });
    const body = plain(readJson(await response.text()));
    const { ok, status, headers } = response;
    const code = text(body.error) === undefined ? undefined : codeOf(body.error);
    const error = body.ok === true ? undefined : (code ?? (ok ? UNREADABLE : `HTTP ${status}`));
    return { body, headers, error };
  } catch {
    return undefined;
  }
}

const unreachable = (what: string, { apiUrl }: SlackConfig): Finding =>
  fault(what, `${apiUrl} cannot be reached. Check the network and its proxy, or SLACK_API_URL.`);

function refusal(what: string, error: string, cure: string, { apiUrl }: SlackConfig): Finding {
  if (error === UNREADABLE || /^HTTP [34](?!29)/.test(error)) {
    const responds = error === UNREADABLE ? 'does not respond in JSON' : `responds with ${error}`;
    return fault(
      what,
      `${apiUrl} ${responds}, so it is not Slack. Check SLACK_API_URL and the proxy of the network.`,
    );
  }
  return fault(what, `Slack says ${error}. ${cure}.`);
}

async function checkToken(token: Secret, config: SlackConfig, clock: Clock): Promise<readonly Finding[]> {
  const what = 'Slack token';
  const looked = await look('auth.test', token, config);
  if (looked === undefined) return [unreachable(what, config)];
  const { error, body, headers } = looked;
  if (error !== undefined) {
    const cure =
      'Copy the bot token (xoxb-…) from "OAuth & Permissions" of the app into SLACK_BOT_TOKEN (slack.botToken)';
    return [refusal(what, error, cureOf(error) ?? cure, config)];
  }
  const detail = `${text(body.user) ?? 'the app'} in ${text(body.team) ?? 'the workspace'}`;
  const late = 'Requests are refused if the clocks differ by more than five minutes.';
  const time = checkClock('Slack', 'Slack', { date: headers.get('date'), clock }, late);
  return [good(what, detail), ...checkScopes(headers, config), ...time];
}

function checkScopes(headers: Headers, config: SlackConfig): readonly Finding[] {
  const given = headers
    .get('x-oauth-scopes')
    ?.split(',')
    .map((scope) => scope.trim());
  if (given === undefined) return [];
  const missing = botScopes(config).filter((scope) => !given.includes(scope));
  if (missing.length === 0) return [good('Slack scopes', 'complete')];
  const cure = 'Paste the output of `parley manifest slack` into "App Manifest" and reinstall the app.';
  return [fault('Slack scopes', `missing: ${missing.join(', ')}. ${cure}`)];
}

async function checkSocket(token: Secret, config: SlackConfig): Promise<readonly Finding[]> {
  const what = 'Slack Socket Mode';
  const looked = await look('apps.connections.open', token, config);
  if (looked === undefined) return [unreachable(what, config)];
  if (looked.error === undefined) return [good(what, 'a connection can be opened')];
  return [refusal(what, looked.error, socketCure(looked.error), config)];
}

/** Sends the same signed `url_verification` request that Slack sends to verify an address in the app's settings. */
async function checkAddress(
  secret: Secret,
  { publicUrl, appToken }: SlackConfig,
  clock: Clock,
): Promise<readonly Finding[]> {
  const what = 'Slack events';
  if (publicUrl === undefined) {
    return appToken === undefined
      ? [fault(what, 'no public address. Set PARLEY_PUBLIC_URL, or SLACK_APP_TOKEN for Socket Mode.')]
      : [];
  }
  const address = `${publicUrl}/slack/events`;
  const challenge = randomBytes(16).toString('hex');
  const body = JSON.stringify({ type: 'url_verification', challenge });
  const answer = await askAddress(address, body, secret, clock);
  if (answer?.said === challenge) return [good(what, `${address} answers`)];
  const why = answer === undefined ? 'does not answer' : `responds with ${answer.status}`;
  return [fault(what, `${address} ${why}. ${addressCure(answer?.status)}`)];
}

function addressCure(status: number | undefined): string {
  if (status === undefined || status === 502 || status === 503 || status === 504)
    return 'Start the bridge, and check PARLEY_PUBLIC_URL and the proxy in front of it.';
  if (status === 401) {
    return 'Check that PARLEY_PUBLIC_URL leads to this bridge, that the bridge was started with this SLACK_SIGNING_SECRET, and that no proxy changes the request.';
  }
  if (status === 429) return 'Wait a minute, then run the command again.';
  if (status === 403 || (status >= 300 && status < 400)) {
    return 'A proxy or tunnel in front of the bridge redirects requests or asks for a sign-in. Let requests of Slack through.';
  }
  return 'Check that PARLEY_PUBLIC_URL leads to this bridge.';
}

/** Resolves with the status and the body of the response; with undefined if there is none. */
async function askAddress(address: string, body: string, secret: Secret, clock: Clock) {
  const at = String(Math.floor(clock.now() / 1000));
  const signature = createHmac('sha256', secret.reveal()).update(`v0:${at}:${body}`).digest('hex');
  try {
    const response = await request(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': at,
        'x-slack-signature': `v0=${signature}`,
      },
      body,
      redirect: 'manual',
      signal: timeLimit(REQUEST_MS),
    });
    return { status: response.status, said: await response.text() };
  } catch {
    return undefined;
  }
}
