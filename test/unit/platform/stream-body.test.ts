/**
 * Tests the kinds of bodies, and how a body splits into lines, values and events, wherever its bytes are cut (DEC-1 to
 * DEC-7).
 */

import { describe, expect, test } from 'vitest';
import { MAX_EVENT_CHARS, MAX_JSON_BYTES } from '../../../src/platform/limits.ts';
import {
  EventTooLarge,
  type Frame,
  framerFor,
  promised,
  sniff,
  sniffEvents,
} from '../../../src/platform/stream/frames.ts';
import { ObjectScanner, type Value, valuesOf } from '../../../src/platform/stream/values.ts';

describe('a body', () => {
  test.each([
    [' \n{"a"', 'objects'],
    ['[1', 'objects'],
    ['data: x', 'events'],
    ['EVENT:x', 'events'],
    ['id:7', 'events'],
    ['retry: 7', 'events'],
    [': comment', 'events'],
    ['<!DOCTYPE html>', 'page'],
    ['<html lang="en">', 'page'],
    ['<b>bold</b>', 'text'],
    ['date: x', 'text'],
    ['Hello', 'text'],
  ] as const)('a body that starts with %j is %s', (text, nature) => {
    expect(sniff(text, false)).toBe(nature);
    expect(sniff(text, true)).toBe(nature);
  });

  test.each([
    '',
    ' \n',
    'd',
    'data',
    'ev',
    'i',
    'retry',
    '<',
    '<!doc',
    '<htm',
  ])('a body that starts with %j may become another kind, and is text at its end', (text) => {
    expect(sniff(text, false)).toBeUndefined();
    expect(sniff(text, true)).toBe('text');
  });

  test.each([
    ['custom: x', 'events'],
    ['\n custom-field_1:x', 'events'],
    ['data\n', 'events'],
    ['event\r\n', 'events'],
    ['7th: x', 'text'],
    [`${'x'.repeat(42)}: y`, 'text'],
    [`${'x'.repeat(41)}: y`, 'events'],
    ['Hello you: x', 'text'],
    ['{"a":1}', 'objects'],
  ] as const)('a body that is labelled as an event stream and starts with %j is %s', (text, nature) => {
    expect(sniffEvents(text, false)).toBe(nature);
    expect(sniffEvents(text, true)).toBe(nature);
  });

  test('a body that is labelled as an event stream may start with the name of a field', () => {
    for (const text of ['custom', 'x'.repeat(41)]) {
      expect(sniffEvents(text, false)).toBeUndefined();
      expect(sniffEvents(text, true)).toBe('text');
    }
    expect(sniffEvents('x'.repeat(42), false)).toBe('text');
    expect(sniffEvents('custom ', false)).toBe('text');
  });

  test.each([
    ['text/event-stream', 'events'],
    [' Text/Event-Stream ; charset=utf-8', 'events'],
    ['text/html', 'page'],
    ['application/xhtml+xml', 'page'],
    ['application/json; charset=utf-8', 'json'],
    ['application/problem+json', 'json'],
    ['application/x-ndjson', undefined],
    ['application/x-ndjson+json', undefined],
    ['application/json-seq', undefined],
    ['xapplication/problem+json', undefined],
    ['application/problem+jsonx', undefined],
    ['text/plain', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const)('the content type %j promises %s', (type, promise) => {
    expect(promised(type)).toBe(promise);
  });
});

describe('the values of an event’s data', () => {
  const cases: readonly (readonly [string, readonly Value[]])[] = [
    ['', []],
    [' ', [{ kind: 'raw', text: ' ' }]],
    [' [DONE] ', [{ kind: 'done' }]],
    ...['DONE', 'done', 'true', 'null', '7', '-7.5', '1e9', '1E-9', ' done'].map(
      (text) => [text, [{ kind: 'word', text }]] as const,
    ),
    ...['Done', 'false', '7.', '.7', 'x7', '7x', '1e', '-', 'Hello', '(a)'].map(
      (text) => [text, [{ kind: 'raw', text }]] as const,
    ),
    [' {"a":1}', [{ kind: 'json', value: { a: 1 }, source: ' {"a":1}' }]],
    ['"a"', [{ kind: 'json', value: 'a', source: '"a"' }]],
    [
      '[{"a":1},2]',
      [
        { kind: 'json', value: { a: 1 } },
        { kind: 'json', value: 2 },
      ],
    ],
    ['[]', []],
    [
      '{"a":1}\n\n[2,3]\n[DONE]',
      [
        { kind: 'json', value: { a: 1 } },
        { kind: 'json', value: 2 },
        { kind: 'json', value: 3 },
        { kind: 'done' },
      ],
    ],
    ['{"a":1}\nword', [{ kind: 'json', value: { a: 1 } }]],
    [
      '{"a":1}{"b":2} x',
      [
        { kind: 'json', value: { a: 1 } },
        { kind: 'json', value: { b: 2 } },
      ],
    ],
    ['{"a":1', [{ kind: 'broken', text: '{"a":1' }]],
    [' {a} ', [{ kind: 'broken', text: ' {a} ' }]],
    ['[ {"a"', [{ kind: 'broken', text: '[ {"a"' }]],
    ['["a', [{ kind: 'broken', text: '["a' }]],
    ['[a](b)', [{ kind: 'raw', text: '[a](b)' }]],
    ['"a" said she', [{ kind: 'raw', text: '"a" said she' }]],
    ['"{', [{ kind: 'raw', text: '"{' }]],
  ];
  test.each(cases)('%j', (data, values) => {
    expect(valuesOf(data)).toEqual(values);
  });
});

describe('consecutive objects', () => {
  const json = (value: unknown) => ({ kind: 'json', value });
  const broken = { kind: 'broken' };
  const scan = (...pieces: string[]) => {
    const scanner = new ObjectScanner();
    return [...pieces.flatMap((piece) => scanner.push(piece)), scanner.held, ...scanner.end(), scanner.held];
  };
  test.each([
    [['{"a":1}{"b":2}'], [json({ a: 1 }), json({ b: 2 }), 0, 0]],
    [
      ['{"a":', '1', '}'],
      [json({ a: 1 }), 0, 0],
    ],
    [['x {"a":{"b":[1]}} y'], [json({ a: { b: [1] } }), 0, 0]],
    [['{"a":"}{\\"}\\\\"}'], [json({ a: '}{"}\\' }), 0, 0]],
    [
      ['{"a":"\\', '"}"}'],
      [json({ a: '"}' }), 0, 0],
    ],
    [['{\n "a": {\n  "b": 1\n }\n}'], [json({ a: { b: 1 } }), 0, 0]],
    [
      ['{"a":1', '\n{"b":2}'],
      [broken, json({ b: 2 }), 0, 0],
    ],
    [['{"a":\r{"b":2}'], [broken, json({ b: 2 }), 0, 0]],
    [['{"a":[\n{"b":2}\n]}'], [json({ a: [{ b: 2 }] }), 0, 0]],
    [['[{"a":\n{"b":2}}]'], [json({ a: { b: 2 } }), 0, 0]],
    [['{"a":"x\n{"b":2}'], [broken, json({ b: 2 }), 0, 0]],
    [['{"a":"x\ry"}{"b":2}'], [broken, json({ b: 2 }), 0, 0]],
    [['{a}{"b":2}'], [broken, json({ b: 2 }), 0, 0]],
    [['{"a":1'], [6, broken, 0]],
    [['"{" } ]{"a":1}'], [13, broken, 0]],
    [['} "a" {"a":1}'], [json({ a: 1 }), 0, 0]],
    [['{"a":1}\n{"b":{"c":2'], [json({ a: 1 }), 11, broken, 0]],
  ])('%j', (pieces, expected) => {
    expect(scan(...pieces)).toEqual(expected);
  });
});

describe('frames', () => {
  const frames = (type: string | undefined, ...pieces: string[]): Frame[] => {
    const framer = framerFor(type);
    return [...pieces.flatMap((piece) => [...framer.push(piece)]), ...framer.end()];
  };
  const json = (value: object) => ({ kind: 'json', value, source: JSON.stringify(value) });

  test('a JSON body has one frame, and a mislabelled stream has the frames of its content', () => {
    expect(frames('application/json', '{"a"', ':1}')).toEqual([
      { values: [{ kind: 'json', value: { a: 1 } }], whole: true },
    ]);
    expect(frames('application/json', 'data: {"b":1}\n\n')).toEqual([{ values: [json({ b: 1 })] }]);
    expect(frames('application/json', '{"a":1}\n{"b":2}')).toHaveLength(2);
    expect(frames('application/json', ' ')).toEqual([]);
    expect(() => frames('application/json', 'Sorry')).toThrow(
      expect.objectContaining({
        code: 'platform-protocol',
        message: 'The platform sent malformed JSON instead of an answer.',
      }),
    );
  });

  test('a framer reports held data, and if the body has an end marker', () => {
    const held = (type: string | undefined, text: string) => {
      const framer = framerFor(type);
      for (const _ of framer.push(text));
      return [framer.holds(), framer.unmarked ?? false];
    };
    expect(held(undefined, ' ')).toEqual([false, false]);
    expect(held(undefined, 'dat')).toEqual([true, false]);
    expect(held(undefined, 'data: a')).toEqual([false, false]);
    expect(held(undefined, '{"a"')).toEqual([true, false]);
    expect(held(undefined, '{}')).toEqual([false, false]);
    expect(held(undefined, 'Hello')).toEqual([false, true]);
    expect(held('application/json', '')).toEqual([false, false]);
    expect(held('application/json', '{')).toEqual([true, false]);
  });

  test('an event and a body have a maximum size', () => {
    const push = (type: string | undefined, text: string) => () => frames(type, text);
    const event = (length: number) => `data: ${'x'.repeat(length - 'data: '.length)}`;
    expect(push('text/event-stream', event(MAX_EVENT_CHARS - 1))).not.toThrow(EventTooLarge);
    expect(push('text/event-stream', event(MAX_EVENT_CHARS))).toThrow(EventTooLarge);
    expect(push('text/event-stream', `data: a\n${event(MAX_EVENT_CHARS - 9)}`)).not.toThrow();
    expect(push('text/event-stream', `data: a\n${event(MAX_EVENT_CHARS - 8)}`)).toThrow(EventTooLarge);
    expect(push(undefined, `{"a":"${'x'.repeat(MAX_EVENT_CHARS - 6)}`)).not.toThrow(EventTooLarge);
    expect(push(undefined, `{"a":"${'x'.repeat(MAX_EVENT_CHARS - 5)}`)).toThrow(EventTooLarge);
    expect(push(undefined, ' '.repeat(MAX_EVENT_CHARS))).not.toThrow();
    expect(push(undefined, ' '.repeat(MAX_EVENT_CHARS + 1))).toThrow(EventTooLarge);
    expect(push('application/json', `"${'x'.repeat(MAX_JSON_BYTES - 2)}"`)).not.toThrow();
    expect(push('application/json', `"${'x'.repeat(MAX_JSON_BYTES - 1)}"`)).toThrow(
      expect.objectContaining({
        code: 'platform-too-large',
        message: `The answer is larger than ${MAX_JSON_BYTES} characters.`,
      }),
    );
  });
});
