import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, plainPreparation, prepare } from '../../../sandbox/knowledge/chunk.ts';
import { readMarkdown } from '../../../sandbox/knowledge/read.ts';
import { cleanName } from '../../../sandbox/workspaces/upload.ts';

const cutting = fc
  .record({ maxLength: fc.integer({ min: 2, max: 80 }), share: fc.double({ min: 0, max: 0.9, noNaN: true }) })
  .map(({ maxLength, share }) => ({ maxLength, overlap: Math.floor((maxLength - 1) * share) }));
const text = fc.string({ unit: 'grapheme', maxLength: 600 });

it('cuts any text into complete pieces that are never too long and never split a character', () => {
  fc.assert(
    fc.property(text, cutting, (whole, how) => {
      const pieces = cutText(whole, how);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(how.maxLength);
        if (whole.isWellFormed() && how.maxLength > 2) expect(piece.isWellFormed()).toBe(true);
      }
      // Without overlap, the pieces contain the whole text, except for white space between them.
      const plain = cutText(whole, { ...how, overlap: 0 }).join('');
      expect(plain.replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
    }),
  );
});

it('cuts at the end of a paragraph, a sentence or a word, and never inside a number', () => {
  const how = { maxLength: 20, overlap: 0 };
  expect(cutText('Pi is 3.14159 and e is 2.71828 or so.', how)).toEqual([
    'Pi is 3.14159 and e',
    'is 2.71828 or so.',
  ]);
  expect(cutText('One two three. Four five six.', how)).toEqual(['One two three.', 'Four five six.']);
  expect(cutText('One two three\n\nfour. Five six', how)).toEqual(['One two three', 'four. Five six']);
  expect(cutText('每周远程办公不得超过三天。其余时间应在办公室。', how)).toEqual([
    '每周远程办公不得超过三天。其余时间应在办',
    '公室。',
  ]);
});

describe('a prepared document', () => {
  const of = (markdown: string, preparation = plainPreparation) =>
    prepare(readMarkdown(markdown), 'T', new Map(), preparation).passages.map(({ text }) => text);
  const lines = (count: number, line: (nth: number) => string) =>
    Array.from({ length: count }, (_, nth) => line(nth)).join('\n');

  it('has no chunk above the limit for any kind of block (LIM-8)', () => {
    const block = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 3000 }),
      fc.nat(400).map((count) => lines(count, (nth) => `- item ${nth}`)),
      fc.nat(200).map((count) => lines(count, (nth) => `| ${nth} | cell |`)),
      fc.nat(200).map((count) => `\`\`\`js\n${lines(count, (nth) => `line(${nth})`)}\n\`\`\``),
      fc.nat(4000).map((count) => 'w'.repeat(count)),
    );
    const cutting = fc.record({
      maxLength: fc.integer({ min: 8, max: 1500 }),
      share: fc.double({ min: 0, max: 0.5, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), cutting, (blocks, { maxLength, share }) => {
        const markdown = blocks.join('\n\n');
        for (const text of of(markdown)) expect(text.length).toBeLessThanOrEqual(1024);
        const own = { cutting: { maxLength, overlap: Math.floor(maxLength * share) }, enabled: true };
        for (const text of of(markdown, own)) expect(text.length).toBeLessThanOrEqual(maxLength);
      }),
      { numRuns: 50 },
    );
  });

  it('repeats the head of a table and the fence of code in each chunk, and loses no line', () => {
    const table = of(`| n | square |\n|---|---|\n${lines(200, (nth) => `| ${nth} | ${nth * nth} |`)}`);
    expect(table.length).toBeGreaterThan(2);
    for (const piece of table) expect(piece).toMatch(/^\| n \| square \|\n\|---\|---\|\n\| \d/);
    for (let nth = 0; nth < 200; nth += 1) expect(table.join('\n')).toContain(`| ${nth} | ${nth * nth} |`);
    const code = of(`\`\`\`js\n${lines(400, (nth) => `line(${nth});`)}\n\`\`\``);
    expect(code.length).toBeGreaterThan(3);
    for (const piece of code) expect(piece).toMatch(/^```js\nline\(\d+\);\n[^`]*\n```$/);
    for (let nth = 0; nth < 400; nth += 1) expect(code.join('\n')).toContain(`line(${nth});`);
  });

  it('is refused if it has too many chunks', () => {
    const one = { cutting: { maxLength: 1, overlap: 0 }, enabled: true };
    expect(() => of('x'.repeat(20_001), one)).toThrow('more than 20000 chunks');
  });
});

it('turns any name into a clean name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const clean = cleanName(name);
      expect(clean).not.toBe('');
      expect(clean.length).toBeLessThanOrEqual(220);
      expect(clean).not.toMatch(/[\\/\p{Cc}\p{Cf}]/u);
      expect(clean.isWellFormed()).toBe(true);
    }),
  );
});
