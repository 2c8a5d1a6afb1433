/**
 * Tests the output of each Markdown construct in Slack, Teams and Teams' extended Markdown, for complete and growing
 * texts.
 */

import { describe, expect, test } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { ENDED, START, withTables } from '../../../../src/kit/emission.ts';
import { expectWritten, extended, held, teams, type Written } from './written.ts';

describe('the output', () => {
  const written: readonly Written[] = [
    ['a\rb\r\nc\n\nd', 'a\nb\nc\n\nd'],
    ['a\ud83d b \ude00 😀', 'a\ufffd b \ufffd 😀'],
    ['\\<a\\> \\* \\q \\', '&lt;a&gt; \\* \\q \\\\'],
    ['a\\\nb', 'a\\\nb'],
    ['!', '!'],
    ['a!b ![', 'a!b !\\['],
    ['![no', '!\\[no'],
    ['!\\[x](y)', '!\\[x](y)'],
    ['[a][b] [c] [1](x) [12345]', '\\[a]\\[b] \\[c] \u20601 \\[12345]'],
    ['> - [1]: x', '> - \\[1]: x'],
    ['x [1]: y', 'x \\[1]: y', 'x [1]: y', 'x [1]: y'],
    [
      '[a [b](https://h.example/) c](https://h.example/)',
      '\\[a [b](https://h.example/) c](https://h.example/)',
    ],
    [
      '[![i](a.png) c](https://h.example/)',
      '[i c](https://h.example/)',
      '[▣ i c](https://h.example/)',
      '[▣ i c](https://h.example/)',
    ],
    ['[`](` x](https://h.example/)', '[`](` x](https://h.example/)'],
    ['[a\\]b](https://h.example/)', '[a\\]b](https://h.example/)'],
    ['[a `b](https://h.example/)', '[a \\`b](https://h.example/)'],
    ['[a\n](https://h.example/)', '\\[a\n](https://h.example/)'],
    ['[**b** _i_ `c` \\* !](https://h.example/)', '[**b** _i_ `c` \\* !](https://h.example/)'],
    ['[x](https://h.example/ "t")', '[x](https://h.example/)'],
    ['[x](<https://h.example/a b>)', 'x'],
    ['[x](https://h.example/ t)', '\\[x](https://h.example/ t)'],
    ['[x!](javascript:a)[y](https://h.example/)', 'x\\![y](https://h.example/)'],
    ['[x\\!](javascript:a)', 'x\\!'],
    ['[x\\\\!](javascript:a)', 'x\\\\\\!'],
    ['![a](b) ![](c.png) ![*x* [y]](z)', 'a image x y', '▣ a ▣ image ▣ x y', '▣ a ▣ image ▣ x y'],
    [
      '<https://h.example/?a=1&b=2> <mailto:a@h.example> <http://h.example>',
      '[https://h.example/?a=1&amp;b=2](https://h.example/?a=1&b=2) [mailto:a@h.example](mailto:a@h.example) [http://h.example](http://h.example/)',
    ],
    ['<HTTPS://H.example/>', '[HTTPS://H.example/](https://h.example/)'],
    [
      '<hello> <mail> <https:> <https://a b>',
      '&lt;hello&gt; &lt;mail&gt; &lt;https:&gt; &lt;https://a b&gt;',
    ],
    ['<https://a@b.example/>', '&lt;https://a@b.example/&gt;'],
    ['``a ` b`` `c``', '``a ` b`` \\`c\\`\\`'],
    ['`a | b](c`', '\\`a | b](c\\`'],
    ['| `a|[x](y)` |', '| \\`a|x\\` |'],
    ['- a\n* b\n+ c\n1. d\n2) e\n1234567890. f', '- a\n* b\n+ c\n1. d\n2) e\n1234567890. f'],
    ['-a\n1.b', '-a\n1.b'],
    ['> > a\n>b\n > c', '> > a\n>b\n > c'],
    ['a > b', 'a &gt; b'],
    ['- > a < b', '- &gt; a &lt; b'],
    ['> - a', '> - a'],
    [
      '- [ ] a\n* [X] b\n+ [x]c\n1. [x] d\n[x] e\n- [y] f\n- [ ]\tg',
      '- [ ] a\n* [X] b\n+ \\[x]c\n1. [x] d\n\\[x] e\n- \\[y] f\n- [ ]\tg',
      '- ☐ a\n* ☑ b\n+ \\[x]c\n1. ☑ d\n\\[x] e\n- \\[y] f\n- ☐\tg',
    ],
    [
      '# a\n## b ##\n####### c\n#d\n  # e\n    # f\n> # g\n# h #i\n#\tj\n# k\\#\n#  ',
      '# a\n## b ##\n####### c\n#d\n  # e\n    # f\n> # g\n# h #i\n#\tj\n# k\\#\n#  ',
      '**a**\n**b**\n####### c\n#d\n  **e**\n    # f\n> **g**\n**h #i**\n**j**\n**k\\#**\n',
    ],
    ['# a \r# b # \n# c  ', '# a \n# b # \n# c  ', '**a**\n**b**\n**c**'],
    ['# a **b** *c* ***d***', '# a **b** *c* ***d***', '**a b *c* *d***'],
    [
      '# `a` [b](https://h.example/) <x> ! \\* 😀',
      '# `a` [b](https://h.example/) &lt;x&gt; ! \\* 😀',
      '**`a` [b](https://h.example/) &lt;x&gt; ! \\* 😀**',
    ],
    [
      '---\n***\n___\n- - -\n* * *\n_ _ _\n--\n-\n==\n===\n=\n---a\n--- -',
      '---\n***\n___\n- - -\n* * *\n_ _ _\n--\n-\n==\n===\n=\n---a\n--- -',
      '\n———\n\n\n———\n\n\n———\n\n\n———\n\n\n———\n\n\n———\n\n\\--\n\\-\n\n———\n\n\n———\n\n\\=\n---a\n\n———\n',
    ],
    ['> ---\n> a', '> ---\n> a', '> \n> ———\n> \n> a'],
    ['a\n===\nb\n---\nc', 'a\n===\nb\n---\nc', 'a\n\n———\n\nb\n\n———\n\nc'],
    [
      '```\na < b & c\n```\nd',
      '```\na &lt; b &amp; c\n```\nd',
      '```\na &lt; b & c\n```\nd',
      '```\na < b & c\n```\nd',
    ],
    ['```js x\ny\n````', '```js\ny\n```'],
    ['````\n```\n````', '````\n```\n````'],
    ['~~~ts\n~~~~\n~~~', '`````ts\n`````\n`````\n`````'],
    ['~~~\n`````\n``````\n~~~', '`````\n    `````\n    ``````\n`````'],
    ['```a`b\nc', '\\`\\`\\`a\\`b\nc'],
    ['``\nx\n``', '\\`\\`\nx\n\\`\\`'],
    ['- ```\n  a\n   b\n c\n  ```\n- d', '-\n```\na\n b\nc\n```\n- d'],
    ['1. ~~~\n   x\n   ~~~', '1.\n`````\nx\n`````'],
    [
      '> ```\n> a\n> > b\n>c\n> ```\nd',
      '```\na\n&gt; b\nc\n```\nd',
      '```\na\n> b\nc\n```\nd',
      '```\na\n> b\nc\n```\nd',
    ],
    ['>  ```\n>   x\n>  ```', '```\n  x\n```'],
    ['```\n    ```\n   ```', '```\n    ```\n```'],
    ['``` a\r\nb\r\n```\r\nc', '```a\nb\n```\nc'],
    ['```\na\ud83d\nb', '```\na\ufffd\nb\n```'],
    ['```c++\n```', '```c++\n```'],
    ['```mermaid\ngraph\n```', '```mermaid\ngraph\n```', '```mermaid\ngraph\n```', '```\ngraph\n```'],
    ['```a b c\nx', '```a\nx\n```'],
    [
      '```\n<at>x</at> <a\n```',
      '```\n&lt;at&gt;x&lt;/at&gt; &lt;a\n```',
      '```\n&lt;at>x&lt;/at> &lt;a\n```',
      '```\n<\u2060at>x<\u2060/at> <a\n```',
    ],
    ['```\n', '```\n```'],
    ['| a | b |\n|---|:-:|\n| c | d |\n\ne', '| a | b |\n|---|:-:|\n| c | d |\n\ne', '**▦ Table 1**\n\n\ne'],
    ['| a |\n| b |', '| a |\n| b |'],
    ['| a |\nb', '| a |\nb'],
    ['| a |\n|-', '| a |\n|-', '**▦ Table 1**'],
    ['| a |\r\n|-|\r\n| b |\r\nc', '| a |\n|-|\n| b |\nc', '**▦ Table 1**\n\nc'],
    ['x\n| a |\n|-|\n| b |\n- y | z', 'x\n| a |\n|-|\n| b |\n- y | z', 'x\n\n**▦ Table 1**\n\n- y | z'],
    ['| a |\n|-|\n# | b', '| a |\n|-|\n# | b', '**▦ Table 1**\n\n**| b**'],
    ['> | a |\n> |-|\n> | b |\n| c |', '> | a |\n> |-|\n> | b |\n| c |', '> **▦ Table 1**\n\n| c |'],
    [
      '| a |\n|-|\n|b|\n\n| c |\n|-|\n|d|',
      '| a |\n|-|\n|b|\n\n| c |\n|-|\n|d|',
      '**▦ Table 1**\n\n\n**▦ Table 2**',
    ],
    ['a|b\n\n-|-', 'a|b\n\n-|-'],
    ['| a | b\n|-|-|\n| c', '| a | b\n|-|-|\n| c', '**▦ Table 1**'],
    ['|a|\n|x|\n|-|', '|a|\n|x|\n|-|', '|a|\n\n**▦ Table 1**'],
    [
      'p\na | b\n--|--\n1 | 2\n1. | 3',
      'p\na | b\n--|--\n1 | 2\n1. | 3',
      'p\na | b\n\n**▦ Table 1**\n\n1. | 3',
    ],
    ['| [a](https://h.example/) |\n| - |', '| [a](https://h.example/) |\n| - |', '**▦ Table 1**'],
    ['| a |\n| - |  \nx', '| a |\n| - |  \nx', '**▦ Table 1**\n\nx'],
    ['| a |\n | - |\n | b |', '| a |\n | - |\n | b |', '**▦ Table 1**'],
    [
      '[1] and [7], [1](https://h.example/) \\[1] `[1]`',
      '\\[1] and \\[7], [1](https://h.example/) \\[1] `[1]`',
      '[1] and [7], [1](https://h.example/) \\[1] `[1]`',
      '[1] and [7], [1](https://h.example/) \\[1] `[1]`',
    ],
    [
      'a $ b `c $` [d $](https://h.example/)',
      'a $ b `c $` [d $](https://h.example/)',
      'a $ b `c $` [d $](https://h.example/)',
      'a \\$ b `c $` [d \\$](https://h.example/)',
    ],
    ['x\u0000y\u202ez', 'x\ufffdy\ufffdz'],
    ['&lt; &amp; & <', '&lt; &amp; & &lt;'],
    ['    code', '    code'],
    ['-', '-', '\\-'],
    ['>', '>'],
    ['#', '#', ''],
    ['~', '\\~'],
    ['(~2 to ~5) at 20~25 °C', '(\\~2 to \\~5) at 20\\~25 °C'],
    ['~~out~~ `~1 ~2` ~', '~~out~~ `~1 ~2` \\~'],
    ['# ~3 or ~4', '# \\~3 or \\~4', '**\\~3 or \\~4**', '# \\~3 or \\~4'],
    ['https://h.example/~a?b=~c or ~d', 'https://h.example/~a?b=~c or \\~d'],
    ['[~1 of ~2](https://h.example/~a)', '[\\~1 of \\~2](https://h.example/~a)'],
    ['~~x~~', '~~x~~'],
    ['`', '\\`'],
    ['``', '\\`\\`'],
    ['[', '\\['],
    ['](', ']('],
    ['![x', '!\\[x'],
    ['<', '&lt;'],
    ['<h', '&lt;h'],
    ['a\r', 'a\n'],
    ['!<https://h.example/i.png>', '!&lt;https://h.example/i.png&gt;'],
    ['[a [b] c](https://h.example/)', '[a \\[b\\] c](https://h.example/)'],
    ['[!](javascript:a) [a! b](javascript:a)', '\\! a! b'],
    ['![ a ](b.png)', 'a', '▣ a', '▣ a'],
    [
      '\ud800\udc00 \udbff\udfff \ud83d\ue000 \udc00\udc00',
      '\ud800\udc00 \udbff\udfff \uFFFD\ue000 \uFFFD\uFFFD',
    ],
  ];
  test.each(written)('%j', expectWritten);
});

