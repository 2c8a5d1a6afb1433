import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGrowingMarkdown } from '../../../src/render/growing.ts';
import { parse } from '../../../src/render/parse.ts';
import { cutText, examples, markdown, seed } from './texts.ts';

const runs = { numRuns: Number(process.env.RUNS ?? 1_500), seed };

describe(`growing text (seed ${seed})`, () => {
  test('gives at every cut what parsing the whole gives', () => {
    fc.assert(
      fc.property(cutText, (pieces) => {
        const growing = createGrowingMarkdown();
        let text = '';
        for (const piece of pieces) {
          growing.write(text.length, piece);
          text += piece;
          expect(growing.finish()).toEqual(parse(text));
        }
      }),
      runs,
    );
  });

  test('gives at the end what parsing the whole gives, whatever came between', () => {
    fc.assert(
      fc.property(cutText, (pieces) => {
        const growing = createGrowingMarkdown();
        for (const piece of pieces) growing.write(Number.MAX_SAFE_INTEGER, piece);
        expect(growing.finish()).toEqual(parse(pieces.join('')));
      }),
      runs,
    );
  });

  test('follows texts that are rewritten anywhere', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(markdown, fc.nat(200)), { maxLength: 8 }), (writes) => {
        const growing = createGrowingMarkdown();
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
        const growing = createGrowingMarkdown();
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
      const growing = createGrowingMarkdown();
      for (const [at, char] of [...text.split('')].entries()) {
        growing.write(at, char);
        expect(growing.finish()).toEqual(parse(text.slice(0, at + 1)));
      }
    }
  });
});
