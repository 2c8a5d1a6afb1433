import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { richTextMarkdown } from '../../../../adapters/slack/inbound/rich-text.ts';
import { parse } from '../../../../src/kit/ladder.ts';

const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const says = (text: string, style?: object) => ({ type: 'text', text, ...(style && { style }) });
const list = (style: string, items: string[], over: object = {}) => ({
  type: 'rich_text_list',
  style,
  indent: 0,
  elements: items.map((item) => section(says(item))),
  ...over,
});
const block = (...elements: object[]) => ({ type: 'rich_text', elements });

const cases: readonly [string, object, string][] = [
  [
    'words with styles',
    block(section(says('Is '), says('it ', { bold: true }), says('safe', { italic: true }), says('?'))),
    'Is **it** _safe_?',
  ],
  [
    'several styles at once',
    block(section(says('now', { bold: true, italic: true, strike: true }))),
    '**_~~now~~_**',
  ],
  ['code in a line', block(section(says('run '), says('a `b` c', { code: true }))), 'run ``a `b` c``'],
  ['code that begins with a backtick', block(section(says('`', { code: true }))), '`` ` ``'],
  [
    'links',
    block(section({ type: 'link', url: 'https://example.org/a(b)', text: 'the [page]' })),
    '[the \\[page\\]](https://example.org/a%28b%29)',
  ],
  ['a bare link', block(section({ type: 'link', url: 'https://example.org/' })), 'https://example.org/'],
  [
    'emoji',
    block(
      section({ type: 'emoji', name: 'wave', unicode: '1f44b-1f3fb' }, says(' '), {
        type: 'emoji',
        name: 'parrot',
      }),
    ),
    '👋🏻 :parrot:',
  ],
  [
    'people, rooms and groups',
    block(
      section(
        { type: 'user', user_id: 'U1' },
        says(' in '),
        { type: 'channel', channel_id: 'C1' },
        says(' '),
        { type: 'broadcast', range: 'here' },
      ),
    ),
    '<@U1> in <#C1> @here',
  ],
  [
    'a quote',
    block({ type: 'rich_text_quote', elements: [says('one\n\ntwo')] }, section(says('Why?'))),
    '> one\n>\n> two\n\nWhy?',
  ],
  [
    'a block of code',
    block({ type: 'rich_text_preformatted', elements: [says('a\n```\nb')] }),
    '````\na\n```\nb\n````',
  ],
  [
    'a list',
    block(section(says('Parts:\n')), list('bullet', ['oil', 'filter\nand seal'])),
    'Parts:\n\n- oil\n- filter\n  and seal',
  ],
  [
    'a numbered list that goes on',
    block(list('ordered', ['three', 'four'], { offset: 2 })),
    '3. three\n4. four',
  ],
  [
    'nested lists',
    block(
      list('ordered', ['one']),
      list('bullet', ['a', 'b'], { indent: 1 }),
      list('ordered', ['two'], { offset: 1 }),
    ),
    '1. one\n    - a\n    - b\n2. two',
  ],
  ['a list that begins deep', block(list('bullet', ['deep'], { indent: 3 })), '- deep'],
  ['a list in a quote', block({ ...list('bullet', ['a']), border: 1 }), '> - a'],
  [
    'kinds of tomorrow by their words',
    block(section({ type: 'citation', title: 'Manual', url: 'https://example.org/' })),
    '[Manual](https://example.org/)',
  ],
];

test.each(cases)('%s', (_, given, markdown) => {
  expect(richTextMarkdown(given as Record<string, unknown>)).toBe(markdown);
});

test('nested lists are nested for a Markdown parser', () => {
  const given = block(
    list('ordered', ['one']),
    list('bullet', ['a'], { indent: 1 }),
    list('bullet', ['deep'], { indent: 2 }),
  );
  const [outer] = parse(richTextMarkdown(given));
  expect(JSON.stringify(outer)).toContain('deep');
  expect(parse(richTextMarkdown(given))).toHaveLength(1);
});

describe('any rich text', () => {
  test('throws nothing, and keeps every word of the text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            text: fc.stringMatching(/^[a-z]{1,9}$/),
            style: fc.constantFrom(undefined, { bold: true }, { code: true }, 7),
          }),
        ),
        fc.anything(),
        (words, rest) => {
          const given = block(
            section(...words.map((word) => ({ type: 'text', ...word }))),
            ...(typeof rest === 'object' && rest !== null ? [rest] : []),
          );
          const markdown = richTextMarkdown(given as Record<string, unknown>);
          for (const { text } of words) expect(markdown).toContain(text);
        },
      ),
    );
  });
});
