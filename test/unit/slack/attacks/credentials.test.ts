/**
 * Tests attacks S05 to S09 over HTTP: a server that pretends to be Slack tries to get a token, to cause a loop, or to
 * fill the memory.
 */

import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isSlackAddress, post } from '../../../../adapters/slack/api/post.ts';
import { createCaller, createSender } from '../../../../adapters/slack/api/sender.ts';
import { SLACK_API } from '../../../../adapters/slack/config.ts';
import { examineSlack } from '../../../../adapters/slack/doctor.ts';
import { fileRef, openFile } from '../../../../adapters/slack/inbound/files.ts';
import { systemClock } from '../../../../src/clock.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { freeCalls } from '../free-calls.ts';
import { secret } from '../rig.ts';

const TOKEN = 'xoxb-token-canary';
const MEBIBYTE = 1024 * 1024;
const LIMIT = 10 * MEBIBYTE;
interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: string;
}
let slack: Server;
let elsewhere: Server;
let answer: RequestListener;
let left: Seen[];
let asked: number;

const listen = async (listener: RequestListener): Promise<Server> => {
  const made = createServer(listener);
  await new Promise<void>((done) => made.listen(0, '127.0.0.1', done));
  return made;
};
const at = (which: Server, host = '127.0.0.1') => `http://${host}:${(which.address() as AddressInfo).port}`;

beforeEach(async () => {
  left = [];
  asked = 0;
  slack = await listen((request, response) => {
    asked += 1;
    answer(request, response);
  });
  elsewhere = await listen(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    left.push({ headers: request.headers, url: request.url ?? '', body });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
});
afterEach(() => {
  for (const each of [slack, elsewhere]) {
    each.closeAllConnections();
    each.close();
  }
});

const { signal } = new AbortController();
const workspaces = {
  find: async () => undefined,
  ofTenant: async () => ({ tenant: 'T1', botUser: 'U0', token: TOKEN }),
  disable: () => undefined,
  remove: async () => [],
};
const apiUrl = () => `${at(slack)}/api/`;
const calls = () => freeCalls(apiUrl(), systemClock, workspaces);
const sender = () => createSender(createCaller(apiUrl(), quiet, 2_000), workspaces);
const open = (url: string, bytes = 5) => {
  const file = fileRef({ id: 'F1', name: 'a.png', type: 'image/png', bytes, url }, 'T1');
  return openFile(file, LIMIT, { workspaces, calls: calls(), apiUrl: apiUrl() }, signal);
};

describe.each([301, 302, 303, 307, 308])('S05: a redirect %i to another host', (status) => {
  beforeEach(() => {
    answer = (_, response) => response.writeHead(status, { location: `${at(elsewhere)}/steal` }).end();
  });

  test('is not followed by a writing call', async () => {
    const said = await sender().call('T1', 'chat.postMessage', { channel: 'C1', text: 'a secret' }, signal);
    expect(said.kind).not.toBe('done');
    expect(left).toEqual([]);
  });

  test('is not followed by a reading call', async () => {
    await expect(calls().read({ tenant: 'T1' }, 'users.info', { user: 'U1' }, signal)).rejects.toThrow();
    expect(left).toEqual([]);
  });

  test('is not followed by an answer to an act, an upload or a download', async () => {
    const sent = { url: `${at(slack)}/response/1`, body: 'a secret', type: 'text/plain' };
    expect((await post(sent, apiUrl(), signal)).kind).not.toBe('done');
    await expect(open(`${at(slack)}/files/1`)).rejects.toMatchObject({ code: 'image-refused' });
    expect(left).toEqual([]);
  });

  test('is not followed by the doctor', async () => {
    const config = { botToken: secret(TOKEN), appToken: secret('xapp-canary'), apiUrl: apiUrl() };
    const absent = { publicUrl: undefined, oauth: undefined, openId: undefined };
    const settings = { ...absent, name: 'P', command: '/ask', prompts: [] };
    const found = await examineSlack(
      { ...settings, ...config, footer: true, streaming: 'always', email: false, agentNames: false },
      systemClock,
    );
    expect(found.some(({ ok }) => !ok)).toBe(true);
    expect(JSON.stringify(found)).not.toMatch(/canary/);
    expect(left).toEqual([]);
  });
});

test.each([
  'http://hooks.slack.com/commands/1',
  'https://hooks.slack.com.evil.example/1',
  'https://evilslack.com/1',
  'https://slack.com@evil.example/1',
  'https://evil.example/#.slack.com',
  'https://evil.example\\.slack.com/1',
  'https://[::ffff:127.0.0.1]/1',
  'https://slack.com./1',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '//hooks.slack.com/1',
  '',
])('S05, S06: a response URL outside Slack is not called: %j', async (url) => {
  expect(isSlackAddress(url, SLACK_API)).toBe(false);
  const said = await post({ url, body: 'a secret', type: 'text/plain' }, SLACK_API, signal);
  expect(said).toMatchObject({ kind: 'refused', error: 'foreign_address' });
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]/f',
  'http://[::ffff:7f00:1]/f',
  'http://[64:ff9b::7f00:1]/f',
  'http://0x7f000001/f',
  'http://2130706433/f',
  'http://127.1/f',
  'http://0/f',
  'http://localhost/f',
  'https://files.slack.com@127.0.0.1/f',
  'https://files.slack.com:22/f',
  'https://files.slack.com%2eevil.example/f',
  'https://files.slack.com\u3002evil.example/f',
  'https://files.slack.com\t.evil.example/f',
  'HTTPS://FILES.SLACK.COM.evil.example/f',
  '\\\\evil.example\\share',
  'file:///etc/passwd',
  'data:image/png;base64,AAAA',
  '../../etc/passwd',
])('S05, S06, S08: a file with the address %j is not opened', async (url) => {
  answer = (_, response) => response.end('bytes');
  await expect(open(url)).rejects.toMatchObject({ code: 'image-refused' });
  expect([asked, left.length]).toEqual([0, 0]);
});

