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
    expect(shownLines(sent('A\nB\nC', { textFormat }), textFormat)).toBe('A\nB\nC');
    expect(shownLines('A\nB\nC', textFormat)).toBe('A B C');
  });

  it('are kept in plain text that looks like code', () => {
    expect(sent('```\nA\nB', { textFormat: 'plain' })).toBe('```  \nA  \nB');
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
