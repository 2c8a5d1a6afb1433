/** Tests attacks S13 and S23: requests that Slack did not send, or that were changed after Slack signed them. */

import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { type Rig, secret, startRig } from '../rig.ts';
import { BOT, callback, openSmallSlack, SECRET, type SmallSlack, signed } from '../small-slack.ts';

let slack: SmallSlack;
let clock: VirtualClock;
let rig: Rig;
beforeEach(async () => {
  slack = await openSmallSlack();
  clock = createVirtualClock();
  rig = await startRig({ apiUrl: slack.apiUrl, botToken: secret(BOT.token) }, { clock });
});
afterEach(async () => {
  await rig.close();
  await slack.close();
});

const FORM = 'application/x-www-form-urlencoded';
const event = (text = `<@${BOT.user}> how long?`) =>
  JSON.stringify(callback({ type: 'app_mention', user: 'U1', ts: '1793491200.000100', channel: 'C1', text }));
const proven = (body: string, type?: string) =>
  signed(body, { at: clock.now(), ...(type !== undefined && { type }) });

async function post(body: string, headers: Record<string, string>, path = '/slack/events'): Promise<number> {
  const response = await fetch(`${rig.url}${path}`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

/** Sends raw bytes, because HTTP clients refuse to send such requests. */
function raw(lines: readonly string[], body = ''): Promise<string> {
  const { port } = new URL(rig.url) as unknown as AddressInfo;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let said = '';
    socket.on('data', (data) => {
      said += String(data);
      socket.end();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(said.split('\r\n')[0] ?? ''));
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

const lineOf = ([name, value]: readonly [string, string]) => `${name}: ${value}`;
const headed = (headers: Record<string, string>, ...more: string[]) => [
  'POST /slack/events HTTP/1.1',
  'host: x',
  ...Object.entries(headers).map(lineOf),
  ...more,
];

describe('S13: a signed body that could be read differently', () => {
  test('text inside an event is no payload, for any content type', async () => {
    const act = {
      type: 'block_actions',
      user: { id: 'U1' },
      team: { id: 'T1' },
      actions: [{ action_id: 'home:ask', value: 'x', action_ts: '1' }],
    };
    const command = '&command=%2Fask&text=steal&user_id=U1&channel_id=C1&team_id=T1&';
    for (const words of [`&payload=${JSON.stringify(act)}&`, command, '&ssl_check=1&']) {
      const before = rig.taken.length;
      const body = event(`<@${BOT.user}> ${words}`);
      const status = await post(body, proven(body, FORM));
      const asked = rig.taken.slice(before);
      expect([200, 400]).toContain(status);
      expect(JSON.stringify(asked)).not.toContain('"text":"steal"');
      expect(asked.every((each) => each.kind === 'ask' && each.origin.kind === 'message')).toBe(true);
    }
  });

  test.each([
    'application/x-www-form-urlencoded; charset=utf-7',
    'multipart/form-data; boundary=x',
    'text/plain',
    '',
    'APPLICATION/JSON',
    'application/jsonp',
  ])('an event stays the same event with the content type %j', async (type) => {
    const body = event();
    expect(await post(body, proven(body, type))).toBe(200);
    expect(rig.taken).toMatchObject([{ kind: 'ask', message: { text: 'how long?' } }]);
  });

  test('a command with the content type of JSON is refused', async () => {
    const body = 'command=%2Fask&text=hi&user_id=U1&channel_id=C1&team_id=T1&trigger_id=1.2.3';
    expect(await post(body, proven(body, 'application/json'))).toBe(400);
    expect(rig.taken).toEqual([]);
    expect(await post(body, proven(body, FORM))).toBe(200);
    expect(rig.taken).toHaveLength(1);
  });

  test.each([
    'ssl_check=1',
    'type=url_verification&challenge=x',
    '{"type":"url_verification","challenge":"x"}',
  ])('unsigned %s is answered 401, and echoes nothing', async (body) => {
    for (const type of [FORM, 'application/json', 'text/plain']) {
      const headers = { 'content-type': type };
      const response = await fetch(`${rig.url}/slack/events?ssl_check=1&challenge=x`, {
        method: 'POST',
        headers,
        body,
      });
      expect([response.status, await response.text()]).toEqual([401, '']);
    }
  });

  test('a challenge is echoed as plain text, for any content', async () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: '<script>alert(1)</script>' });
    const headers = proven(body);
    const response = await fetch(`${rig.url}/slack/events`, { method: 'POST', headers, body });
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  });
});

describe('S13: a request that differs from the signed one', () => {
  const cases: Record<string, (body: string) => readonly [string, Record<string, string>]> = {
    'a byte after it': (body) => [`${body}\n`, proven(body)],
    'a NUL after it': (body) => [`${body}\u0000`, proven(body)],
    'a byte before it': (body) => [` ${body}`, proven(body)],
    'other line ends': (body) => [body.replaceAll(',', ',\r\n'), proven(body)],
    'the time of another second': (body) => {
      const headers = proven(body);
      const time = Number(headers['x-slack-request-timestamp']);
      return [body, { ...headers, 'x-slack-request-timestamp': String(time + 1) }];
    },
    'a zero before its time': (body) => {
      const headers = proven(body);
      return [body, { ...headers, 'x-slack-request-timestamp': `0${headers['x-slack-request-timestamp']}` }];
    },
    'a time with a sign': (body) => {
      const headers = proven(body);
      return [body, { ...headers, 'x-slack-request-timestamp': `+${headers['x-slack-request-timestamp']}` }];
    },
    'a colon moved from the body into the time': (body) => {
      const time = String(Math.floor(clock.now() / 1_000));
      const signature = createHmac('sha256', SECRET).update(`v0:${time}:${body}`).digest('hex');
      return [
        body.slice(1),
        {
          'content-type': 'application/json',
          'x-slack-request-timestamp': `${time}:${body.slice(0, 1)}`,
          'x-slack-signature': `v0=${signature}`,
        },
      ];
    },
    'its signature in capitals': (body) => {
      const headers = proven(body);
      return [body, { ...headers, 'x-slack-signature': headers['x-slack-signature'].toUpperCase() }];
    },
    'a signature with something after it': (body) => {
      const headers = proven(body);
      return [body, { ...headers, 'x-slack-signature': `${headers['x-slack-signature']}00` }];
    },
    'version v1': (body) => {
      const headers = proven(body);
      return [body, { ...headers, 'x-slack-signature': headers['x-slack-signature'].replace('v0', 'v1') }];
    },
    'two signatures, the right one second': (body) => {
      const headers = proven(body);
      const wrong = `v0=${'0'.repeat(64)}`;
      return [body, { ...headers, 'x-slack-signature': `${wrong}, ${headers['x-slack-signature']}` }];
    },
    'the empty key': (body) => [body, { ...signed(body, { at: clock.now(), secret: '' }) }],
    'five minutes and a second ago': (body) => [body, signed(body, { at: clock.now() - 301_000 })],
    'five minutes and a second ahead': (body) => [body, signed(body, { at: clock.now() + 301_000 })],
  };
  test.each(Object.entries(cases))('with %s: 401, and no handler runs', async (_, attack) => {
    const [body, headers] = attack(event());
    for (const path of ['/slack/events', '/slack/commands', '/slack/interactivity']) {
      expect(await post(body, headers, path)).toBe(401);
    }
    expect(rig.taken).toEqual([]);
  });

  test.each([
    'x-slack-signature',
    'x-slack-request-timestamp',
  ])('with %s twice: 401, in either order', async (name) => {
    const body = event();
    const headers = proven(body);
    const right = headers[name as keyof typeof headers];
    const { [name as keyof typeof headers]: _, ...rest } = headers;
    const wrong = name === 'x-slack-signature' ? `v0=${'0'.repeat(64)}` : '1';
    for (const both of [
      [right, wrong],
      [wrong, right],
      [right, right],
    ]) {
      const lines = headed(
        rest,
        ...both.map((value) => `${name}: ${value}`),
        `content-length: ${body.length}`,
        'connection: close',
      );
      expect(await raw(lines, body)).toMatch(/^HTTP\/1\.1 401/);
    }
    expect(rig.taken).toEqual([]);
  });

  test.each([
    ['a length and chunks at once', ['content-length: 5', 'transfer-encoding: chunked'], '0\r\n\r\n'],
    ['two lengths', ['content-length: 5', 'content-length: 6'], 'xxxxxx'],
    ['a length that is none', ['content-length: 0x10'], 'xxxxxxxxxxxxxxxx'],
    ['a negative length', ['content-length: -1'], 'x'],
  ])('smuggled by %s: refused', async (_, more, body) => {
    expect(await raw(headed(proven(''), ...more), body)).toMatch(/^HTTP\/1\.1 4\d\d/);
    expect(rig.taken).toEqual([]);
  });

  test('with another method or under another address, no handler runs', async () => {
    const body = event();
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${rig.url}/slack/events`, { method, headers: proven(body), body });
      expect(response.status).toBe(401);
    }
    for (const path of ['/slack/', '/slack/events/x', '/slack/%65vents', '/slack//events', '/slack/EVENTS']) {
      expect(await post(body, proven(body), path)).toBe(404);
    }
    expect(rig.taken).toEqual([]);
  });
});

test('S22: a signed event with the deepest possible nesting is answered, and the next one is accepted', async () => {
  const depth = 20_000;
  for (const [before, after] of [
    ['{"type":"rich_text_list","elements":[', ']}'],
    ['{"type":"rich_text_section","elements":[', ']}'],
    ['[', ']'],
    ['{"message":', '}'],
  ] as const) {
    const nested = `${before.repeat(depth)}0${after.repeat(depth)}`;
    const body = event().replace(
      '"channel":',
      `"blocks":[{"type":"rich_text","elements":[${nested}]}],"channel":`,
    );
    expect(Buffer.byteLength(body)).toBeLessThan(1024 * 1024);
    expect([200, 400, 503]).toContain(await post(body, proven(body)));
  }
  const before = rig.taken.length;
  expect(await post(event(), proven(event()))).toBe(200);
  expect(rig.taken.length).toBeGreaterThan(before);
});

test('S13: a request repeated within one second is one question', async () => {
  const body = event();
  const headers = proven(body);
  for (let nth = 0; nth < 3; nth++) expect(await post(body, headers)).toBe(200);
  const origins = rig.taken.map((each) => (each.kind === 'ask' ? JSON.stringify(each.origin) : ''));
  expect(new Set(origins).size).toBe(1);
});

test.each([
  '__proto__',
  'constructor',
  'toString',
])('S13: a signed body with members named %s does not change the process', async (name) => {
  const body = `{"type":"event_callback","team_id":"T1","${name}":{"polluted":"yes"},"event":{"type":"message","${name}":{"polluted":"yes"}}}`;
  const form = `${name}=1&${name}[polluted]=yes&command=%2Fask&user_id=U1&channel_id=C1&team_id=T1&text=hi`;
  expect(await post(body, proven(body))).toBeLessThan(500);
  expect(await post(form, proven(form, FORM))).toBeLessThan(500);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('S23: signatures are compared in one place, in constant time', () => {
  const source = readFileSync(
    new URL('../../../../adapters/slack/receive/signature.ts', import.meta.url),
    'utf8',
  );
  expect(source).toMatch(/timingSafeEqual\(due, /);
  expect(source).not.toMatch(/signature\s*={2,3}|={2,3}\s*signature|\.equals\(/);
});
