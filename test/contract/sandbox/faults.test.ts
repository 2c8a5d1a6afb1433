import { afterEach, describe, expect, it } from 'vitest';
import {
  addFault,
  askExpert,
  CORPUS,
  call,
  events,
  KEY_CHAT,
  key,
  liteToken,
  openToken,
  shared,
  TOKEN_CHAT,
  user,
  uuid,
} from './support.ts';

const QUESTION = 'one two three four five six seven eight nine ten';

describe('sandbox: faults on demand', async () => {
  const sandbox = await shared({ knowledge: [CORPUS] });
  afterEach(() => call(`${sandbox.url}/__sandbox/faults`, { method: 'DELETE' }));
  const chat = (leaveAfter?: number) =>
    call(sandbox.url + KEY_CHAT, {
      body: { ...user(QUESTION), stream: true },
      headers: key('echo'),
      ...(leaveAfter === undefined ? {} : { leaveAfter }),
    });
  const textOf = (wire: string) =>
    events(wire)
      .filter((one) => one.event === 'stream')
      .map((one) => one.data?.content ?? '')
      .join('');
  const switched = async (fault: Record<string, unknown>, leaveAfter?: number) => {
    expect((await addFault(sandbox, fault)).status).toBe(200);
    return await chat(leaveAfter);
  };

  it('hits a route for a count after a skip, is listed and removed', async () => {
    await addFault(sandbox, { fault: 'F01', route: 'chatByKey', skip: 1, count: 2, status: 502 });
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await chat()).status);
    expect(statuses).toEqual([200, 502, 502, 200]);
    const { faults } = (await call(`${sandbox.url}/__sandbox/faults`)).json;
    expect(faults).toMatchObject([{ fault: 'F01', route: 'chatByKey', left: 0 }]);
    const removed = await call(`${sandbox.url}/__sandbox/faults/${faults[0].id}`, { method: 'DELETE' });
    expect(removed.json).toEqual({ removed: 1 });
    await addFault(sandbox, { fault: 'F01', route: 'askExpert' });
    expect((await chat()).status).toBe(200);
  });

  it.each([
    {},
    { fault: 'unknown' },
    { fault: 'F07', mode: 'other' },
    { fault: 'F01', route: 'chatBykey' },
    { fault: 'F01', route: 'constructor' },
    { fault: 'F01', count: -1 },
    { fault: 'F01', ms: 'x' },
  ])('refuses the switch %j', async (fault) => {
    expect((await addFault(sandbox, fault)).status).toBe(400);
  });

  it('F02 resets, F03 stays silent, F06 cuts at the byte', async () => {
    await addFault(sandbox, { fault: 'F02' });
    await expect(chat()).rejects.toThrow(/ECONNRESET|hang up/);
    const started = Date.now();
    await switched({ fault: 'F03', ms: 150 });
    expect(Date.now() - started).toBeGreaterThanOrEqual(140);
    const whole = await chat();
    for (const bytes of [0, 1, 77]) {
      const cut = await switched({ fault: 'F06', bytes });
      expect([cut.broken, cut.text]).toEqual([true, whole.text.slice(0, bytes)]);
    }
  });

  it('F04 sends only heartbeats, F05 single bytes, F07 no end, F08 more than one end', async () => {
    expect((await switched({ fault: 'F04', ms: 5 }, 60)).text).toMatch(/^(: keep-alive\n\n)+$/);
    expect((await switched({ fault: 'F04', mode: 'pings', events: 1, ms: 5 }, 120)).text).toContain(
      'event: ping',
    );
    expect(textOf((await switched({ fault: 'F05', ms: 0 })).text)).toBe(QUESTION);
    expect((await switched({ fault: 'F07' })).text).not.toContain('event: end');
    expect((await switched({ fault: 'F07', mode: 'no-blank' })).text).toMatch(/event: end\ndata: .*\}$/);
    expect((await switched({ fault: 'F08' })).text.match(/event: end/g)).toHaveLength(2);
    expect((await switched({ fault: 'F08', mode: 'data-after' })).text).toMatch(/late words.*\n\n$/);
  });

  it('F09 breaks events, F10 sends strange bytes, F11 sends too many bytes', async () => {
    const broken = events((await switched({ fault: 'F09', events: 2 })).text);
    expect(broken.filter((one) => one.data === undefined)).toHaveLength(2);
    expect((await switched({ fault: 'F10' })).bytes.includes(Buffer.from([0xff, 0xc3, 0x28]))).toBe(true);
    expect((await switched({ fault: 'F10', mode: 'bom' })).bytes.subarray(0, 3)).toEqual(
      Buffer.from([0xef, 0xbb, 0xbf]),
    );
    expect((await switched({ fault: 'F10', mode: 'nul' })).bytes.includes(0)).toBe(true);
    expect((await switched({ fault: 'F10', mode: 'cr' })).text).not.toContain('\n');
    expect((await switched({ fault: 'F10', mode: 'crlf' })).text.replaceAll('\r\n', '\n')).toBe(
      (await chat()).text,
    );
    expect((await switched({ fault: 'F10', mode: 'surrogate' })).text).toContain('"\\ud83d');
    expect((await switched({ fault: 'F11', bytes: 3_000_000 })).bytes.length).toBeGreaterThan(3_000_000);
    expect((await switched({ fault: 'F11', mode: 'endless' }, 20_000)).bytes.length).toBeGreaterThanOrEqual(
      20_000,
    );
  });

  it('F12 replaces the stream, F13 refuses or revokes, F15 asks the caller to wait', async () => {
    expect((await switched({ fault: 'F12' })).json).toMatchObject({ code: 50001, success: false });
    expect((await switched({ fault: 'F12', mode: 'html' })).headers['content-type']).toContain('text/html');
    expect((await switched({ fault: 'F12', mode: 'token' })).json.code).toBe(401);
    expect((await switched({ fault: 'F13' })).status).toBe(401);
    const headers = await openToken(sandbox);
    const ask = () => askExpert(sandbox, { expertCode: 'echo', content: 'x' }, headers);
    await addFault(sandbox, { fault: 'F13', mode: 'revoke', skip: 1 });
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 401, 401]);
    const waits = await switched({ fault: 'F15', retryAfter: '3600' });
    expect([waits.status, waits.headers['retry-after']]).toEqual([429, '3600']);
    expect((await switched({ fault: 'F15', retryAfter: '' })).headers).not.toHaveProperty('retry-after');
  });

  it('F14 stops the token service or shifts the clock', async () => {
    await addFault(sandbox, { fault: 'F14' });
    const token = () =>
      call(`${sandbox.url}/webapi/lite_api/v1/iam/client_token`, {
        body: { client_id: 'x', client_secret: 'x', username: 'x' },
      });
    expect([(await token()).status, (await token()).status]).toEqual([503, 401]);
    await addFault(sandbox, { fault: 'F14', mode: 'clock' });
    await expect(openToken(sandbox)).rejects.toThrow();
    const shown = await call(`${sandbox.url}/__sandbox/faults`);
    expect(Date.parse(String(shown.headers.date)) - Date.now()).toBeGreaterThan(500_000);
  });

  it('F16 forgets a session once, F38 delays or fails references', async () => {
    const headers = await liteToken(sandbox);
    const url = `${sandbox.url}${TOKEN_CHAT}${uuid(sandbox, 'echo')}`;
    const { conversation_id } = (await call(url, { body: user('x'), headers })).json.data;
    const again = () => call(url, { body: { ...user('x'), conversation_id }, headers });
    await addFault(sandbox, { fault: 'F16' });
    expect([(await again()).json.code, (await again()).json.code]).toEqual([422, 200]);
    const open = await openToken(sandbox);
    const references = () => call(`${sandbox.url}/openapi/chat/record/1/reference`, { headers: open });
    await addFault(sandbox, { fault: 'F38', mode: 'fail' });
    expect((await references()).status).toBe(500);
    await addFault(sandbox, { fault: 'F38', ms: 120 });
    const started = Date.now();
    await references();
    expect(Date.now() - started).toBeGreaterThanOrEqual(110);
  });

  it.each([
    ['expired', 410],
    ['html', 200],
    ['huge', 200],
    ['redirect', 302],
  ])('F37 %s answers a media link with %i', async (mode, status) => {
    await addFault(sandbox, { fault: 'F37', mode });
    const answer = await call(`${sandbox.url}/webapi/knowledge/v1/file/ekb-temporary-file/x`);
    expect(answer.status).toBe(status);
    if (mode === 'huge') expect(answer.bytes.length).toBe(30 * 1024 * 1024);
    if (mode === 'redirect') expect(answer.headers.location).toMatch(/^https:/);
  });

  it('refuses control to pages of other origins, and inspection by default', async () => {
    const page = await call(`${sandbox.url}/__sandbox/faults`, {
      headers: { origin: 'https://example.com' },
    });
    const rebound = await call(`${sandbox.url}/__sandbox/faults`, { headers: { host: 'example.com' } });
    expect([page.status, rebound.status]).toEqual([403, 403]);
    expect((await call(`${sandbox.url}/__inspect/calls`)).status).toBe(404);
  });

  it('records calls with masked secrets when inspection is on', async () => {
    const set = (options: Record<string, unknown>) =>
      call(`${sandbox.url}/__sandbox/options`, { body: options });
    expect((await set({ inspect: true })).json.options).toMatchObject({ inspect: true, adminToken: '***' });
    await liteToken(sandbox);
    await chat();
    const answer = await call(`${sandbox.url}/__inspect/calls`);
    for (const secret of ['sandbox-lite-secret', 'sandbox-key-echo'])
      expect(answer.text).not.toContain(secret);
    expect(answer.json.calls.map((one: { operation: string }) => one.operation)).toEqual(
      expect.arrayContaining(['clientToken', 'chatByKey']),
    );
    await set({ inspect: false });
    for (const wrong of [
      { nothing: 1 },
      { paceMs: 'fast' },
      { dialect: { stream: 'x' } },
      { dialect: { x: 'plain' } },
    ]) {
      expect((await set(wrong)).status).toBe(400);
    }
  });

  it('limits requests per minute if the option is set', async () => {
    sandbox.options.limitPerMinute = 2;
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await chat()).status);
    sandbox.options.limitPerMinute = 0;
    expect(statuses).toEqual([200, 200, 429]);
  });
});
