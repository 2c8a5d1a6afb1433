import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withLineBreaks } from '../../../../adapters/teams/api/line-breaks.ts';
import { shownLines } from '../../../fakes/teams/visible/lines.ts';

const sent = (text: string, more: object = {}) =>
  String(withLineBreaks({ type: 'message', text, ...more }).text);

describe('single line breaks', () => {
  it.each([
    ['A\nB\nC', 'A  \nB  \nC'],
    ['A\r\nB', 'A  \nB'],
    ['A\n\nB', 'A\n\nB'],
    ['A\n', 'A\n'],
    ['A  \nB', 'A  \nB'],
    ['A\\\nB', 'A\\\nB'],
    ['A\\\\\nB', 'A\\\\  \nB'],
    ['**Head**\ntext', '**Head**  \ntext'],
    ['> a\n> b', '> a  \n> b'],
    ['- a\n- b', '- a  \n- b'],
    ['```js\na\n\nb\n```\nC\nD', '```js\na\n\nb\n```\nC  \nD'],
    ['````\n```\na\n````\nC\nD', '````\n```\na\n````\nC  \nD'],
    ['| a |\n|---|\n| 1 |', '| a |\n|---|\n| 1 |'],
  ])('%j becomes %j', (text, expected) => {
    expect(sent(text)).toBe(expected);
    expect(sent(sent(text))).toBe(expected);
  });

  it.each(['plain', 'markdown', 'extendedmarkdown'])('stay visible in %s', (textFormat) => {
    const shown = shownLines(sent('A\nB\nC', { textFormat }), textFormat);
    expect(shown.split(/\n+/)).toEqual(['A', 'B', 'C']);
    expect(shownLines('A\nB\nC', textFormat)).toBe('A B C');
  });

  it.each([
    ['```\nA\nB', '```\n\nA\n\nB'],
    ['A\r\nB\n\n\nC\n', 'A\n\nB\n\nC\n'],
  ])('of plain text %j become blank lines', (text, expected) => {
    expect(sent(text, { textFormat: 'plain' })).toBe(expected);
    expect(sent(expected, { textFormat: 'plain' })).toBe(expected);
  });

  it('leave other activities as they are', () => {
    const card = { type: 'message', attachments: [{ content: { text: 'A\nB' } }] };
    expect(withLineBreaks(card)).toEqual(card);
  });
});

it('a stream’s text only grows', () => {
  const piece = fc.constantFrom('a', ' ', '  ', '\n', '\n\n', '\\', '```', '|', '- ', '> ', '#');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const whole = pieces.join('');
      const last = sent(whole);
      for (let length = 0; length <= whole.length; length++) {
        const earlier = sent(whole.slice(0, length), { type: 'typing' });
        // The emitter writes the marks of a block of code in one piece.
        if (!/`$/.test(earlier) || /```$/.test(earlier)) expect(last.startsWith(earlier)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
