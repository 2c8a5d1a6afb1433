import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { BridgeError } from '../../../src/errors.ts';
import type { PlatformOptions } from '../../../src/platform/index.ts';
import {
  ask,
  type Behaviour,
  CHAT,
  clientOf,
  EXPERT,
  givesTokens,
  keyAgent,
  question,
  sendEvents,
  sendJson,
  TOKEN,
  UNGUARDED,
} from '../../fakes/hostile-platform.ts';
import { codeOf } from './decode.ts';
import { eachWithRig } from './typed-client.ts';

type Response = Parameters<typeof sendJson>[0];
const ANSWER = [
  { success: true, data: { sessionId: 's-1', chatRecordId: 'r-1', content: 'Two ' } },
  { success: true, data: { content: 'years.', finish_reason: 'stop' } },
];

const SSE = { 'content-type': 'text/event-stream' };
const FIRST = `data: ${JSON.stringify(ANSWER[0])}\n\n`;
const WORD = 'data: {"data":{"content":"w"}}\n\n';

const rig = eachWithRig();
beforeEach(() => {
  rig.server.on(EXPERT, (_request, response) => sendEvents(response, ANSWER));
});

/** Answers with `status` until the request `nth`, and from then on with the answer. */
const until =
  (nth: number, fails: (response: Response) => void): Behaviour =>
  (_request, response, requests) =>
    requests < nth ? fails(response) : sendEvents(response, ANSWER);
const status =
  (code: number, headers = {}) =>
  (response: Response) =>
    void response.writeHead(code, headers).end('<html>down</html>');
/** Sends `first`, and then `beat` every few milliseconds, at most `most` times. */
const beats =
  (first: string, beat: string, most = Number.POSITIVE_INFINITY): Behaviour =>
  (_request, response) => {
    let left = most;
    response.writeHead(200, SSE).write(first);
    const timer = setInterval(() => (left-- > 0 ? response.write(beat) : response.end()), 20);
    response.on('close', () => clearInterval(timer));
  };

const faults: readonly (readonly [
  name: string,
  answer: Behaviour,
  expected: readonly [text: unknown, code: string | undefined, requests: number],
  timeouts?: PlatformOptions['timeouts'],
])[] = [
  ['F01: two 503', until(3, status(503)), ['Two years.', undefined, 3]],
  ...[500, 502, 503, 504].map(
    (code) => [`F01: ${code} for ever`, until(9, status(code)), ['', 'platform-server', 3]] as const,
  ),
  [
    'F02: a reset before the answer',
    until(2, (response) => void response.destroy()),
    ['Two years.', undefined, 2],
  ],
  ['F03: missing headers', () => undefined, ['', 'platform-timeout', 1], { firstByteMs: 100 }],
  ...[': ping\n\n', 'event: ping\ndata: {}\n\n', 'data:\n\n'].map(
    (beat) =>
      [
        `CHK-10, F04: only ${JSON.stringify(beat)}`,
        beats(FIRST, beat),
        ['Two ', 'platform-idle', 1],
        { idleMs: 200 },
      ] as const,
  ),
  ['no silence, but slow data', beats('', WORD, 20), ['w'.repeat(20), undefined, 1], { idleMs: 200 }],
  [
    'data beyond the deadline',
    beats('', WORD),
    [expect.stringMatching(/^w+$/), 'platform-timeout', 1],
    { answerMs: 200 },
  ],
  [
    'CHK-10, F06: an answer that breaks',
    (_request, response) =>
      void response.writeHead(200, SSE).write(`${FIRST}data: {"data":{"con`, () => response.destroy()),
    ['Two ', 'platform-interrupted', 1],
  ],
  ['F15: 429 for ever', until(9, status(429, { 'retry-after': '0' })), ['', 'platform-busy', 3]],
  [
    'CHK-10, DEC-14: an empty answer',
    until(9, (response) => void response.writeHead(200, SSE).end()),
    ['', 'platform-interrupted', 3],
  ],
];