test('a mark that may define a link is escaped at the beginning of its line, within 200 characters', () => {
  const after = (text: string) => teams.markdown(`${text}[1]: x`).slice(text.length);
  expect(after('a\n')).toBe('\\[1]: x');
  expect(after(`a\n${' '.repeat(199)}`)).toBe('\\[1]: x');
  expect(after(`a${' '.repeat(199)}`)).toBe('[1]: x');
  expect(after(`a${' '.repeat(200)}`)).toBe('\\[1]: x');
  expect(after(`a${' '.repeat(201)}`)).toBe('\\[1]: x');
  expect(after(' ')).toBe('\\[1]: x');
});

describe('the text held back while it grows', () => {
  test.each([
    ['a [b', '[b'],
    ['a [b]', '[b]'],
    ['a [b](', '[b]('],
    ['a [b] ', ''],
    ['a ![b', '![b'],
    ['a !', '!'],
    ['a ! ', ''],
    ['a `b', '`b'],
    ['a `b` ', ''],
    ['a <https://h', '<https://h'],
    ['a <mai', '<mai'],
    ['a <max', ''],
    ['a \\', '\\'],
    ['a\r', '\r'],
    ['a\rb', ''],
    ['a\ud83d', '\ud83d'],
    ['a\ud83db', ''],
    ['a\udc00', ''],
    ['a\u0000', ''],
    ['- [', '- ['],
    ['- [x]', '- [x]'],
    ['12', '12'],
    ['12.', '12.'],
    ['- ', '- '],
    ['- a', ''],
    ['``', '``'],
    ['```js', '```js'],
    ['```js\n', ''],
    ['```\na\n``', '``'],
    ['```\na\n``b', ''],
    ['> ```\n>', '>'],
    ['```\na <a', '<a'],
    ['a\n', ''],
  ])('of %j is %j', (source, rest) => {
    expect(held(extended, source)).toBe(rest);
    expect(held(slackMarkdown, source)).toBe(rest);
  });

  test.each([
    ['-', '-'],
    ['--', '--'],
    ['==', '=='],
    ['* *', '* *'],
    ['* a', ''],
    ['#', '#'],
    ['# ', '# '],
    ['# a', ''],
    ['# a ', ' '],
    ['# a #', ' #'],
    ['# a b', ''],
    ['# a *', '*'],
    ['# a **b', ''],
    ['# a\r', '\r'],
    ['|', '|'],
    ['| a |', '| a |'],
    ['| a |\n|', '| a |\n|'],
    ['| a |\nb', ''],
    ['| a |\n|-|', '| a |\n|-|'],
    ['| a |\n|-|\n', ''],
    ['| a |\n|-|\n| b', '| b'],
    ['a | b\n-', '-'],
    ['a | b\n-|-', '-|-'],
  ])('by Teams of %j is %j', (source, rest) => {
    expect(held(teams, source)).toBe(rest);
  });

  test('is released after 1,024 characters, and an address after 8,192', () => {
    const after = ['[', '`', '![', '[x](y'].map((opener) => [opener, 1_024] as const);
    for (const [opener, most] of [...after, ['<https://', 8_192] as const]) {
      const source = `${opener}${'x'.repeat(most - opener.length)}`;
      expect(held(slackMarkdown, source.slice(0, -1))).toBe(source.slice(0, -1));
      expect(held(slackMarkdown, source)).toBe('');
    }
    expect(held(teams, `# a${' '.repeat(1_023)}`)).toBe(' '.repeat(1_023));
    expect(held(teams, `# a${' '.repeat(1_024)}`)).toBe('');
  });
});

