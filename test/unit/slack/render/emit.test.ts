import { describe, expect, it } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { GROWING, START } from '../../../../src/kit/emission.ts';

const { emit, markdown } = slackMarkdown;

describe('Slack Markdown', () => {
  it('leaves ordinary Markdown as it is', () => {
    const plain = [
      '# Title',
      '',
      'Words with **bold**, _italic_, ~~gone~~ and `code [x](y)`.',
      '> a quote\n> > inside',
      '- one\n  - two\n1. three\n- [ ] open\n- [x] done',
      '| a | b |\n| --- | ---: |\n| 1 | `2` |',
      '```ts\nconst a = [1](2);\n```',
      'See [the page](https://example.com/a?b=1&c=2) & more: https://example.com.',
      '---',
      '😀 字，',
    ].join('\n\n');
    expect(markdown(plain)).toBe(plain);
  });

  it.each([
    ['a mark of a source', 'So [1] it is.', 'So \\[1] it is.'],
    ['a mention', 'Hey <!here> and <@U1>', 'Hey &lt;!here&gt; and &lt;@U1&gt;'],
    ['a comparison', '1 < 2 > 0\n> quoted', '1 &lt; 2 &gt; 0\n> quoted'],
    ['an image', 'RenderContext: ![a *cat*](https://h.example/c.png "t")', 'RenderContext: a cat'],
    ['an image with no words', '![](x.png)', 'image'],
    ['an image that is a link', '[![alt](x.png)](https://h.example/)', '[alt](https://h.example/)'],
    ['a link of another scheme', '[click **me**](javascript:alert(1))', 'click **me**'],
    ['a link without words', '[](https://h.example/a)', '[h.example](https://h.example/a)'],
    [
      'a label that misleads',
      '[good.example](https://evil.example/)',
      '[good.example](https://evil.example/) (evil.example)',
    ],
    ['parentheses in an address', '[a](https://h.example/b_(c))', '[a](https://h.example/b_%28c%29)'],
    ['a definition', '[x]: https://h.example', '\\[x]: https://h.example'],
    ['a half link', '[words](https://h', '\\[words](https://h'],
    ['half a code span', 'a `b', 'a \\`b'],
    ['a code span over a line end', 'a `b\nc` d', 'a \\`b\nc\\` d'],
    ['a fence in a list', '- ```js\n  x < 1\n  ```', '-\n```js\nx &lt; 1\n```'],
    ['a fence in a quote that ends', '> ```\n> a\nb', '```\na\n```\nb'],
    ['a fence of waves', '~~~\n`````\n~~~', '`````\n    `````\n`````'],
    ['an open fence', '```\na', '```\na\n```'],
    ['a row that would part code', '| ` | [x](javascript:a) ` |', '| \\` | x \\` |'],
    [
      'an address in brackets',
      'See <https://h.example/a>.',
      'See [https://h.example/a](https://h.example/a).',
    ],
    ['a foreign scheme in brackets', 'See <javascript:alert(1)>.', 'See &lt;javascript:alert(1)&gt;.'],
    [
      'an address in a label',
      '[<https://a.example>](https://b.example/)',
      '[&lt;https://a.example&gt;](https://b.example/) (b.example)',
    ],
    ['what is no address', 'if <https://a b> c', 'if &lt;https://a b&gt; c'],
    ['entities in code', 'So `a && b &lt; c`', 'So `a &amp;&amp; b &amp;lt; c`'],
    ['entities in a fence', '```\n&amp; &copy;\n```', '```\n&amp;amp; &amp;copy;\n```'],
    ['a formula in a line', 'So \\(x^2*y*\\{1\\}\\) it is', 'So \\\\\\(x^2\\*y\\*\\\\{1\\\\}\\\\\\) it is'],
    ['a formula in brackets', '\\[x_1 = 2\\]', '\\\\\\[x\\_1 = 2\\\\\\]'],
    ['a formula over lines', '\\[\nx = 2\n\\]', '\\\\\\[\nx = 2\n\\\\\\]'],
    ['a formula between dollars', '$$a*b*\\\\c$$ and $5', '$$a\\*b\\*\\\\\\\\c$$ and $5'],
    ['words in escaped brackets', '\\[see below\\]', '\\[see below\\]'],
    ['a trailing backslash', 'a\\', 'a\\\\'],
  ])('writes %s', (_, source, shown) => {
    expect(markdown(source)).toBe(shown);
  });

  it('replaces source marks by their numbers, but not in code and links', () => {
    const numbers = new Map([[7, 1]]);
    const source = 'So [7], [8], `[7]` and [7](https://h.example/).';
    expect(markdown(source, START, { ended: true, numbers })).toBe(
      'So \\[1], \\[8], `[7]` and [7](https://h.example/).',
    );
  });

  it('shows the text before a possible opener at once, and the opener once its meaning is certain', () => {
    expect(emit('Read [the', START, GROWING).out).toBe('Read ');
    expect(emit('Read [the page](https://h.example/a', START, GROWING).out).toBe('Read ');
    expect(emit('Read [the page](https://h.example/a)', START, GROWING).out).toBe(
      'Read [the page](https://h.example/a)',
    );
    expect(emit('Read <https://h.exam', START, GROWING).out).toBe('Read ');
    expect(emit('Read <htm', START, GROWING).out).toBe('Read &lt;htm');
    expect(emit('Read [1] n', START, GROWING).out).toBe('Read \\[1] n');
    expect(emit('A paragraph without any end', START, GROWING).out).toBe('A paragraph without any end');
  });
});
