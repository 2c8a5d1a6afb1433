/**
 * Tests that no response to the bridge's own requests is read without limit (attack S09), and that no redirect is
 * followed (attack S05).
 */

import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Provider } from '../../../adapters/console/identity/provider.ts';
import { createCaller, createSender } from '../../../adapters/slack/api/sender.ts';
import { examineSlack } from '../../../adapters/slack/doctor.ts';
import { createIdentityProof } from '../../../adapters/slack/openid.ts';
import { systemClock } from '../../../src/clock.ts';
import { cappedFetch } from '../../../src/kit/capped-fetch.ts';
import { Secret } from '../../../src/secret.ts';
import { type EndlessServer, endlessServer } from '../../fakes/endless-server.ts';
import { closed, taken } from '../../fakes/listen.ts';
import { makeSigner } from '../../fakes/oidc/forger.ts';
import { quiet } from '../../fakes/quiet.ts';
import { smallServer } from '../../fakes/small-server.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { signInConfig } from '../console/provider-rig.ts';
import { freeCalls } from '../slack/free-calls.ts';

const MIB = 1024 * 1024;
/** Maximum bytes that a server can send to a capped client: the limit of 8 MiB, and what fits into socket buffers. */
const TAKEN = 24 * MIB;

let endless: EndlessServer;
beforeEach(async () => {
  endless = await endlessServer();
});
afterEach(() => endless.close());

const live = new AbortController().signal;

describe('a capped fetch', () => {
  test.each(['', '?gzip'])('ends an endless answer at its limit (attack S09) %s', async (query) => {
    const response = await cappedFetch(MIB)(`${endless.url}/${query}`);
    await expect(response.text()).rejects.toThrow('The response is larger than 1048576 bytes.');
    await endless.left;
    expect(endless.sent).toBeLessThan(TAKEN);
  });

  test('leaves a small answer as it is', async () => {
    const small = await smallServer('/', String);
    small.reply = 'ä'.repeat(8);
    small.status = 201;
    const response = await cappedFetch(16)(small.url);
    expect([response.status, response.ok, await response.text()]).toEqual([201, true, small.reply]);
    small.reply += '.';
    await expect(cappedFetch(16)(small.url).then((answer) => answer.text())).rejects.toThrow('16 bytes');
    small.status = 204;
    small.reply = '';
    expect((await cappedFetch(16)(small.url)).status).toBe(204);
    await small.close();
  });

  test.each([
    'follow',
    'error',
    undefined,
  ] as const)('follows no redirect (attack S05): %s', async (redirect) => {
    const trap = await smallServer('/', String);
    const moved = await redirecting(trap.url);
    const init = { method: 'POST', body: 'secret', ...(redirect && { redirect }) };
    await expect(cappedFetch(MIB)(moved.url, init)).rejects.toThrow('fetch failed');
    expect((await cappedFetch(MIB)(moved.url, { redirect: 'manual' })).status).toBe(307);
    expect(trap.received).toEqual([]);
    await Promise.all([trap.close(), moved.close()]);
  });
});

describe('an endless answer (attack S09)', () => {
  const workspace = { tenant: 'T1', botUser: 'U0', token: 'xoxb-1' };
  const workspaces = {
    find: async () => workspace,
    ofTenant: async () => workspace,
    disable: () => undefined,
    remove: async () => [],
  };
  const apiUrl = () => `${endless.url}/api/`;
  const openId = (at: string) =>
    createIdentityProof(
      { clientId: 'c', clientSecret: new Secret('s'), redirectUri: 'https://parley.example/x' },
      {
        apiUrl: at,
        call: createCaller(at, quiet),
        workspaces,
        clock: systemClock,
        people: { find: () => Promise.reject(new Error('not reached')) },
      },
    );
  const stopped = async () => {
    await endless.left;
    expect(endless.sent).toBeLessThan(TAKEN);
  };

  test('to a call of Slack ends the call', async () => {
    const sender = createSender(createCaller(apiUrl(), quiet), workspaces);
    expect(await sender.call('T1', 'chat.postMessage', {}, live)).toMatchObject({ kind: 'unknown' });
    await stopped();
  });

  test('to a read of Slack ends the read', async () => {
    const calls = freeCalls(apiUrl(), createVirtualClock(), workspaces);
    const over = AbortSignal.timeout(5_000);
    const reading = calls.read({ tenant: 'T1' }, 'users.info', {}, over);
    reading.catch(() => undefined);
    await stopped();
  });

  test('to Slack’s sign-in ends the sign-in, for the token and for the keys', async () => {
    const query = new URLSearchParams({ code: 'a code' });
    await expect(openId(apiUrl()).finish(query, 'n')).rejects.toMatchObject({ code: 'sign-in-unavailable' });
    await stopped();
    await endless.close();
    const { kid } = await makeSigner('one');
    const head = Buffer.from(JSON.stringify({ alg: 'RS256', kid })).toString('base64url');
    const token = `${head}.${Buffer.from('{}').toString('base64url')}.c2ln`;
    endless = await endlessServer(({ url }) =>
      url?.endsWith('openid.connect.token') ? { ok: true, id_token: token } : undefined,
    );
    await expect(openId(apiUrl()).finish(query, 'n')).rejects.toMatchObject({ code: 'sign-in-unavailable' });
    await stopped();
  });

  test('to a check of Slack ends the check', async () => {
    const config = { apiUrl: apiUrl(), botToken: new Secret('xoxb-1') };
    const findings = await examineSlack(config as Parameters<typeof examineSlack>[0], systemClock);
    expect(findings.map(({ ok }) => ok)).toContain(false);
    await stopped();
  });

  test('to the console’s identity provider ends the sign-in: metadata, and keys of a logout', async () => {
    const provider = () => new Provider(signInConfig(endless.url, 1), systemClock);
    await expect(provider().begin()).rejects.toMatchObject({ code: expect.stringMatching(/^sign-in-/) });
    await stopped();
    await endless.close();
    endless = await endlessServer(({ url }) =>
      url?.includes('openid-configuration')
        ? { issuer: endless.url, jwks_uri: `${endless.url}/keys`, authorization_endpoint: endless.url }
        : undefined,
    );
    const head = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'k' })).toString('base64url');
    const logout = provider().readLogout(`${head}.${Buffer.from('{}').toString('base64url')}.c2ln`);
    await expect(logout).rejects.toMatchObject({ code: expect.stringMatching(/^sign-in-/) });
    await stopped();
  });
});

/** A server that redirects each request, and asks to repeat the body. */
async function redirecting(to: string) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(307, { location: to }).end();
  });
  const port = await taken(server, 0);
  return { url: `http://127.0.0.1:${port}/`, close: () => closed(server) };
}
