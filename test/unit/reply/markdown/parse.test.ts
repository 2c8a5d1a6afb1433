import { describe, expect, test } from 'vitest';
import { parse } from '../../../../src/reply/markdown/parse.ts';
import { plain } from '../../../../src/reply/markdown/plain.ts';
import { htmlOf } from './html.ts';
import { cpuSeconds, examples } from './texts.ts';

const inlines = (text: string) => {
  const [block] = parse(text);
  return block?.kind === 'paragraph' ? block.children : undefined;
};

/**
 * Matches examples that contain raw HTML. They are skipped, because the parser treats HTML as text. None contains
 * `<br>`.
 */
const html = /<[a-z!?/]/i;
/**
 * Examples that show bare addresses as text. They are skipped, because the parser makes links of them, as GitHub does.
 */
const plainAddresses = [602, 608, 611, 612];

describe('parsing', () => {
  test('follows the CommonMark examples, except that HTML is text', () => {
    const written = examples.filter(
      ({ markdown, section, number }) =>
        (!html.test(markdown) || section === 'Autolinks') && !plainAddresses.includes(number),
    );
    expect(written.length).toBeGreaterThan(550);
    for (const example of written) {
      expect(`${example.number}: ${htmlOf(parse(example.markdown))}`).toBe(
        `${example.number}: ${example.html
          .replace(/\n/g, ' ')
          .replace(/> (?=<)/g, '>')
          .trim()}`,
      );
    }
  });

  test.each([
    'So it is.[^1]\n\n[^1]: Handbook.',
    'So it is.[^1]\n\n[^1]: Handbook.\n[^2]: https://books.example/2',
    '- So it is.[^note]\n\n  [^note]: Handbook. \n',
    '> [^1]: Handbook.',
    '[^1]: <Handbook.> "Title"',
    '[^1]:\nHandbook.',
  ])('shows footnotes of one word, and other definitions show nothing: %j', (text) => {
    expect(plain(text)).toMatch(/\[\^(1|note)\]:\s<?Handbook\./);
    expect(plain(text.replaceAll('[^', '['))).not.toMatch(/\]:/);
  });

  test('keeps raw HTML as text', () => {
    expect(inlines('a <b onclick="x">b</b> <script>c</script>')).toEqual([
      { kind: 'text', text: 'a <b onclick="x">b</b> <script>c</script>' },
    ]);
    expect(parse('<div>\n\n<iframe src="x">')).toMatchObject([
      { kind: 'paragraph', children: [{ kind: 'text', text: '<div>' }] },
      { kind: 'paragraph', children: [{ kind: 'text', text: '<iframe src="x">' }] },
    ]);
  });

  test('breaks a line at <br>, even in tables', () => {
    expect(inlines('a<br>b<BR />c')?.map(({ kind }) => kind)).toEqual([
      'text',
      'break',
      'text',
      'break',
      'text',
    ]);
  });

  test('reads tables with their alignment, and short and long rows', () => {
    const [table] = parse('| a | b | c |\n| :- | :-: | -: |\n| 1 |\n| 1 | 2 | 3 | 4 |');
    expect(table).toMatchObject({ kind: 'table', align: ['left', 'center', 'right'] });
    expect(table?.kind === 'table' && table.rows.map((row) => row.length)).toEqual([3, 3]);
  });

  test('reads task items, strikethrough and plain addresses', () => {
    expect(parse('- [ ] a\n- [X] b\n- c')).toMatchObject([
      {
        kind: 'list',
        tight: true,
        items: [{ done: false }, { done: true }, { children: [{ kind: 'paragraph' }] }],
      },
    ]);
    expect(inlines('~~a~~ https://h.example/p. ann@h.example')).toMatchObject([
      { kind: 'strike' },
      { kind: 'text', text: ' ' },
      { kind: 'link', destination: 'https://h.example/p' },
      { kind: 'text', text: '. ' },
      { kind: 'link', destination: 'mailto:ann@h.example' },
    ]);
  });

  test('keeps destinations as they are written', () => {
    expect(
      inlines('[a](javascript:alert(1)) ![b](1234567890123456789 "t") [c](<x y&amp;%zz>)'),
    ).toMatchObject([
      { kind: 'link', destination: 'javascript:alert(1)' },
      {},
      { kind: 'image', destination: '1234567890123456789', title: 't', alt: 'b' },
      {},
      { kind: 'link', destination: 'x y&%zz' },
    ]);
  });

  test('returns the place of every block, for all line ends', () => {
    const text = '# a\r\n\r\n- b\r\n- c\r\r```\r\nd\r\n\r\n```\n\n😀 e\nf';
    expect(parse(text).map(({ kind, from, to }) => [kind, text.slice(from, to)])).toEqual([
      ['heading', '# a'],
      ['list', '- b\r\n- c'],
      ['code', '```\r\nd\r\n\r\n```'],
      ['paragraph', '😀 e\nf'],
    ]);
  });

  test('plain text has no markup', () => {
    const text =
      '# A **b**\n\n1. c\n2. [d](https://h.example)\n   - e\n\n> f\n> g\n\n```js\nh\n```\n\n| i | j |\n| - | - |\n| ![k](1) | `l` |\n\n---';
    expect(plain(text)).toBe('A b\n\n1. c\n2. d\n   - e\n\n> f g\n\nh\n\ni · j\nk · l\n\n---');
  });

  test('parses hostile text within the time limit', () => {
    for (const scrap of [
      '[',
      '![',
      '`a',
      '*a ',
      '**a _b ',
      '[a](',
      '[[a]',
      '> ',
      '- ',
      '| ',
      '<',
      '&',
      '\\',
      '- a\n  ',
      'a@',
      'http://',
    ]) {
      expect([scrap, cpuSeconds(() => parse(scrap.repeat(20_000))) < 2]).toEqual([scrap, true]);
    }
  });
});
