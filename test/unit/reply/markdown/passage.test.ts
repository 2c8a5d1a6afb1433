import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passageBlocks, passageText } from '../../../../src/reply/markdown/passage.ts';
import { plain } from '../../../../src/reply/markdown/plain.ts';

describe('the readable passage of a source', () => {
  test.each([
    ['an image by its words', 'See ![diagram](700001) here.', 'See diagram here.'],
    ['an image without words', 'See ![](700001) here.', 'See image here.'],
    ['an image whose words are its id', '![700001](700001)', 'image'],
    ['an image whose words are the name of its id', '![file_id:700001](/media/file_id:700001)', 'image'],
    ['an image of HTML', 'a <img class="x" src="700001" alt="the pump"> b', 'a the pump b'],
    ['an image of HTML without words', 'a <IMG src=700001/> b', 'a image b'],
    ['a link whose words are its id', 'Open [700001](700001).', 'Open image.'],
    ['a passage that is only an id', ' 700001\n', 'image'],
    ['the end of an image that was cut', 'gram](700001) and then', 'gram and then'],
    ['the beginning of an image that was cut', 'Look: ![diagram](7000', 'Look:'],
    ['a fence that was cut', '```js\nlet a;', 'let a;'],
    ['marks', '## Head\n\n**bold** and `code`', 'Head\n\nbold and code'],
  ])('for %s', (_, written, read) => {
    expect(passageText(written)).toBe(read);
  });

  test('shows a table row by row, without bars', () => {
    const table = '| Model | Price |\n|---|---|\n| X 100 | 120 |\n| X 200 | |';
    expect(passageText(table)).toBe('Model · Price\nX 100 · 120\nX 200 · –');
  });

  test('shows a table that was cut off from its head', () => {
    const rows = 'X 100 · 120\nX 200 · 150';
    expect(passageText('| X 100 | 120 |\n| X 200 | 150 |')).toBe(rows);
    expect(passageText('\n|---|---|\n| X 100 | 120 |\n| X 200 | 150 |\n\nAnd so on.')).toBe(
      `${rows}\n\nAnd so on.`,
    );
  });

  test('keeps numbers that a document contains, and code', () => {
    for (const said of ['2024', '12345', 'Part number 700001 fits.', '700001\n\nis the part number'])
      expect(passageText(said)).toBe(said);
    expect(passageText('`![a](700001)`')).toBe('![a](700001)');
  });

  test('has the same content as blocks', () => {
    expect(passageBlocks('![a](700001) [b](700001) [700001](700001)')).toMatchObject([
      {
        kind: 'paragraph',
        children: [{ kind: 'image', alt: 'a' }, {}, { kind: 'link' }, {}, { text: 'image' }],
      },
    ]);
  });

  test('shows no image id wherever the passage is cut', () => {
    const words = fc.constantFrom(
      'text ',
      '![diagram](700001)',
      '[plan](700001)',
      '\n\n',
      '| a | b |\n',
      '- ',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), fc.nat(), fc.nat(), (parts, from, length) => {
        const whole = parts.join('');
        // Skips cuts that start or end at or inside an image's id. At such an end, only digits of the id are left, and
        // the renderer cannot tell them from an ordinary number.
        const cut = whole.slice(from % (whole.length + 1)).slice(0, length % (whole.length + 1));
        fc.pre(!/^\(?\d|\(\d+$/.test(cut) || cut.length === 0);
        expect(passageText(cut)).not.toContain('700001');
      }),
    );
  });
});

test('names an image without words in plain text', () => {
  expect(plain('![](700001) ![a](1)')).toBe('image a');
});
