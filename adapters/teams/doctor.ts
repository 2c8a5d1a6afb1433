/** The checks of `parley doctor` for Teams. A check that reports a fault also names the cure. */

import { checkClock, text, timeLimit } from '../../src/kit/ladder.ts';
import type { Clock, Finding } from '../../src/kit.ts';
import { contentOf } from './api/errors.ts';
import { isSecure } from './api/hosts.ts';
import { createHttp, type Http, type HttpAnswer, type HttpRequest } from './api/http.ts';
import { faultsOf, type ManifestSettings, missingOf } from './app/package.ts';
import { cloudOf, directoryOf } from './clouds.ts';
import type { TeamsConfig } from './config.ts';
import { decoded } from './receive/bearer.ts';
import { createTokens, type TokensDeps } from './sign-in/tokens.ts';

/** Maximum time of one request to Microsoft, or to the bridge's public address, in milliseconds. */
const CALL_MS = 10_000;
/** Maximum bytes of a response. Microsoft's responses have a few KB; a wrong address may return a large web page. */
const MAX_BYTES = 256 * 1024;

export async function examineTeams(
  config: TeamsConfig,
  app: ManifestSettings,
  clock: Clock,
): Promise<Findings> {
  const http = createHttp();
  const deps = { config, http, clock };
  try {
    const checks = [checkSignIn(deps), checkKeys(deps), checkAddress(deps), checkSignOn(deps)];
    const found = await Promise.all(checks);
    return [...found.flat(), ...checkApp(app)];
  } finally {
    await http.close();
  }
}

type Findings = readonly Finding[];

const good = (what: string, detail: string): Findings => [{ what, ok: true, detail }];
const fault = (what: string, detail: string): Findings => [{ what, ok: false, detail }];

/**
 * Requests the tokens that the bridge needs: for the Bot Connector, and for Graph if the bridge reads messages there.
 */
async function checkSignIn(deps: TokensDeps): Promise<Findings> {
  const { config } = deps;
  const tokens = createTokens(deps);
  const connector = tryToken('Teams sign-in', tokens.get('connector', timeLimit(CALL_MS)), config);
  if (!config.allMessages) return connector;
  const graph = tryToken('Teams sign-in at Graph', tokens.get('graph', timeLimit(CALL_MS)), config);
  return [...(await connector), ...(await graph)];
}

