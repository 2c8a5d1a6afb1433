/**
 * Tests a download over a simulated transport: its file name, an error in place of the file, a silent server, and the
 * release of the connection.
 */

import { beforeEach, describe, expect, test } from 'vitest';
import { type Download, download } from '../../../src/platform/download.ts';
import { defaultTimeouts, MAX_DOWNLOAD_BYTES, MAX_ERROR_BYTES } from '../../../src/platform/limits.ts';
import { fileMarkdown } from '../../../src/platform/operations/files.ts';
import type { WireRequest } from '../../../src/platform/transport.ts';
import type { CallContext, PlatformCall } from '../../../src/platform/wiring.ts';
import { Secret } from '../../../src/secret.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { wiringOf } from './wiring.ts';

const IDLE_MS = 1_000;
const never = new AbortController().signal;

let clock: VirtualClock;
let sent: WireRequest[];
let limits: number[];
let discarded: number;
let calls: PlatformCall[];
let body: () => AsyncGenerator<Uint8Array, void, undefined>;
let headers: Record<string, string>;

beforeEach(() => {
  clock = createVirtualClock();
  sent = [];
  limits = [];
  discarded = 0;
  calls = [];
  headers = {};
});

const chunks = (...texts: string[]) =>
  async function* () {
    for (const each of texts) yield Buffer.from(each);
  };

/** Yields these chunks and then falls silent without ending. */
const falls = (...texts: string[]) =>
  async function* () {
    yield* chunks(...texts)();
    await new Promise(() => undefined);
  };

function start(signal = never): Promise<Download> {
  const wiring = wiringOf(
    async (request) => {
      sent.push(request);
      return {
        ...{ operation: request.operation, status: 200, headers },
        async *bytes(limit) {
          limits.push(limit);
          yield* endedBy(request.signal, body());
        },
        discard() {
          discarded += 1;
        },
      };
    },
    {
      ...{ clock, timeouts: { ...defaultTimeouts, idleMs: IDLE_MS } },
      called: (call) => void calls.push(call),
    },
  );
  const authority: CallContext['authority'] = { kind: 'key', key: new Secret('api-key-0123456789') };
  return download(wiring, fileMarkdown, { id: '7' }, { authority, signal });
}

/** Yields the given bytes. When the signal aborts, throws the signal's reason, as the transport does. */
async function* endedBy(signal: AbortSignal, bytes: AsyncGenerator<Uint8Array, void, undefined>) {
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  for (;;) {
    const next = await Promise.race([bytes.next(), ended]);
    if (next.done) return;
    yield next.value;
  }
}

async function read({ bytes }: Download): Promise<string> {
  const found: Uint8Array[] = [];
  for await (const chunk of bytes()) found.push(chunk);
  return Buffer.concat(found).toString();
}

describe('content', () => {
  test('is complete, keeps its type, is limited to 1 GiB, and releases its connection once', async () => {
    headers = { 'content-type': 'text/markdown', 'content-disposition': 'attachment; filename="a.md"' };
    body = chunks('# A', ' title', '\n');
    const found = await start();
    expect(found).toMatchObject({ name: 'a.md', type: 'text/markdown' });
    expect(await read(found)).toBe('# A title\n');
    expect([limits, discarded]).toEqual([[MAX_DOWNLOAD_BYTES], 1]);
    expect(sent.map((request) => request.headers.accept)).toEqual(['*/*']);
    expect(calls).toMatchObject([{ operation: 'fileMarkdown', outcome: 'ok' }]);
    await clock.pass(0);
    expect(clock.waiting).toBe(0);
  });

  test('may be empty and have neither type nor name', async () => {
    body = chunks();
    const found = await start();
    expect(found).toEqual({ type: '', bytes: expect.any(Function) });
    const given: Uint8Array[] = [];
    for await (const chunk of found.bytes()) given.push(chunk);
    expect(given).toEqual([]);
  });

  test('is passed on from its first chunk, unless the chunk may start an error', async () => {
    body = falls('# A');
    expect(await start().then(({ type }) => type)).toBe('');
    let decided = false;
    body = falls(' \n');
    void start().then(
      () => {
        decided = true;
      },
      () => undefined,
    );
    await clock.pass(IDLE_MS / 2);
    expect(decided).toBe(false);
    await clock.pass(IDLE_MS);
  });

  test('releases its connection if it is not read to the end', async () => {
    body = chunks('# A', ' title');
    for await (const chunk of (await start()).bytes()) {
      expect(String(chunk)).toBe('# A');
      break;
    }
    expect(discarded).toBe(1);
  });
});

