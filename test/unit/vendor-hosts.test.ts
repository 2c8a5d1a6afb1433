/**
 * Tests that without another configured address, credentials for Slack go to Slack's own host, and those for Microsoft
 * to Microsoft's. nock simulates these hosts.
 */

import nock from 'nock';
import { afterAll, afterEach, expect, test } from 'vitest';
import { createCaller, createSender } from '../../adapters/slack/api/sender.ts';
import { SLACK_API } from '../../adapters/slack/config.ts';
import { createHttp } from '../../adapters/teams/api/http.ts';
import { createMachineIdentity } from '../../adapters/teams/sdk.ts';
import { logIn } from '../../adapters/teams/sign-in/login.ts';
import { systemClock } from '../../src/clock.ts';
import { quiet } from '../fakes/quiet.ts';
import { secret } from './teams/rig.ts';

afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});

// Files share a process, and nock would also hold back the plain sockets of later files.
afterAll(() => nock.restore());

const signal = new AbortController().signal;

test('a call to Slack carries its token to slack.com', async () => {
  nock('https://slack.com', { reqheaders: { authorization: 'Bearer xoxb-own' } })
    .post('/api/chat.postMessage', { channel: 'C1', text: 'Hello' })
    .reply(200, { ok: true, ts: '1.2' });
  const workspace = { tenant: 'T1', botUser: 'U0', token: 'xoxb-own' };
  const sender = createSender(createCaller(SLACK_API, quiet), {
    find: async () => workspace,
    ofTenant: async () => workspace,
    disable: () => undefined,
    remove: async () => [],
  });
  const answer = await sender.call('T1', 'chat.postMessage', { channel: 'C1', text: 'Hello' }, signal);
  expect(answer).toMatchObject({ kind: 'done', body: { ts: '1.2' } });
});

/**
 * The token service has the same address on every machine in Azure:
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
 */
test('a managed identity asks the address of its own machine for a token', async () => {
  const expires = Math.floor(Date.now() / 1_000) + 3_600;
  nock('http://169.254.169.254', { reqheaders: { metadata: 'true' } })
    .get('/metadata/identity/oauth2/token')
    .query(
      ({ resource, client_id: client }) => resource === 'https://api.botframework.com' && client === 'app-1',
    )
    .reply(200, {
      access_token: 'token-of-the-machine',
      expires_on: String(expires),
      resource: 'https://api.botframework.com',
      token_type: 'Bearer',
    });
  const machine = createMachineIdentity({ appId: 'app-1', tenant: 'home' });
  expect(await machine('https://api.botframework.com/.default', false)).toBe('token-of-the-machine');
});

test('a secret goes to login.microsoftonline.com', async () => {
  nock('https://login.microsoftonline.com')
    .post('/home/oauth2/v2.0/token', /client_secret=only-for-microsoft/)
    .reply(200, { access_token: 'token-of-the-app', expires_in: 3_600 });
  const http = createHttp();
  const config = { appId: 'app-1', tenant: 'home', cloud: 'Public' as const };
  const credential = { kind: 'password' as const, password: secret('only-for-microsoft') };
  const parts = { config, http, clock: systemClock };
  const granted = await logIn(credential, 'https://api.botframework.com/.default', parts);
  expect(granted.token).toBe('token-of-the-app');
  await http.close();
});