test('S07: a redirect to unencrypted http, in a loop or with credentials in the address is not followed', async () => {
  for (const location of ['http://files.slack.com/f', `${at(slack, 'x:y@127.0.0.1')}/f`, 'gopher://x/']) {
    answer = (_, response) => response.writeHead(302, { location }).end();
    await expect(open(`${at(slack)}/f`)).rejects.toMatchObject({ code: 'image-refused' });
  }
  asked = 0;
  answer = (request, response) => response.writeHead(302, { location: `${request.url}x` }).end();
  await expect(open(`${at(slack)}/f`)).rejects.toThrow('redirects more than 3 times');
  expect(asked).toBe(4);
});

test('S09: a gzip bomb is decompressed up to the limit only', async () => {
  const bomb = gzipSync(Buffer.alloc(300 * MEBIBYTE));
  expect(bomb.byteLength).toBeLessThan(MEBIBYTE);
  answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  const before = process.memoryUsage().arrayBuffers;
  await expect(open(`${at(slack)}/f`)).rejects.toThrow(`larger than ${LIMIT} bytes`);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * MEBIBYTE);
});

test.each([
  ['nested', 'gzip, gzip'],
  ['broken', 'gzip'],
  ['unknown', 'zstd-canary'],
])('S09: a body with the encoding %s leads to a refusal or to bytes, never to a crash', async (_, encoding) => {
  answer = (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end('no gzip');
  const opened = await open(`${at(slack)}/f`).catch((thrown: unknown) => thrown);
  expect(opened instanceof Uint8Array || opened instanceof Error).toBe(true);
});

test('S09: an endless body is cut at the limit, and a body shorter than its declared length is refused', async () => {
  answer = (_, response) => {
    response.on('error', () => undefined);
    const more = (): void => {
      if (!response.destroyed) response.write(Buffer.alloc(MEBIBYTE), () => setImmediate(more));
    };
    more();
  };
  await expect(open(`${at(slack)}/f`)).rejects.toThrow('larger than');
  answer = (_, response) => {
    response.writeHead(200, { 'content-length': 1_000 });
    response.write('half');
    setImmediate(() => response.destroy());
  };
  await expect(open(`${at(slack)}/f`)).rejects.toThrow();
});

test('S09: the answer of an address that Slack provided never fills the memory', async () => {
  let sent = 0;
  answer = (_, response) => {
    response.on('error', () => undefined);
    const more = (): void => {
      if (response.destroyed || sent > 200) return void response.end();
      sent += 1;
      response.write(Buffer.alloc(MEBIBYTE, 'x'), () => setImmediate(more));
    };
    more();
  };
  const said = await post(
    { url: `${at(slack)}/response/1`, body: 'x', type: 'text/plain' },
    apiUrl(),
    signal,
  );
  expect(JSON.stringify(said).length).toBeLessThan(10_000);
  expect(sent).toBeLessThan(50);
});

test('S16: a workspace that an organization excludes loses its own replies, but others with the same token keep theirs', async () => {
  const disabled: string[] = [];
  const told = createSender(createCaller(apiUrl(), quiet), {
    ...workspaces,
    disable: ({ tenant }) => void disabled.push(tenant),
  });
  answer = (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"ok":false,"error":"team_access_not_granted"}');
  expect(await told.call('T1', 'chat.postMessage', {}, signal)).toMatchObject({
    kind: 'refused',
    why: 'closed',
  });
  expect(disabled).toEqual([]);
});

test('S05: a method’s name is never used as an address', async () => {
  answer = (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  await sender().call('T1', `${at(elsewhere)}/steal`, {}, signal);
  expect(left).toEqual([]);
});