async function tryToken(what: string, token: Promise<string>, config: TeamsConfig): Promise<Findings> {
  try {
    const other = otherIds(await token, config);
    if (other !== undefined) return fault(what, other);
    return good(what, `as ${config.appId} in the directory ${config.tenant}`);
  } catch (thrown) {
    return fault(what, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/**
 * Returns what is wrong and how to correct it if the token is for another app or directory than the bot's, for example
 * because the managed identity belongs to another app; otherwise undefined.
 */
function otherIds(token: string, { appId, tenant }: TeamsConfig): string | undefined {
  // Microsoft may change its token format at any time, so an unreadable token is not a fault.
  const claims = decoded(token.split('.')[1] ?? '') ?? {};
  const app = text(claims.appid) ?? text(claims.azp) ?? appId;
  const directory = text(claims.tid) ?? tenant;
  if (app.toLowerCase() !== appId.toLowerCase()) {
    return `The sign-in issues a token for the app ${app}, not for MICROSOFT_APP_ID. Set MICROSOFT_APP_ID to the id of the bot.`;
  }
  if (directory.toLowerCase() === tenant.toLowerCase()) return undefined;
  const cure = 'Set MICROSOFT_APP_TENANT_ID to the directory of the bot.';
  return `The sign-in issues a token for the directory ${directory}, not for MICROSOFT_APP_TENANT_ID. ${cure}`;
}

async function checkKeys({ config, http, clock }: TokensDeps): Promise<Findings> {
  const what = "Teams' keys";
  const { openId: origin } = cloudOf(config);
  const answer = await call(http, { method: 'GET', url: `${origin}/v1/.well-known/openidconfiguration` });
  if (answer.kind !== 'answered' || answer.status !== 200) {
    const why =
      answer.kind === 'answered' ? `responds with ${answer.status}` : `cannot be reached (${answer.reason})`;
    const isPassing = answer.kind === 'answered' && (answer.status === 429 || answer.status >= 500);
    const does = isPassing
      ? 'Wait a few minutes, then run the command again'
      : 'Check the network and its proxy';
    const cure = `${does}: without these keys no request from Teams can be verified.`;
    return fault(what, `${origin} ${why}. ${cure}`);
  }
  const { date } = answer.headers;
  const late = 'Until then, requests from Teams look too old or too new, and the bridge refuses them.';
  return [
    ...good(what, `${origin} returns them`),
    ...checkClock('Teams', 'Microsoft', { date, clock }, late),
  ];
}

/** Reads the organization's OpenID metadata, and shows what people's tokens must contain. */
async function checkSignOn({ config, http }: TokensDeps): Promise<Findings> {
  const { singleSignOn } = config;
  if (singleSignOn === undefined) return [];
  const what = 'Teams single sign-on';
  const { metadata, issuers } = directoryOf(config);
  const answer = await call(http, { method: 'GET', url: metadata });
  const { issuer } = answer.kind === 'answered' && answer.status === 200 ? contentOf(answer) : {};
  if (!issuers.includes(String(issuer))) {
    const cure = 'Check the network and its proxy, MICROSOFT_APP_TENANT_ID and MICROSOFT_APP_CLOUD.';
    return fault(what, `${metadata} does not describe the organization. ${cure}`);
  }
  const { resource, application } = singleSignOn;
  return good(what, `accepts tokens for ${resource} or ${application} that ${issuers.join(' or ')} issued`);
}

/** Posts to the bridge's public address, as Teams does, but without a token; the bridge then responds with 401. */
async function checkAddress({ config, http }: TokensDeps): Promise<Findings> {
  const what = 'Teams messages';
  const { publicUrl, services } = config;
  if (publicUrl === undefined) {
    const cure = 'Set PARLEY_PUBLIC_URL to the address at which Teams reaches the bridge.';
    return fault(what, `no public address. ${cure}`);
  }
  const address = `${publicUrl}/api/messages`;
  if (!isReachable(new URL(address), services)) {
    return fault(
      what,
      `${address} is not an https address, and Teams accepts no other. Set PARLEY_PUBLIC_URL.`,
    );
  }
  const answer = await call(http, { method: 'POST', url: address, body: '{}' });
  const trouble = troubleOf(answer);
  if (trouble === undefined) return good(what, `${address} answers; it is the bot's messaging endpoint`);
  return fault(what, `${address} ${trouble}`);
}

/** True for https. Plain http is allowed only to this machine, and only if local services replace Microsoft's. */
const isReachable = (url: URL, services: TeamsConfig['services']): boolean =>
  url.protocol === 'https:' || (services !== undefined && isSecure(url));

function troubleOf(answer: HttpAnswer): string | undefined {
  if (answer.kind !== 'answered') {
    return `does not answer (${answer.reason}). Start the bridge, and check PARLEY_PUBLIC_URL and the proxy or tunnel in front of it.`;
  }
  const { status, headers } = answer;
  if (status === 401 && headers['www-authenticate'] === undefined) return undefined;
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) {
    return `responds with ${status}: a proxy or tunnel in front of the bridge redirects requests or asks for a sign-in. Let requests without a sign-in through, as \`--allow-anonymous\` does for a dev tunnel.`;
  }
  if (status === 429) return 'responds with 429. Wait a minute, then run the command again.';
  if (status >= 502 && status <= 504) {
    return `responds with ${status}: the proxy or tunnel does not reach the bridge. Start the bridge, and check where the proxy leads.`;
  }
  return `responds with ${status}. Check that PARLEY_PUBLIC_URL leads to this bridge, and that it was started with these settings.`;
}

function checkApp(app: ManifestSettings): Findings {
  const what = 'Teams app';
  const faults = [...faultsOf(app), ...missingOf(app)];
  if (faults.length > 0) return fault(what, faults.join(' '));
  const consent = app.allMessages ? '; the app asks owners to consent, so that it can read all messages' : '';
  return good(
    what,
    `the app and its bot have the id ${app.appId}${consent}; \`parley manifest teams\` creates it`,
  );
}

function call(
  http: Pick<Http, 'send'>,
  request: Pick<HttpRequest, 'method' | 'url' | 'body'>,
): Promise<HttpAnswer> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const bounds = { limit: MAX_BYTES, withinMs: CALL_MS };
  return http.send({ ...request, headers, ...bounds }, new AbortController().signal);
}
