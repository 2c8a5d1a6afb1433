/** Tests the HTML of each Markdown construct that a passage may contain. */

import { describe, expect, it, test } from 'vitest';
import { passageHtml } from '../../../src/web/passage-html.ts';

describe('a passage', () => {
  it.each([
    ['One line\ntwo', '<p>One line two</p>'],
    ['One line  \ntwo', '<p>One line<br>two</p>'],
    ['a\n\nb', '<p>a</p><p>b</p>'],
    ['# A *b*', '<p class="heading">A <em>b</em></p>'],
    ['**a** ~~b~~ `c < d`', '<p><strong>a</strong> <del>b</del> <code>c &lt; d</code></p>'],
    ['[a **b**](https://h.example/)', '<p>a <strong>b</strong></p>'],
    ['![a plan](https://h.example/p.png)', '<p><span class="image">a plan</span></p>'],
    ['> a\n> > b', '<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>'],
    ['- a\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
    ['3. a\n4. b', '<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol>'],
    ['- [ ] a\n- [x] b', '<ul><li>☐ <p>a</p></li><li>☑ <p>b</p></li></ul>'],
    ['```js\na < b\n```', '<pre tabindex="0"><code>a &lt; b</code></pre>'],
    ['a\n\n---\n\nb', '<p>a</p><hr><p>b</p>'],
    [
      '| a | b |\n| - | - |\n| 1 | **2** |\n| 3 | 4 |',
      '<div class="wide" role="group" aria-label="Table" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr><tr><td>3</td><td>4</td></tr></tbody></table></div>',
    ],
    [
      '|  | |\n| - | - |\n| 1 | 2 |',
      '<div class="wide" role="group" aria-label="Table" tabindex="0"><table><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
    ],
    [
      '|  | b |\n| - | - |\n| 1 | 2 |',
      '<div class="wide" role="group" aria-label="Table" tabindex="0"><table><thead><tr><th scope="col"></th><th scope="col">b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
    ],
    [
      '| &nbsp; | |\n| - | - |\n| 1 | 2 |',
      '<div class="wide" role="group" aria-label="Table" tabindex="0"><table><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
    ],
    ['', ''],
  ])('%j is %j', (text, shown) => {
    expect(passageHtml(text).text).toBe(shown);
  });
});

test('a table is plain text if it would have more than 2,000 cells', () => {
  /** Returns a table. Each line has `width` cells, and the last of them is the empty one after the last `|`. */
  const table = (width: number, lines: number) => {
    const line = (cell: string) => `${cell}|`.repeat(width - 1);
    return [line('a'), line('-'), ...Array.from({ length: lines - 2 }, () => line('b'))].join('\n');
  };
  const isPlain = (text: string) => passageHtml(text).text.startsWith('<p class="plain">');
  expect(isPlain(table(40, 50))).toBe(false);
  expect(isPlain(table(40, 51))).toBe(true);
  expect(isPlain(`${'no bar\n'.repeat(500)}\n${table(40, 50)}`)).toBe(false);
  expect(isPlain(`${table(40, 50)}\n${'a|'.repeat(40)}`)).toBe(true);
});