describe('a faulty platform', () => {
  for (const [name, answer, expected, timeouts = {}] of faults)
    it(name, async () => {
      rig.server.on(EXPERT, answer);
      const { text, error, events } = await ask(rig.other({ timeouts }).gateway());
      expect([text, codeOf(error), rig.server.paths(EXPERT).length]).toEqual(expected);
      if (text === 'Two ') expect(events).toContainEqual({ type: 'session', session: 's-1' });
    });

  it('F02: a refused connection is reported', async () => {
    const other = clientOf('http://127.0.0.1:1');
    expect(codeOf((await ask(other.gateway(keyAgent))).error)).toBe('platform-unreachable');
    await other.platform.close();
  });

  it.each([
    ['sent at all', 503, {}, 0],
    ['repeated after a temporary error', 503, {}, 1],
    ['repeated with a new token', 401, {}, 1],
    ['repeated without its session', 400, { session: 'gone' }, 1],
  ])('a question that another process answers is not %s', async (_how, status, over, requests) => {
    rig.server.on(EXPERT, (_request, response) => response.writeHead(status).end());
    const owned = new Error('another process owns the turn');
    let sent = 0;
    const ready = async () => {
      if (sent === requests) throw owned;
      sent += 1;
    };
    const asked = await ask(rig.owner.gateway(), over, undefined, { ready, maySend: () => true });
    expect(asked.error).toBe(owned);
    expect(rig.server.paths(EXPERT)).toHaveLength(requests);
  });

  it('a question that another process claims while the connection opens is not sent', async () => {
    const owned = new Error('another process owns the turn');
    let isClaimed = false;
    const ready = async () => {
      if (isClaimed) throw owned;
    };
    // The claim takes place after the request has been handed over to the connection pool.
    const maySend = () => {
      isClaimed = true;
      return false;
    };
    const asked = await ask(rig.owner.gateway(), {}, undefined, { ready, maySend });
    expect(asked.error).toBe(owned);
    expect(rig.server.paths(EXPERT)).toEqual([]);
  });

  it('a question whose claim was only in doubt while the connection opened is sent once', async () => {
    let checks = 0;
    const maySend = () => ++checks > 1;
    const asked = await ask(rig.owner.gateway(), {}, undefined, { ready: async () => undefined, maySend });
    expect([asked.text, asked.error, rig.server.paths(EXPERT).length]).toEqual(['Two years.', undefined, 1]);
  });

  it('F11: an endless stream is cut at 256 KiB, and its connection is closed', async () => {
    const gone = new Promise<void>((resolve) => {
      rig.server.on(EXPERT, (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = `data: ${JSON.stringify({ data: { content: 'x'.repeat(8000) } })}\n\n`;
        const more = (): void => {
          if (!response.destroyed && response.write(chunk)) setImmediate(more);
        };
        response.on('drain', more);
        response.on('close', () => resolve());
        more();
      });
    });
    const asked = await ask(rig.owner.gateway());
    await gone;
    expect([asked.text.length, asked.error]).toEqual([256 * 1024, undefined]);
    expect(asked.events.slice(-2)).toEqual([{ type: 'remark', remark: 'answer-cut' }, { type: 'end' }]);
  });

  it.each([
    [
      'an envelope',
      (response: Response) =>
        sendJson(response, { success: false, msg: 'The model <b>is</b> asleep', data: null }),
      'platform-refused',
      'asleep',
    ],
    [
      'a page',
      (response: Response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
      'platform-protocol',
      'web page',
    ],
    [
      'a page without a type',
      (response: Response) => response.writeHead(200).end('<!DOCTYPE html><html>Sign in</html>'),
      'platform-protocol',
      'web page',
    ],
    [
      'a redirect',
      (response: Response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
      'platform-protocol',
      'redirect',
    ],
  ])("F12: %s in place of a stream is an error with the platform's words", async (_name, send, code, words) => {
    rig.server.on(EXPERT, (_request, response) => void send(response));
    const { error, text } = await ask(rig.owner.gateway());
    expect([text, codeOf(error)]).toEqual(['', code]);
    expect(error instanceof BridgeError && error.message).toContain(words);
  });

  it.each([
    ['status 401', (response: Response) => response.writeHead(401).end()],
    ['an envelope', (response: Response) => sendJson(response, { success: false, msg: 'token expired' })],
    ['an event', (response: Response) => sendEvents(response, [{ success: false, msg: '登录已过期' }])],
  ])('F13: a token refused as %s is renewed once without a message', async (_name, send) => {
    rig.server.on(EXPERT, (request, response) => {
      if (request.headers.authorization === 'openapi token-1') send(response);
      else sendEvents(response, ANSWER);
    });
    expect(await ask(rig.owner.gateway())).toMatchObject({ text: 'Two years.', error: undefined });
    expect(rig.server.paths(TOKEN).length).toBe(2);
  });

  it('CHK-5, F13: 100 turns whose token expires at once make one token request', async () => {
    const gateway = rig.owner.gateway();
    await ask(gateway);
    rig.server.on(EXPERT, (request, response) => {
      if (request.headers.authorization === 'openapi token-1') response.writeHead(401).end();
      else sendEvents(response, ANSWER);
    });
    const asked = await Promise.all(Array.from({ length: 100 }, () => ask(gateway)));
    expect(asked.every((one) => one.text === 'Two years.' && one.error === undefined)).toBe(true);
    expect(rig.server.paths(TOKEN).length).toBe(2);
  });

  it('F14: a failing token endpoint is tried three times, then reported', async () => {
    rig.server.on(TOKEN, (_request, response) => response.writeHead(503).end());
    expect([codeOf((await ask(rig.owner.gateway())).error), rig.server.paths(TOKEN).length]).toEqual([
      'platform-server',
      3,
    ]);
    expect(rig.server.paths(EXPERT).length).toBe(0);
  });

  it("F14: a clock that is ten minutes off is corrected once from the server's date, with a warning", async () => {
    const serverTime = Date.now() + 600_000;
    rig.server.on(TOKEN, (request, response, nth) => {
      const { timestamp } = JSON.parse(request.body) as { timestamp: number };
      const right = Math.abs(timestamp - serverTime) < 60_000;
      response.setHeader('date', new Date(serverTime).toUTCString());
      if (right) givesTokens(request, response, nth);
      else sendJson(response, { success: false, msg: 'signature is older than five minutes' });
    });
    expect(await ask(rig.owner.gateway())).toMatchObject({ text: 'Two years.', error: undefined });
    expect(rig.owner.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', text: expect.stringContaining('clock') }),
    );
  });

  it('F14: a clock that stays off after its correction is refused, not corrected again', async () => {
    const serverTime = Date.now() + 600_000;
    rig.server.on(TOKEN, (_request, response) => {
      response.setHeader('date', new Date(serverTime).toUTCString());
      sendJson(response, { success: false, msg: 'signature is older than five minutes' });
    });
    expect(codeOf((await ask(rig.owner.gateway())).error)).toBeDefined();
    expect([rig.server.paths(TOKEN).length, rig.server.paths(EXPERT).length]).toEqual([2, 0]);
    expect(rig.owner.lines.filter(({ text }) => text.includes('clock'))).toHaveLength(1);
  });

  it.each([
    [60, 1],
    [61, 2],
    [-60, 1],
    [-61, 2],
  ])('F14: a clock that is %i s off makes %i requests', async (seconds, requests) => {
    const now = Date.UTC(2026, 10, 1);
    const frozen = rig.other({ clock: { ...systemClock, now: () => now } });
    rig.server.on(TOKEN, (_request, response) => {
      response.setHeader('date', new Date(now + seconds * 1_000).toUTCString());
      sendJson(response, { success: false, msg: 'the signature is wrong' });
    });
    expect(codeOf((await ask(frozen.gateway())).error)).toBeDefined();
    expect(rig.server.paths(TOKEN)).toHaveLength(requests);
  });

  it.each([
    ['0', 2, undefined],
    [undefined, 2, undefined],
    ['soon', 2, undefined],
    ['3600', 1, 'platform-busy'],
    [new Date(Date.now() + 3_600_000).toUTCString(), 1, 'platform-busy'],
  ])('F15: 429 with Retry-After %s makes %i requests', async (after, requests, code) => {
    rig.server.on(EXPERT, (_request, response, nth) => {
      if (nth > 1) return sendEvents(response, ANSWER);
      response.writeHead(429, after === undefined ? {} : { 'retry-after': after }).end();
    });
    const asked = await ask(rig.owner.gateway());
    expect([codeOf(asked.error), rig.server.paths(EXPERT).length]).toEqual([code, requests]);
    if (code !== undefined)
      expect(asked.error instanceof BridgeError && asked.error.tellUser).toMatch(
        /in (5\d|60) minutes|in 1 hours/,
      );
  });

  it('F16: an unknown session is replaced, with a remark', async () => {
    rig.server.on(EXPERT, (request, response) => {
      const { sessionId } = JSON.parse(request.body) as { sessionId: string | null };
      if (sessionId === null) sendEvents(response, ANSWER);
      else sendJson(response, { success: false, msg: 'session not found' });
    });
    const asked = await ask(rig.owner.gateway(), { session: 'old' });
    expect(asked.text).toBe('Two years.');
    expect(asked.events.filter((event) => event.type === 'remark')).toEqual([
      { type: 'remark', remark: 'context-lost' },
    ]);
    expect(rig.server.paths(EXPERT).length).toBe(2);
  });

  it.each(['stops', 'leaves'])('the request at the platform ends once the reader %s', async (how) => {
    const stop = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    rig.server.on(EXPERT, (_request, response) => {
      closed = once(response, 'close');
      response.writeHead(200, SSE).write(FIRST);
    });
    const reading = async () => {
      for await (const event of rig.owner.gateway().ask(question(), stop.signal, UNGUARDED)) {
        if (event.type === 'text' && how === 'leaves') return 'left';
        if (event.type === 'text') stop.abort(new Error('stopped by a person'));
      }
      return 'ended';
    };
    const outcome = await reading().catch(({ message }: Error) => message);
    expect(outcome).toBe(how === 'leaves' ? 'left' : 'stopped by a person');
    await closed;
  });
});

describe('malicious bodies', () => {
  it('S09: an endless body is stopped, and a body with an excessive length is refused unread', async () => {
    rig.server.on(TOKEN, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        if (!response.destroyed && response.write(' '.repeat(65_536))) setImmediate(more);
      };
      response.on('drain', more);
      more();
    });
    expect(codeOf((await ask(rig.owner.gateway())).error)).toBe('platform-too-large');
    rig.server.on(TOKEN, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(2 ** 31) });
      response.write('{');
    });
    expect(codeOf((await ask(rig.owner.gateway())).error)).toBe('platform-too-large');
  });

  it('JSON nested 100,000 levels deep does not crash the client', async () => {
    rig.server.on(EXPERT, (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
    );
    expect(['platform-protocol', 'platform-empty']).toContain(codeOf((await ask(rig.owner.gateway())).error));
  });

  it('a server that does not speak HTTP is reported', async () => {
    const garbage = createServer((socket) => void socket.end('220 mail ready\r\n'));
    await new Promise<void>((resolve) => garbage.listen(0, '127.0.0.1', resolve));
    const address = garbage.address();
    const other = clientOf(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
    expect(codeOf((await ask(other.gateway(keyAgent))).error)).toMatch(/platform-(protocol|unreachable)/);
    await other.platform.close();
    garbage.close();
  });
});

describe('secrecy of credentials (S20)', () => {
  it('CHK-22: no error and no log line repeats a credential', async () => {
    rig.server.on(CHAT, (request, response) =>
      sendJson(response, { code: 401, message: `bad key ${request.headers['api-key']}`, data: null }, 401),
    );
    const { error } = await ask(rig.owner.gateway(keyAgent));
    expect(codeOf(error)).toBe('platform-auth');
    const shown = JSON.stringify([
      String(error),
      error instanceof BridgeError ? [error.tellUser, error.facts] : [],
      rig.owner.lines,
    ]);
    expect(shown).not.toContain('0123456789');
    expect(rig.server.paths(CHAT)[0]?.headers).toMatchObject({ 'api-key': 'api-key-0123456789' });
    expect(rig.server.paths(CHAT)[0]?.headers.authorization).toBeUndefined();
  });
});
