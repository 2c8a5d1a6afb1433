import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameOrigin, renderContextOf } from '../../../adapters/console/page/parts/render-context.ts';
import { addressOf, placeOf } from '../../../adapters/console/page/state/address.ts';
import {
  candidatesFor,
  completeMention,
  mentionAt,
  mentionsAgent,
} from '../../../adapters/console/page/state/mention.ts';
import { agoOf, lengthOf, sizeOf } from '../../../adapters/console/page/state/time.ts';

const setup = {
  people: [],
  agents: [
    { name: 'vision', description: 'Accepts images', seesImages: true },
    { name: 'knowledge', description: 'Knows documents', seesImages: false },
  ],
  botName: 'parley',
  defaultAgent: 'knowledge',
  limits: { textChars: 100, files: 1, fileBytes: 1 },
};

describe('mentions', () => {
  it('are recognised at the caret, and not inside an e-mail address', () => {
    expect(mentionAt('hello @kn', 9)).toEqual({ from: 6, text: 'kn' });
    expect(mentionAt('hello @kn more', 9)).toEqual({ from: 6, text: 'kn' });
    expect(mentionAt('ada@kn', 6)).toBeUndefined();
    expect(mentionAt('@kn more', 8)).toBeUndefined();
  });

  it('list names that begin with the query first', () => {
    expect(candidatesFor(setup, 'e').map((one) => one.name)).toEqual(['parley', 'knowledge']);
    expect(candidatesFor(setup, 'KN').map((one) => one.name)).toEqual(['knowledge']);
    expect(candidatesFor(setup, '').map((one) => one.name)).toEqual(['parley', 'vision', 'knowledge']);
  });

  it('are completed in place, followed by one space', () => {
    const query = { from: 3, text: 'kn' };
    expect(completeMention('hi @kn there', 6, query, 'knowledge')).toEqual({
      text: 'hi @knowledge there',
      caret: 14,
    });
  });

  it('ask only if they contain a known name', () => {
    expect(mentionsAgent(setup, 'well, @Knowledge, why?')).toBe(true);
    expect(mentionsAgent(setup, '@parley.')).toBe(true);
    expect(mentionsAgent(setup, 'mail ada@example.com or @nobody')).toBe(false);
  });
});

describe('addresses of the page', () => {
  it('return the place that they were made from', () => {
    const id = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(id, fc.option(id, { nil: undefined }), (room, thread) => {
        const place = thread === undefined ? { room } : { room, thread };
        expect(placeOf(addressOf(place))).toEqual(place);
      }),
    );
  });

  it('of any other form return no place', () => {
    for (const hash of ['', '#', '#/', '#/x/y', '#/r', '#/r/%']) expect(placeOf(hash).thread).toBeUndefined();
  });
});

describe('a picture or a source', () => {
  it('is loaded only from a path of this server, and only if the reply maps it', () => {
    expect(isSameOrigin('/media/x')).toBe(true);
    for (const bad of [
      undefined,
      '',
      '//a.example/x',
      '/\\a.example',
      'https://a.example',
      'data:image/png;base64,x',
      'media/x',
    ])
      expect(isSameOrigin(bad)).toBe(false);
    const ours = { id: 'm', kind: 'image' as const, name: 'Chart', inline: 'chart-1', address: '/media/1' };
    const foreign = { ...ours, inline: 'chart-2', address: 'https://a.example/2' };
    const context = renderContextOf({ turn: 't', sources: [], media: [ours, foreign] });
    expect(context.picture('chart-1')).toBe(ours);
    expect(context.picture('chart-2')).toBeUndefined();
    expect(context.picture('/media/1')).toBeUndefined();
  });

  it('is found by its mark, or by its number if it has none', () => {
    const base = { title: 't', kind: 'document' as const, fragments: [] };
    const sources = [
      { ...base, key: 'a', number: 1, mark: 7 },
      { ...base, key: 'b', number: 2 },
    ];
    const context = renderContextOf({ turn: 't', sources, media: [] });
    expect(context.cited(7)?.key).toBe('a');
    expect(context.cited(2)?.key).toBe('b');
    expect(context.cited(1)).toBeUndefined();
  });
});

describe('durations and sizes', () => {
  it('are written as people write them', () => {
    expect([0, 999, 2_340, 61_000].map(lengthOf)).toEqual(['0 ms', '999 ms', '2.3 s', '1 min 1 s']);
    expect([5, 2_048, 1_572_864].map(sizeOf)).toEqual(['5 B', '2 KB', '1.5 MB']);
    expect(agoOf(0, 59_999)).toBe('just now');
    expect(agoOf(0, 125_000)).toBe('2 min ago');
  });

  it.each([
    [59_999, 'just now'],
    [60_000, '1 min ago'],
    [3_599_999, '59 min ago'],
    [3_600_000, '1 h ago'],
    [86_399_999, '23 h ago'],
  ])('%i ms ago is %s', (ms, words) => expect(agoOf(0, ms)).toBe(words));

  it.each([
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [9_999, '10.0 s'],
    [10_000, '10 s'],
    [59_499, '59 s'],
    [59_999, '1 min 0 s'],
    [60_000, '1 min 0 s'],
    [119_600, '2 min 0 s'],
    [3_600_000, '60 min 0 s'],
  ])('a duration of %i ms is %s', (ms, words) => expect(lengthOf(ms)).toBe(words));

  it.each([
    [1_023, '1023 B'],
    [1_024, '1 KB'],
    [102_400, '100 KB'],
    [1_048_576, '1.0 MB'],
    [10_485_760, '10.0 MB'],
  ])('a size of %i bytes is %s', (bytes, words) => expect(sizeOf(bytes)).toBe(words));
});