describe('the room of a text', () => {
  const units = (source: string) => teams.emit(source, START, ENDED).units;
  test('is its length, and for a hidden table the size of its card', () => {
    expect(units('abc < d')).toBe('abc &lt; d'.length);
    const mark = '**▦ Table 1**'.length;
    const head = mark + 2 * (110 + 30) + 40 + 2 * 75 + '| a | b |'.length;
    expect(units('| a | b |\n|---|---|')).toBe(head);
    expect(units('| a | b |\n|---|---|\n')).toBe(head);
    expect(units('| a | b |\n|---|---|\n| *c* | d |')).toBe(
      head + 40 + 2 * 75 + 2 * 30 + '| *c* | d |'.length,
    );
    expect(units('| a | b |\n|---|---|\n | c | d | ')).toBe(head + 40 + 2 * 75 + '| c | d |'.length);
    expect(units('> | a |\n> |-|\n> b | c')).toBe(
      '> '.length + mark + 140 + 40 + 75 + '> | a |'.length + 40 + 2 * 75 + '> b | c'.length,
    );
  });

  test('ends the emission once it is used up', () => {
    const whole = 'ab `c` d';
    const at = (how: object) => slackMarkdown.emit(whole, START, { ended: true, ...how }).state.at;
    expect([at({ enough: 3 }), at({ enough: 4 }), at({ enough: 6 }), at({ enough: 7 })]).toEqual([
      3, 6, 6, 8,
    ]);
    expect([at({ room: 3 }), at({ room: 4 }), at({ room: 6 }), at({ room: 7 })]).toEqual([3, 6, 6, 8]);
    expect([at({ enough: 0 }), at({ room: 0 })]).toEqual([0, 0]);
  });
});

