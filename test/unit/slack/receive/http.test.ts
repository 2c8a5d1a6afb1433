import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttpReceiver } from '../../../../adapters/slack/receive/http.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { secret } from '../rig.ts';
import { callback, SECRET, signed } from '../small-slack.ts';

const clock = createVirtualClock();
let warnings: string[];
const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_: unknown, text: string) => void warnings.push(text),
  error: () => undefined,
};
let server: Server;
let port: number;
let delivered: Plain[];
let deliver: (body: Plain) => Promise<object | undefined>;
let stopping: boolean;

beforeEach(async () => {
  warnings = [];
  delivered = [];
  stopping = false;
  deliver = async () => undefined;
  const receive = createHttpReceiver({
    secret: secret(SECRET),
    dispatcher: {
      deliver(body) {
        delivered.push(body);
        return deliver(body);
      },
    },
    clock,
    log: quiet,
    stopping: () => stopping,
  });
  server = createServer(receive);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const body = JSON.stringify(callback({ type: 'app_mention' }));
const now = () => clock.now();

async function post(sent: string, headers: Record<string, string>) {
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: sent, headers });
  return { status: response.status, text: await response.text() };
}

describe('a signature that does not match', () => {
  test('is logged once a minute, with the setting that may be wrong', async () => {
    const wrong = { ...signed(body, { at: now() }), 'x-slack-signature': `v0=${'0'.repeat(64)}` };
    for (let nth = 0; nth < 3; nth++) expect((await post(body, wrong)).status).toBe(401);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('SLACK_SIGNING_SECRET');
    await post(body, {});
    await clock.pass(60_000);
    const later = { ...signed(body, { at: now() }), 'x-slack-signature': `v0=${'0'.repeat(64)}` };
    await post(body, later);
    expect(warnings).toHaveLength(2);
  });
});

describe('an authenticated request', () => {
  test('is delivered, and acknowledged without a body', async () => {
    expect(await post(body, signed(body, { at: now() }))).toEqual({ status: 200, text: '' });
    expect(delivered).toEqual([JSON.parse(body)]);
  });

  test('as a form is delivered with its fields', async () => {
    const form = 'command=%2Fask&text=how+long%3F&team_id=T1';
    const headers = signed(form, { at: now(), type: 'application/x-www-form-urlencoded' });
    expect((await post(form, headers)).status).toBe(200);
    expect(delivered).toEqual([{ command: '/ask', text: 'how long?', team_id: 'T1' }]);
  });

  test('as an interaction is delivered with its payload, and answered with the handler’s answer', async () => {
    deliver = async () => ({ response_action: 'clear' });
    const form = new URLSearchParams({ payload: '{"type":"view_submission"}' }).toString();
    const headers = signed(form, { at: now(), type: 'application/x-www-form-urlencoded' });
    expect(await post(form, headers)).toEqual({ status: 200, text: '{"response_action":"clear"}' });
    expect(delivered).toEqual([{ type: 'view_submission' }]);
  });

  test('answers the challenge of the address, and delivers nothing', async () => {
    const sent = '{"type":"url_verification","challenge":"3eZbrw1aB"}';
    expect(await post(sent, signed(sent, { at: now() }))).toEqual({ status: 200, text: '3eZbrw1aB' });
    expect(delivered).toEqual([]);
  });

  test.each([
    '{"type":"app_rate_limited","team_id":"T1","minute_rate_limited":1}',
    '{"ssl_check":"1"}',
  ])('is acknowledged and not delivered: %s', async (sent) => {
    expect((await post(sent, signed(sent, { at: now() }))).status).toBe(200);
    expect(delivered).toEqual([]);
  });

  test('with a command is delivered despite an ssl_check', async () => {
    const form = 'ssl_check=1&command=%2Fask';
    const headers = signed(form, { at: now(), type: 'application/x-www-form-urlencoded' });
    expect((await post(form, headers)).status).toBe(200);
    expect(delivered).toHaveLength(1);
  });

  test.each(['nothing', '[1]', '{"a":', '"x"'])('with the body %s is refused', async (sent) => {
    expect((await post(sent, signed(sent, { at: now() }))).status).toBe(400);
    expect(delivered).toEqual([]);
  });

  test('with a nesting depth of 100,000 does no harm', async () => {
    const sent = `{"event":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await post(sent, signed(sent, { at: now() }))).status).toBe(200);
  });
});

describe('a request that is not authenticated', () => {
  const minutes = (count: number) => now() + count * 60_000;
  const attacks: Record<string, () => Record<string, string>> = {
    'is unsigned': () => ({ 'content-type': 'application/json' }),
    'is signed with another secret': () => signed(body, { at: now(), secret: 'another' }),
    'is signed for another body': () => signed(`${body} `, { at: now() }),
    'is of six minutes ago': () => signed(body, { at: minutes(-6) }),
    'is of the future': () => signed(body, { at: minutes(6) }),
    'has a time that is none': () => ({
      ...signed(body, { at: now() }),
      'x-slack-request-timestamp': 'soon',
    }),
    'has a signature that is too short': () => ({
      ...signed(body, { at: now() }),
      'x-slack-signature': 'v0=00',
    }),
    'has a signature of another kind': () => {
      const headers = signed(body, { at: now() });
      return { ...headers, 'x-slack-signature': headers['x-slack-signature'].replace('v0', 'v1') };
    },
  };

  test.each(Object.entries(attacks))('%s: 401, and no handler runs', async (_, headers) => {
    expect((await post(body, headers())).status).toBe(401);
    expect(delivered).toEqual([]);
  });

  test.each(['ssl_check=1', '{"type":"url_verification","challenge":"x"}'])('%s: 401', async (sent) => {
    expect((await post(sent, { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(401);
  });

  test('that is no POST: 401', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/?ssl_check=1`, {
      headers: signed('', { at: now() }),
    });
    expect(response.status).toBe(401);
  });
});

