import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { begin } from '../../../src/core/live-reply/compose.ts';
import { fragmentLink } from '../../../src/kit/fragment-link.ts';
import { sourcesOf } from '../../../src/kit/sources.ts';
import { turnId } from '../../../src/kit.ts';

const link = 'https://docs.example/manual';
const opened = (text: string, at = link) => fragmentLink({ link: at, fragments: [{ text }] });

describe('the link of a source', () => {
  it.each([
    [
      'The gear-box is checked every six months, at least.',
      'The%20gear%2Dbox%20is%20checked%20every%20six%20months%2C%20at',
    ],
    [
      '# Gears\n\n| a | b |\nShort.\nThe **gear** is _checked_ by [a_b](x).',
      'The%20gear%20is%20checked%20by%20a_b.',
    ],
    ['See ![plan](7) for the whole plan', 'See%20for%20the%20whole%20plan'],
  ])('opens at %j', (text, words) => {
    expect(opened(text)).toBe(`${link}#:~:text=${words}`);
  });

  it('keeps an existing fragment, and stays unchanged without a passage', () => {
    expect(opened('one two three', `${link}#page=3`)).toBe(`${link}#page=3:~:text=one%20two%20three`);
    expect(opened('one two')).toBe(link);
    expect(opened('one two three', `${link}#:~:text=own`)).toBe(`${link}#:~:text=own`);
    expect(opened('one two three', 'mailto:ada@example.org')).toBe('mailto:ada@example.org');
    expect(fragmentLink({ link, fragments: [] })).toBe(link);
    expect(fragmentLink({ fragments: [{ text: 'one two three' }] })).toBeUndefined();
  });

  it('leads to the same document for any passage', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const url = new URL(opened(text) ?? '');
        expect(url.origin + url.pathname + url.search).toBe(link);
      }),
    );
  });

  it('opens at the best of its passages', () => {
    const fragments = [
      { text: 'this one is weak', score: 0.1 },
      { text: 'this one is strong', score: 0.9 },
    ];
    const [first] = sourcesOf({
      ...begin(turnId('t')),
      sources: [{ key: 'a', title: 'A', kind: 'document', link, fragments }],
    });
    expect(first?.source.link).toBe(`${link}#:~:text=this%20one%20is%20strong`);
  });
});