test('hidden tables are found by their beginnings and ends', () => {
  const tables = (source: string) => teams.hiddenTables(source, START);
  expect(tables('x')).toEqual([]);
  expect(tables('x | y')).toEqual([]);
  expect(tables('x\n| a |\n|-|\n| b |\n\ny\n| c |\n|-|')).toEqual([
    { from: 2, number: 1, to: 18 },
    { from: 21, number: 2, to: 30 },
  ]);
  expect(tables('| a |\n|-|\n| b |')).toEqual([{ from: 0, number: 1, to: 15 }]);
  expect(slackMarkdown.hiddenTables('| a |\n|-|', START)).toEqual([]);
});

describe('beyond the maximum, tables', () => {
  const table = '| a |\n|-|\n| b |';
  test('become lines', () => {
    expect(withTables(`${table}\n\n${table}`, 2)).toBe(`${table}\n\n${table}`);
    expect(withTables(`${table}\n\n${table}`, 1)).toBe(`${table}\n\n| a |\n\\|-|\n| b |`);
    expect(withTables('a | b\n-|-', 0)).toBe('a | b\n\\-|-');
    expect(withTables('a | b\n:-|-', 0)).toBe('a | b\n\\:-|-');
  });

  test('are not counted in code, nor for dashes without a head', () => {
    for (const text of [
      `\`\`\`\n${table}\n\`\`\``,
      `   ~~~\n\`\`\`\n${table}\n~~~`,
      'a\n|-|',
      '| a |\n-',
      '| a |\n| b |',
      '|-|',
    ])
      expect(withTables(text, 0)).toBe(text);
    expect(withTables(`\`\`\`\n\`\`\`\n${table}`, 0)).toContain('\\|-|');
    expect(withTables(`    \`\`\`\n${table}`, 0)).toContain('\\|-|');
  });
});
