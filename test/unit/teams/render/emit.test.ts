import { describe, expect, it } from 'vitest';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { ENDED, GROWING, START } from '../../../../src/kit/emission.ts';

describe('Teams Markdown', () => {
  const { markdown } = emitterOf('markdown');

  it.each([
    ['bold, italic, code and quotes', '**b** _i_ `c`\n> q\n- l', '**b** _i_ `c`\n> q\n- l'],
    ['the mark of a source as it is', 'So [1] it is [2].', 'So [1] it is [2].'],
    ['a definition by a number', '[1]: https://h.example\n\n[1]', '\\[1]: https://h.example\n\n[1]'],
    ['a mention', 'Hey <at>Everyone</at>', 'Hey &lt;at&gt;Everyone&lt;/at&gt;'],
    ['a heading', '## A *b* title ##\nText', '**A *b* title**\nText'],
    ['a heading that is bold', '# **Bold** one', '**Bold one**'],
    ['a heading with a star', '# 2 ** 3', '**2 \\*\\* 3**'],
    ['a heading in a list', '- # One', '- **One**'],
    ['an empty heading', 'a\n#\nb', 'a\n\nb'],
    ['number signs in a heading', '# C# and #1', '**C# and #1**'],
    ['hash signs without a heading', '#hash and C#', '#hash and C#'],
    ['an underlined heading', 'Title\n=====\nText', 'Title\n\n———\n\nText'],
    ['a line between parts', 'a\n\n* * *\n\nb', 'a\n\n\n———\n\n\nb'],
    ['dashes that would underline', 'a\n--', 'a\n\\--'],
    ['an image', 'RenderContext: ![a *cat*](https://h.example/c.png "t")', 'RenderContext: ▣ a cat'],
    ["an image by its platform's number", '![123456](file_id:123456)', '▣ image'],
    ['tasks', '- [ ] open\n- [x] done', '- ☐ open\n- ☑ done'],
    [
      'a label that misleads',
      '[good.example](https://evil.example/)',
      '[good.example](https://evil.example/) (evil.example)',
    ],
    ['a fence in a list', '- ```js\n  x < 1 => 2\n  ```', '-\n```js\nx &lt; 1 => 2\n```'],
    [
      'a table',
      'See:\n| a | b |\n| - | - |\n| 1 | 2 |\n\nAnd\n\na | b\n--- | ---\n1 | 2\nEnd',
      'See:\n\n**▦ Table 1**\n\n\nAnd\n\na | b\n\n**▦ Table 2**\n\nEnd',
    ],
    ['a table in a quote', '> | a |\n> | - |\n> | 1 |\n\nx', '> **▦ Table 1**\n\n\nx'],
    ['bars without a table', '| a | b |\n| c | d |', '| a | b |\n| c | d |'],
    ['a table with dashes for other columns', '| a | b |\n| - |\n', '| a | b |\n| - |\n'],
    ['a table in code', '```\n| a |\n| - |\n```', '```\n| a |\n| - |\n```'],
  ])('writes %s', (_, source, shown) => {
    expect(markdown(source)).toBe(shown);
  });

  it('renumbers the marks of sources', () => {
    const how = { ended: true, numbers: new Map([[7, 1]]) };
    expect(markdown('So [7], `[7]` and [7](https://h.example/).', START, how)).toBe(
      'So [1], `[7]` and [7](https://h.example/).',
    );
  });

  it('returns the position of each hidden table', () => {
    const { emit } = emitterOf('markdown');
    expect(emit('x\n\n| a |\n| - |\n| 1 |', START, GROWING).state).toEqual({
      at: 15,
      fresh: true,
      hidden: { from: 3, number: 1 },
      tables: 1,
    });
  });
});

describe('extended Markdown', () => {
  const { markdown } = emitterOf('extendedmarkdown');

  it('keeps headings, tables, tasks and code', () => {
    const source = '# T\n\n| a |\n| - |\n| 1 |\n\n- [x] d\n\n```ts\nA<B>\n```\n\n---\n`a < b`';
    expect(markdown(source)).toBe(source);
  });

  it.each([
    ['prices', 'From $5 to $6', 'From \\$5 to \\$6'],
    ['a fence that would be a card', '```adaptivecard\n{}\n```', '```\n{}\n```'],
    ['a tag that cells would part from its code', '| ` | <img src=x> ` |', '| ` | &lt;img src=x> ` |'],
    ['an image', '![a $ b](https://h.example/i.png)', '▣ a \\$ b'],
    [
      'no image after a refused link',
      '[!](javascript:x)[a](https://h.example/)',
      '\\![a](https://h.example/)',
    ],
    ['no image of an address after "!"', '!<https://h.example/i.png>', '!&lt;https://h.example/i.png&gt;'],
  ])('writes %s', (_, source, shown) => {
    expect(markdown(source)).toBe(shown);
  });
});

describe('a mention in code', () => {
  const tags = ['<at>Everyone</at>', '<AT>Everyone</AT>', '<At>Everyone</aT>'];
  const spellings = tags.flatMap((tag) => [
    `Run \`${tag}\` now`,
    `\`\`\`\n${tag}\n\`\`\``,
    `a | b\n--|--\n\`${tag}\` | c`,
  ]);

  it.each(spellings)('is not active, in either format and any case: %j', (source) => {
    for (const format of ['markdown', 'extendedmarkdown'] as const) {
      const { markdown, emit } = emitterOf(format);
      for (const out of [markdown(source), emit(source, START, ENDED).out])
        expect(out).not.toMatch(/<\/?at/i);
    }
  });
});
