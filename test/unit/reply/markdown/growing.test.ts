import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GrowingMarkdown } from '../../../../src/reply/markdown/growing.ts';
import { parse } from '../../../../src/reply/markdown/parse.ts';
import { cpuSeconds, cutText, examples, markdown, partedText, seed } from './texts.ts';

const runs = { numRuns: Number(process.env.RUNS ?? 500), seed };

describe(`growing text (seed ${seed})`, () => {
  test('equals a full parse at every cut', () => {
    fc.assert(
      fc.property(cutText, (pieces) => {
        const growing = new GrowingMarkdown();
        let text = '';
        for (const piece of pieces) {
          const shown = growing.write(text.length, piece);
          text += piece;
          expect(shown).toEqual(parse(text));
        }
      }),
      runs,
    );
  });

  test('resumes inside lists and tables', () => {
    fc.assert(
      fc.property(partedText, fc.integer({ min: 1, max: 9 }), (text, step) => {
        const growing = new GrowingMarkdown();
        for (let at = 0; at < text.length; at += step) {
          const shown = growing.write(at, text.slice(at, at + step));
          expect(shown).toEqual(parse(text.slice(0, at + step)));
        }
      }),
      runs,
    );
  });

  test('equals a full parse at the end, whatever came between', () => {
    fc.assert(
      fc.property(cutText, (pieces) => {
        const growing = new GrowingMarkdown();
        for (const piece of pieces) growing.write(Number.MAX_SAFE_INTEGER, piece);
        expect(growing.finish()).toEqual(parse(pieces.join('')));
      }),
      runs,
    );
  });

  test('follows rewrites anywhere', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(markdown, fc.nat(200)), { maxLength: 8 }), (writes) => {
        const growing = new GrowingMarkdown();
        let text = '';
        for (const [piece, back] of writes) {
          const at = Math.max(0, text.length - back);
          text = text.slice(0, at) + piece;
          growing.write(at, piece);
          if (back % 2 === 0) expect(growing.finish()).toEqual(parse(text));
        }
        expect(growing.finish()).toEqual(parse(text));
      }),
      runs,
    );
  });

  test('finds by itself where a text changed', () => {
    fc.assert(
      fc.property(fc.array(markdown, { maxLength: 5 }), (texts) => {
        const growing = new GrowingMarkdown();
        for (const text of texts) {
          growing.update(text);
          growing.update(`${text}${text}`);
          growing.update(text);
          expect(growing.finish()).toEqual(parse(text));
        }
      }),
      runs,
    );
  });

  test('reads every example of the specification letter by letter', () => {
    for (const { markdown: text } of examples) {
      const growing = new GrowingMarkdown();
      for (const [at, char] of [...text.split('')].entries()) {
        expect(growing.write(at, char)).toEqual(parse(text.slice(0, at + 1)));
      }
    }
  });

  test('keeps the object of every unchanged block', () => {
    const growing = new GrowingMarkdown();
    const first = growing.write(0, '# a\n\nb **c**\n\n- d\n- e');
    const second = growing.write(22, ' f\n\n```\ng');
    expect(second.slice(0, 2).every((block, at) => block === first[at])).toBe(true);
    expect(second[2]).not.toBe(first[2]);
    const text = '# a\n\nb **c**\n\n- d\n- e f\n\n> h';
    const third = growing.update(text);
    expect(third.slice(0, 3).every((block, at) => block === second[at])).toBe(true);
    expect(third).toEqual(parse(text));
  });

  test('keeps the lines of a long code fence apart', () => {
    const text = `\`\`\`ts\n${'const a = [1];\n'.repeat(2_000)}`;
    const growing = new GrowingMarkdown();
    for (let at = 0; at < text.length; at += 7) {
      const [block] = growing.write(at, text.slice(at, at + 7));
      if (at > 7) expect(block).toMatchObject({ kind: 'code' });
      const shown = block?.kind === 'code' ? block.text : '';
      expect(at <= 7 || text.slice(6, at + 7).startsWith(shown)).toBe(true);
    }
  });

  test('turns marks into links in settled blocks, and back when the definition is removed', () => {
    const growing = new GrowingMarkdown();
    const text = 'a [b] c\n\nd\n\ne\n\n';
    growing.update(text);
    expect(growing.update(`${text}[b]: /f\n\ng`)[0]).toMatchObject({
      children: [{}, { destination: '/f' }, {}],
    });
    expect(growing.update(`${text}g`)).toEqual(parse(`${text}g`));
  });

  test.each([
    ['paragraph', 'A **call** takes `leave` [first](https://h.example). '],
    ['table', '| a | b |\n| - | - |\n'.padEnd(24) + '| **1** | `2` |\n'.repeat(12)],
    ['list', '- **a** `b`\n  - c *d*\n\n'],
    ['quote', '> **a** `b` [c](/d)\n'],
    ['definitions', '[a] [b] [c]\n\n[a]: /a "t"\n'],
  ])('costs no more than a few parses for a long %s, and shows all text', (_, piece) => {
    const text = piece.repeat(Math.ceil(120_000 / piece.length));
    const growing = new GrowingMarkdown();
    const parsing = cpuSeconds(() => parse(text));
    const seconds = cpuSeconds(() => {
      for (let at = 0; at < text.length; at += 20) {
        const shown = growing.write(at, text.slice(at, at + 20));
        if (at % 30_000 === 0) expect(shown.at(-1)?.to).toBeGreaterThan(at - 100);
      }
    });
    expect(growing.finish()).toEqual(parse(text));
    expect([seconds, seconds < 40 * parsing + 0.5]).toEqual([seconds, true]);
  });
});

test.each([
  '> [foo]: /url\n"one\n',
  '- [foo]: /url\n"one\n',
  '[foo]: /url "one\n===\ntwo\n',
  '[foo]: /url "one\n===\ntwo\n===\nthree\n',
])('the definition in %j takes a title that ends later', (begin) => {
  const growing = new GrowingMarkdown();
  for (const [at, piece] of [
    [0, begin],
    [begin.length, 'two"'],
  ] as const)
    expect(growing.write(at, piece)).toEqual(parse((begin + piece).slice(0, at + piece.length)));
});

test('definitions are dropped when the text before them is rewritten', () => {
  const defined = '[foo](not a link)\n\n[foo]: /url1\n    indented code\n\nparagraph\n';
  const growing = new GrowingMarkdown();
  for (const text of [defined, `${defined}\n[foo][ref[]\n`, '[foo][ref[]\n', defined]) {
    growing.update(text);
    expect(growing.finish()).toEqual(parse(text));
  }
});