describe('an error in place of the content', () => {
  const refusal = '{"success":false,"msg":"The file is unknown"}';
  test.each([
    ['at once', [refusal]],
    ['in pieces', ['{"succ', 'ess":false,"msg":"The file is', ' unknown"}']],
    ['after blanks', [' \r\n', '\t', refusal]],
  ])('an envelope is thrown as an error: %s', async (_, pieces) => {
    body = chunks(...pieces);
    await expect(start()).rejects.toThrow('The file is unknown');
    expect(discarded).toBeGreaterThan(0);
    expect(calls).toHaveLength(1);
  });

  test('an envelope is searched for in the first 64 KiB', async () => {
    const padded = (size: number) => `{"x":"${'y'.repeat(size - refusal.length - 7)}",${refusal.slice(1)}`;
    expect(padded(MAX_ERROR_BYTES)).toHaveLength(MAX_ERROR_BYTES);
    const halves = (text: string) => [text.slice(0, 100), text.slice(100, -1), text.slice(-1)];
    body = chunks(...halves(padded(MAX_ERROR_BYTES)));
    await expect(start()).rejects.toThrow('The file is unknown');
    discarded = 0;
    body = chunks(...halves(padded(MAX_ERROR_BYTES + 1)));
    await expect(start()).rejects.toThrow('The file is unknown');
    expect(discarded).toBe(1);
    const longer = padded(MAX_ERROR_BYTES + 2);
    body = chunks(...halves(longer));
    expect(await read(await start())).toBe(longer);
  });

  test('content that only starts like an envelope is no error', async () => {
    for (const pieces of [['{ "not": "an envelope" }'], ['{', ' half'], ['x', refusal]]) {
      body = chunks(...pieces);
      expect(await read(await start())).toBe(pieces.join(''));
    }
  });
});

describe('silence', () => {
  const idle = {
    code: 'platform-idle',
    message: 'The platform sent no data for 1000 ms during fileMarkdown.',
    facts: { operation: 'fileMarkdown' },
  };
  test('silence during the content ends the download, unless bytes arrive', async () => {
    let go: () => void = () => undefined;
    body = async function* () {
      for (const each of ['a', 'b', 'c']) {
        yield Buffer.from(each);
        await new Promise<void>((resolve) => {
          go = resolve;
        });
      }
    };
    const seen: string[] = [];
    const { bytes } = await start();
    const reading = (async () => {
      for await (const chunk of bytes()) seen.push(String(chunk));
    })().catch((thrown: unknown) => thrown);
    for (let nth = 0; nth < 2; nth++) {
      await clock.pass(IDLE_MS * 0.75);
      go();
    }
    await clock.pass(IDLE_MS * 1.25);
    expect(await reading).toMatchObject(idle);
    expect([seen, discarded]).toEqual([['a', 'b', 'c'], 1]);
  });

  test('silence before the first byte ends the download', async () => {
    body = falls();
    const started = start().catch((thrown: unknown) => thrown);
    await clock.pass(IDLE_MS * 1.25);
    expect(await started).toMatchObject(idle);
  });
});

test('a caller can abort at any time, and its reason is thrown', async () => {
  const stop = new AbortController();
  const reason = new Error('stopped');
  body = falls('a');
  const reading = read(await start(stop.signal)).catch((thrown: unknown) => thrown);
  stop.abort(reason);
  expect(await reading).toBe(reason);
  expect(discarded).toBe(1);
});

describe('its name', () => {
  test.each([
    [`attachment; filename*=UTF-8''a%20b.md`, 'a b.md'],
    [`attachment; filename* = utf-8'de'a.md; x`, 'a.md'],
    [`attachment; filename*=UTF-8''%2e%2e%2fetc%2fpasswd`, 'passwd'],
    [`attachment; filename*=ISO-8859-1''a.md`, undefined],
    [`attachment; filename*=UTF-8''%zz`, undefined],
    [`attachment; filename="b.md"; filename*=UTF-8''a.md`, 'a.md'],
    [`attachment; filename*=UTF-8''a.md; filename="b.md"`, 'a.md'],
    ['attachment; FILENAME = "a b.md"', 'a b.md'],
    ['attachment; filename="a\\"b.md"', 'a"b.md'],
    ['attachment; filename=" a.md "', 'a.md'],
    ['attachment; filename="a/b/c.md"', 'c.md'],
    ['attachment; filename="C:\\\\temp\\\\x.md"', 'x.md'],
    [`attachment; filename*=UTF-8''%zz; filename="good.md"`, 'good.md'],
    ['attachment; filename="a/"', undefined],
    ['attachment; filename="."', undefined],
    ['attachment; filename=".."', undefined],
    ['attachment; filename="..."', '...'],
    ['attachment; filename=".a"', '.a'],
    ['attachment; filename=""', undefined],
    ['attachment; filename=a.md; size=7', 'a.md'],
    ['attachment; filename= a.md', 'a.md'],
    ['inline', undefined],
  ])('of %s is %j', async (disposition, name) => {
    headers = { 'content-disposition': disposition };
    body = chunks('x');
    expect((await start()).name).toBe(name);
  });
});