describe('a body', () => {
  test('with a Content-Length over the limit is not read', async () => {
    const status = await new Promise((resolve, reject) => {
      const asked = request({
        port,
        method: 'POST',
        headers: { ...signed('', { at: now() }), 'content-length': 5 * 1024 * 1024 },
      });
      asked.once('response', (response) => resolve(response.statusCode));
      asked.once('error', reject);
      asked.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('over the limit is cut off', async () => {
    const heads = Object.entries(signed('', { at: now() })).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(port, '127.0.0.1');
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.on('error', () => undefined);
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n${heads.join('')}\r\n`);
    const piece = 'x'.repeat(0x10000);
    for (let sent = 0; sent <= 16; sent++) socket.write(`10000\r\n${piece}\r\n`);
    expect(await answered).toMatch(/^HTTP\/1\.1 413/);
    socket.destroy();
  });

  test('that trickles in is ended after 10 s', async () => {
    const heads = Object.entries(signed('', { at: now() })).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(port, '127.0.0.1');
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n${heads.join('')}\r\n{`);
    await expect.poll(() => clock.waiting).toBeGreaterThan(0);
    await clock.pass(10_000);
    expect(await answered).toMatch(/^HTTP\/1\.1 408/);
    socket.destroy();
  });
});

describe('an event that cannot be stored', () => {
  test('is refused, so that Slack sends it again', async () => {
    deliver = () => Promise.reject(new Error('the disk is full'));
    expect((await post(body, signed(body, { at: now() }))).status).toBe(503);
  });

  test('within 2.5 s is refused, before Slack gives up', async () => {
    deliver = () => new Promise(() => undefined);
    const answered = post(body, signed(body, { at: now() }));
    await expect.poll(() => delivered.length).toBe(1);
    await clock.pass(2_499);
    await clock.pass(1);
    expect((await answered).status).toBe(503);
  });

  test('because the bridge stops is refused, so that Slack sends it again', async () => {
    stopping = true;
    expect((await post(body, signed(body, { at: now() }))).status).toBe(503);
    expect(delivered).toEqual([]);
  });
});
