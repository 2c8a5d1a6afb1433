import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emitterOf, type TextFormat } from '../../../../adapters/teams/render/emit.ts';
import { type Emitter, ENDED, GROWING, START, type StreamState } from '../../../../src/kit/emission.ts';
import { addressesIn, anything, examples, naughty } from '../../reply/markdown/hostile.ts';

const RUNS = 3_000;
const formats: readonly TextFormat[] = ['markdown', 'extendedmarkdown'];

const tabular = fc
  .array(
    fc.constantFrom(
      '| a | b |',
      'a | b',
      '\n| - | - |',
      '\n--- | ---',
      '\n',
      '\n\n',
      '\n| 1 | [x](https://h.example/) |',
      '> | q |',
      '# ',
      '## **Bold** words ##',
      '===',
      '---',
      '- ',
      '\n```\n',
      '`',
      '<at>x</at>',
      'word',
      ' ',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const texts = fc.oneof(
  anything,
  tabular,
  fc.tuple(tabular, anything).map((both) => both.join('\n')),
);

const cut: fc.Arbitrary<readonly string[]> = texts.chain((text) =>
  fc.uniqueArray(fc.nat({ max: text.length }), { maxLength: 30 }).map((places) => {
    const cuts = [0, ...places.sort((left, right) => left - right), text.length];
    return cuts.slice(1).map((end, at) => text.slice(cuts[at], end));
  }),
);

/** Returns the text of a stream that receives these pieces and stores its state after each piece. */
function streamed({ emit, closing }: Emitter, pieces: readonly string[]): string {
  let source = '';
  let shown = '';
  let state: StreamState = START;
  for (const piece of pieces) {
    source += piece;
    const more = emit(source, JSON.parse(JSON.stringify(state)), GROWING);
    shown += more.out;
    state = more.state;
  }
  const rest = emit(source, state, ENDED);
  return shown + rest.out + closing(rest.state);
}

function expectSafe(text: string, format: TextFormat): void {
  if (format === 'markdown') expect(text).not.toContain('<');
  expect(text).not.toMatch(/<\/?at/i);
  const { links, images } = addressesIn(text);
  expect(images).toEqual([]);
  expect(links.filter((link) => !/^(?:https?:\/\/|mailto:)/.test(link))).toEqual([]);
}

describe.each(formats)('a stream in %s', (format) => {
  const emitter = emitterOf(format);
  const { emit, markdown } = emitter;

  it('only grows, and ends the same for any pieces of the source', () => {
    fc.assert(
      fc.property(cut, (pieces) => {
        const whole = pieces.join('');
        expect(streamed(emitter, pieces)).toBe(markdown(whole));
        for (let at = 0, text = ''; at < pieces.length; at++) {
          text += pieces[at];
          expect(markdown(whole).startsWith(emit(text, START, GROWING).out)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('S02, S03, S04: contains no active mention, foreign image or unsafe scheme at any cut', () => {
    fc.assert(
      fc.property(texts, fc.nat(400), (text, at) => {
        expectSafe(markdown(text), format);
        expectSafe(emit(text.slice(0, at), START, GROWING).out, format);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['naughty strings', naughty],
    ['examples of CommonMark', examples.map((example) => example.markdown)],
  ])('contains no active %s at any cut', (_, all) => {
    for (const text of all) {
      expectSafe(markdown(text), format);
      for (let at = 0; at < text.length; at += Math.max(1, text.length >> 5)) {
        expectSafe(emit(text.slice(0, at), START, GROWING).out, format);
      }
    }
  });
});
