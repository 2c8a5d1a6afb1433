/** Tests that an exported text contains no HTML for a reader of Markdown (npm markdown-it), and keeps its code. */

import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { expect, it } from 'vitest';
import { withoutHtml } from '../../../adapters/console/chat/export.ts';

const reader = new MarkdownIt({ html: true });
const SEED = Number(process.env.PARLEY_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Returns the kinds of all parts of the text. */
function kindsIn(markdown: string): readonly string[] {
  return reader
    .parse(markdown, {})
    .flatMap(({ type, children }) => [type, ...(children ?? []).map((one) => one.type)]);
}

it('contains no HTML, whatever backticks, fences, tables and lists surround it', () => {
  const piece = fc.constantFrom(
    ...[
      '<b>',
      '<img src=x onerror=a()>',
      '<!-- c -->',
      '<div>',
      '</div>',
      '<x',
      '`',
      '``',
      '```',
      '~~~',
      '\\',
      '|',
    ],
    ...[
      '\n',
      '\n\n',
      '\r',
      ' ',
      '   ',
      '- ',
      '> ',
      '1. ',
      '\n```\n',
      '\n~~~\n',
      '\n    ',
      '\n|-|-|\n',
      'a',
      '[1]',
      '[a](<',
      '[a](',
      '[a]: ',
      '>)',
      ')',
      '"',
      "'",
    ],
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (markdown) => {
      const kinds = kindsIn(withoutHtml(markdown, []));
      expect(kinds).not.toContain('html_block');
      expect(kinds).not.toContain('html_inline');
    }),
    { seed: SEED, numRuns: 20_000 },
  );
});

it.each([
  ['`a<b>` and <i>', '`a<b>` and \\<i>'],
  ['```html\n<b>\n```\n<b>', '```html\n<b>\n```\n\\<b>'],
  ['~~~\n<b>', '~~~\n<b>\n~~~'],
  ['\\<b> \\\\<b>', '\\<b> \\\\\\<b>'],
  ['[a](<``>)<b>``', '[a]\\(\\<``>)<b>``'],
  ['[a](\n``)<b>``', '[a]\\(\n``)<b>``'],
  ['[a](/b_(c) "d") <b>', '[a](/b_(c) "d") \\<b>'],
  ['a [2] and `[2]` and [2](x)', 'a [1] and `[2]` and [2](x)'],
])('%j is exported as %j', (markdown, exported) => {
  const sources = [{ key: 'k', number: 1, mark: 2, title: 't', kind: 'document', fragments: [] } as const];
  expect(withoutHtml(markdown, sources)).toBe(exported);
});
