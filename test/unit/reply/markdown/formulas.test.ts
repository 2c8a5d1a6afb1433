/** Tests that formulas, paths and patterns keep each of their characters, with every renderer of an answer. */

import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { wholeText } from '../../../../adapters/slack/render/fallback.ts';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { styled } from '../../../../channels/xmpp/render/styled.ts';
import { runsOf } from '../../../../src/cli/answer/inline.ts';
import { GROWING, START } from '../../../../src/kit/emission.ts';
import { GrowingMarkdown } from '../../../../src/reply/markdown/growing.ts';
import { mend } from '../../../../src/reply/markdown/mend.ts';
import { parse } from '../../../../src/reply/markdown/parse.ts';
import { passageText } from '../../../../src/reply/markdown/passage.ts';
import { plain, plainBlocks } from '../../../../src/reply/markdown/plain.ts';

const decoded = (text: string): string =>
  text.replace(/&(lt|gt|amp|quot);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&' })[name] ?? '"');

/** Shows Markdown as a client that follows CommonMark does. */
const asClient = (markdown: string): string =>
  decoded(new MarkdownIt('default', { html: false }).render(markdown).replace(/<[^<>]*>/g, ''));

function grown(source: string): string {
  const growing = new GrowingMarkdown();
  for (let at = 0; at < source.length; at += 1) growing.write(at, source.charAt(at));
  expect(growing.finish()).toEqual(parse(source));
  return plainBlocks(growing.finish(), '\n\n');
}

const renderers: Readonly<Record<string, (source: string) => string>> = {
  'the console and the terminal': plain,
  'the console while the answer grows': grown,
  'a notification in Slack': (source) => decoded(wholeText(source, '')),
  'the passage of a source': passageText,
  'the terminal': (source) =>
    slackMarkdown
      .markdown(source)
      .replace(/```\n([^`]*)\n```/, (_, code: string) => code.replace(/[\\*_]/g, '\\$&'))
      .split('\n')
      .map((line) =>
        decoded(
          runsOf(line, '')
            .map(({ text }) => text)
            .join(''),
        ),
      )
      .join('\n'),
  XMPP: styled,
  Slack: (source) => asClient(slackMarkdown.markdown(source)),
  Teams: (source) => asClient(emitterOf('markdown').markdown(source)),
  'Teams with extended Markdown': (source) => asClient(emitterOf('extendedmarkdown').markdown(source)),
  'a half answer': (source) => plain(mend(source)),
};

const INLINE = [
  '\\(x^2\\)',
  '\\(x\\)',
  '\\(f(x)\\)',
  '\\(a_1 * b_2 * c_3\\)',
  '\\[ E = mc^2 \\]',
  '\\[x_i = \\{1, 2\\}\\]',
  '$x_1 + y_1$',
  '$2^{10}$',
  '$a*b*c$',
  '$\\{x\\}$',
  '$$\\sum_{i=1}^n x_i * y_i$$',
  '\\frac{a}{b}\\_c',
  '\\alpha\\,\\beta',
  'C:\\Users\\_ada\\*.txt',
  'C:\\.git\\config',
  '\\\\server\\share\\_x',
  '\\d+\\.\\d+\\*',
  '^\\s*\\[x\\]\\.',
  '`\\(x\\) \\* C:\\_x`',
];

const BLOCKS = [
  '\\[\nx_1 = \\{a * b\\} \\\\\n+ c * d\n- 1\n\\]',
  '\\[ a_1 = b \\\\\n= c_1\n\\]',
  '$$\na * b * c \\\\\n1. x\n$$',
  '\\begin{align}\na &= b * c * d \\\\\nx_1 &= y_1\n\\end{align}',
  '```\n\\(x\\) \\* \\_ C:\\_x\n```',
];

const bare = (text: string): string => text.replace(/[\s`\u200b]+/g, '');

describe.each(Object.entries(renderers))('%s', (_, render) => {
  test.each(INLINE)('keeps %s', (source) => {
    const shown = source.replaceAll('`', '');
    expect(bare(render(`Words ${source} and more.`))).toBe(bare(`Words ${shown} and more.`));
  });

  test.each(BLOCKS)('keeps the lines of %j', (source) => {
    const shown = source.replaceAll('```', '');
    expect(bare(render(`So:\n${source}\n\nEnd.`))).toBe(bare(`So:${shown}End.`));
  });

  test.each([
    ['2 \\* 3 and \\_x\\_', '2 * 3 and _x_'],
    ['snake\\_case\\_name', 'snake_case_name'],
    ['C:\\\\Users\\\\ada', 'C:\\Users\\ada'],
    ['\\[see below\\]', '[see below]'],
    ['report \\(final\\).pdf', 'report (final).pdf'],
    ['$5 and $10', '$5 and $10'],
    ['$HOME_DIR/$PATH_X', '$HOME_DIR/$PATH_X'],
  ])('still reads %s as Markdown', (source, shown) => {
    expect(bare(render(`Words ${source} end`))).toBe(bare(`Words ${shown} end`));
  });
});

test.each([
  ...INLINE,
  ...BLOCKS,
  '\\(half',
  '\\[\nhalf_a_b',
  '$half_a',
  '\\d\\.',
])('a stream only appends to %j', (source) => {
  for (const emitter of [slackMarkdown, emitterOf('markdown'), emitterOf('extendedmarkdown')]) {
    const text = `So ${source}, and ${source}\n${source}\n\nend`;
    const whole = emitter.markdown(text);
    let before = '';
    for (let to = 0; to <= text.length; to += 1) {
      const { out } = emitter.emit(text.slice(0, to), START, GROWING);
      expect(out.startsWith(before)).toBe(true);
      before = out;
    }
    expect(whole.startsWith(before)).toBe(true);
  }
});
