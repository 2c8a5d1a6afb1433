/** Tests which words of an unknown element count as visible. */

import { describe, expect, test } from 'vitest';
import { text } from '../../../src/kit/json.ts';
import { visibleWords } from '../../../src/kit/visible-words.ts';

describe('visible words', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['nothing', undefined, []],
    ['no object', 'hello', []],
    ['a text', { type: 'new', text: 'hello' }, ['hello']],
    ['a text object', { type: 'new', title: { type: 'plain_text', text: 'hello' } }, ['hello']],
    [
      'words in their order, with those that repeat',
      {
        title: 'one',
        items: [{ label: 'two' }, { caption: 'one' }, { raw_text: 'three' }],
        alt_text: 'four',
      },
      ['one', 'two', 'one', 'three', 'four'],
    ],
    [
      'numbers',
      {
        segments: [
          { label: 'North', value: 0 },
          { type: 'raw_number', value: 412 },
        ],
      },
      ['North', '0', '412'],
    ],
    ['the value of a fact', { facts: [{ title: 'Owner', value: 'Mina' }] }, ['Owner', 'Mina']],
    ['no value of a choice', { choices: [{ title: 'Red', value: 'r' }] }, ['Red']],
    ['what stands in a field', { type: 'Input.Text', label: 'Name', value: 'Ada' }, ['Name', 'Ada']],
    [
      'no value of a button',
      { type: 'button', text: { text: 'Go' }, value: 'secret', action_id: 'a1' },
      ['Go'],
    ],
    ['one text of a picture with a title', { title: { text: 'Map' }, alt_text: 'Map' }, ['Map']],
    ['no data', { title: 'Card', data: { text: 'hidden' }, metadata: { title: 'hidden' } }, ['Card']],
    ['no addresses', { title: 'Card', url: 'https://a.example', image_url: 'https://b.example' }, ['Card']],
    ['the fallback where no words stand', { type: 'x', fallback: 'In short' }, ['In short']],
    ['no fallback beside words', { text: 'whole', fallback: 'In short' }, ['whole']],
    ['the fallback of a card', { type: 'x', fallback: { type: 'TextBlock', text: 'Old' } }, ['Old']],
    ['no instruction to drop', { type: 'x', fallback: 'drop' }, []],
  ])('%s', (_, element, words) => expect(visibleWords(element)).toEqual(words));

  test('of known kinds come from the caller', () => {
    const read = (each: { readonly [name: string]: unknown }) =>
      each.type === 'mrkdwn' ? `**${text(each.text)}**` : undefined;
    expect(visibleWords({ body: { type: 'mrkdwn', text: 'x' }, title: 'y' }, { read })).toEqual([
      '**x**',
      'y',
    ]);
  });

  test('of a deep, wide or long element are limited', () => {
    let deep: unknown = { text: 'bottom' };
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(visibleWords(deep)).toEqual([]);
    const wide = Array.from({ length: 100_000 }, (_, nth) => ({ text: `word ${nth}` }));
    expect(visibleWords(wide).length).toBeLessThan(10_000);
    const long = Array.from({ length: 100 }, (_, nth) => ({ text: `${nth}${'x'.repeat(1_000)}` }));
    expect(visibleWords(long).join('').length).toBeLessThanOrEqual(40_000);
  });
});
