/** Tests Teams' HTTP requests: each is verified, read and stored before it is acknowledged. */

import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../../../src/errors.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { type Rig, startRig } from '../rig.ts';

let clock: VirtualClock;
let rig: Rig;
let activity: Record<string, unknown>;

beforeEach(async () => {
  clock = createVirtualClock({ start: Date.now() });
  rig = await startRig({ clock });
  const person = rig.fake.tenant().person();
  const { delivery } = person.says(person.dm(), 'How long is the notice period, and who tells me?');
  await delivery?.done;
  activity = { ...delivery?.activity };
  rig.taken.splice(0);
});
afterEach(() => rig.close());

const authorization = () => rig.fake.inbound.authorize(activity);

/** Sends a request with a raw body. Resolves with the first line of the response. */
function open(headers: Readonly<Record<string, string>>) {
  const { port } = new URL(rig.url);
  const socket = connect(Number(port), '127.0.0.1');
  const answered = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data).split('\r\n', 1)[0] ?? ''));
    socket.on('error', () => undefined);
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /api/messages HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`);
  return { socket, answered };
}

describe('a verified request', () => {
  test('is stored and gets an empty response', async () => {
    expect(await rig.send(activity)).toEqual({ status: 200, text: '' });
    expect(rig.taken).toMatchObject([
      { kind: 'ask', message: { thread: { channel: 'teams', kind: 'direct' } } },
    ]);
  });

  test('that Teams repeats has the same origin, so that it is one question (F23)', async () => {
    await rig.send(activity);
    await rig.send(activity);
    const origins = rig.taken.map((taken) => (taken.kind === 'ask' ? taken.origin : undefined));
    expect(origins).toEqual([origins[0], origins[0]]);
  });

  test.each(['nothing', '[1]', '{"a":', '"x"'])('with the body %s is refused', async (body) => {
    expect((await rig.post(body, authorization())).status).toBe(400);
    expect(rig.taken).toEqual([]);
  });

  test('with JSON nested 100,000 deep does no harm', async () => {
    const body = JSON.stringify({ ...activity, value: 'deep' }).replace(
      '"deep"',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    );
    expect((await rig.post(body, authorization())).status).toBe(200);
  });

  test.each([
    { type: 'typing' },
    { type: 'endOfConversation' },
    { type: 'conversationUpdate', membersAdded: [{ id: '29:somebody' }] },
    { type: 'messageUpdate', channelData: { eventType: 'undeleteMessage', tenant: undefined } },
    { type: 'message', id: undefined },
    { type: 'message', conversation: { id: 7 } },
    { type: 7 },
  ])('that does not concern the bridge is acknowledged and ignored: %j', async (changes) => {
    const channelData = { ...(activity.channelData as object), ...changes.channelData };
    const conversation = { ...(activity.conversation as object), ...changes.conversation };
    expect((await rig.send({ ...activity, ...changes, channelData, conversation })).status).toBe(200);
    expect(rig.taken).toEqual([]);
  });

  test('with an unknown invoke gets 501', async () => {
    expect((await rig.send({ ...activity, type: 'invoke', name: 'task/fetch' })).status).toBe(501);
    expect((await rig.send({ ...activity, type: 'invoke' })).status).toBe(501);
  });
});

test.each([
  ['/more', 404],
  ['/', 200],
  ['?from=azure', 200],
])('the endpoint’s address followed by %s: %i', async (more, status) => {
  const response = await fetch(`${rig.url}${more}`, {
    method: 'POST',
    headers: { authorization: authorization() },
    body: JSON.stringify(activity),
  });
  expect(response.status).toBe(status);
});

describe('a request that differs from its token', () => {
  test.each([
    ['another channel', { channelId: 'webchat' }],
    ['no channel', { channelId: undefined }],
    ['another service', { serviceUrl: 'http://127.0.0.1:1/' }],
    ['no service', { serviceUrl: undefined }],
    ['two organizations', { channelData: { tenant: { id: 'another' } } }],
    ['no tenant', { channelData: {}, conversation: { id: 'a:1' } }],
  ])('responds 401: %s', async (_, changes) => {
    const sent = JSON.stringify({ ...activity, ...changes });
    expect((await rig.post(sent, authorization())).status).toBe(401);
    expect(rig.taken).toEqual([]);
  });

  test.each([
    ['of another cloud', 'MICROSOFT_APP_CLOUD', { claims: { iss: 'https://api.botframework.us' } }],
    ['for another bot', 'MICROSOFT_APP_ID', { claims: { aud: '11111111-2222-4333-8444-555555555555' } }],
    [
      'with a foreign service address',
      'does not belong to Microsoft',
      { claims: { serviceurl: 'https://example.com/emea/' } },
    ],
  ])('is logged for the operator: %s', async (_, told, overrides) => {
    const sent = rig.fake.inbound.authorize(activity, overrides);
    for (let nth = 0; nth < 3; nth++) expect((await rig.post(activity, sent)).status).toBe(401);
    expect(rig.logged.filter((line) => line.includes(told))).toHaveLength(1);
    expect(rig.logged.join()).not.toContain('example.com');
  });

  test('is logged once a minute, with the setting that may be wrong', async () => {
    const sent = rig.fake.inbound.bad('tenant', activity);
    for (let nth = 0; nth < 3; nth++) await rig.post(sent.activity, sent.authorization);
    expect(rig.logged.filter((line) => line.includes('MICROSOFT_APP_TENANT_ID'))).toHaveLength(1);
    await clock.pass(60_000);
    await rig.post(sent.activity, sent.authorization);
    expect(rig.logged.filter((line) => line.includes('MICROSOFT_APP_TENANT_ID'))).toHaveLength(2);
  });
});

describe('a service address that is not Microsoft’s (S15)', () => {
  test.each([
    'https://smba.trafficmanager.net.example.com/emea/',
    'https://smba-trafficmanager.net/emea/',
    'https://example.com/smba.trafficmanager.net/',
    'https://smba.trafficmanager.net@example.com/',
    'ftp://smba.trafficmanager.net/',
    'smba.trafficmanager.net',
  ])('responds 401, although the token contains the address too: %s', async (serviceUrl) => {
    const sent = { ...activity, serviceUrl };
    expect((await rig.post(sent, rig.fake.inbound.authorize(sent))).status).toBe(401);
    expect(rig.taken).toEqual([]);
  });
});

describe('a request without a token', () => {
  test('is not read', async () => {
    const { socket, answered } = open({ 'content-length': '900000' });
    expect(await answered).toMatch(/ 401 /);
    socket.destroy();
  });

  test('is refused with another method', async () => {
    expect((await fetch(rig.url)).status).toBe(401);
  });
});

describe('a body', () => {
  test('is not read if its announced size is too large', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: authorization(), 'content-length': 5 * 1024 * 1024 };
      const asked = request(rig.url, { method: 'POST', headers });
      asked.once('response', (response) => resolve(response.statusCode));
      asked.once('error', reject);
      asked.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('is cut off when it exceeds the limit', async () => {
    const { socket, answered } = open({ authorization: authorization(), 'transfer-encoding': 'chunked' });
    const piece = 'x'.repeat(0x10000);
    for (let sent = 0; sent <= 16; sent++) socket.write(`10000\r\n${piece}\r\n`);
    expect(await answered).toMatch(/ 413 /);
    socket.destroy();
  });

  test('is given up after 10 s if it arrives slowly', async () => {
    const before = clock.waiting;
    const { socket, answered } = open({ authorization: authorization(), 'content-length': '9' });
    socket.write('{');
    await expect.poll(() => clock.waiting).toBeGreaterThan(before);
    await clock.pass(10_000);
    expect(await answered).toMatch(/ 408 /);
    socket.destroy();
  });
});

describe('an event that cannot be stored', () => {
  test('is repeated by Teams', async () => {
    rig.kept = () => Promise.reject(new BridgeError('store-unavailable', 'The disk is full.'));
    expect((await rig.send(activity)).status).toBe(503);
    rig.kept = () => ({ kind: 'noted' });
    expect((await rig.send(activity)).status).toBe(200);
  });

  test('within 12 s is refused before Teams gives up, so that Teams repeats it', async () => {
    rig.kept = () => new Promise(() => undefined);
    const answered = rig.send(activity);
    await expect.poll(() => rig.taken.length).toBe(1);
    await clock.pass(12_000);
    expect((await answered).status).toBe(503);
  });

  test('because the bridge stops is repeated by Teams (F31)', async () => {
    rig.closing = true;
    expect((await rig.send(activity)).status).toBe(503);
    expect(rig.taken).toEqual([]);
  });
});

test('an event is acknowledged without a call to Teams', async () => {
  const before = rig.fake.log.calls.length;
  await rig.send(activity);
  expect(rig.fake.log.calls.length).toBe(before);
});
