import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { ENDED, GROWING, START, type StreamState } from '../../../../src/kit/emission.ts';
import { addressesIn, anything, examples, naughty, rawBrackets } from '../../reply/markdown/hostile.ts';

const { closing, emit, markdown } = slackMarkdown;

const RUNS = 3_000;

const cut: fc.Arbitrary<readonly string[]> = anything.chain((text) =>
  fc.uniqueArray(fc.nat({ max: text.length }), { maxLength: 30 }).map((places) => {
    const cuts = [0, ...places.sort((left, right) => left - right), text.length];
    return cuts.slice(1).map((end, at) => text.slice(cuts[at], end));
  }),
);

/**
 * Returns the text that a stream shows if the answer arrives in these pieces. `longestHold` is the maximum number of
 * characters that the stream held back at the end of the text so far.
 */
function streamed(pieces: readonly string[]): { shown: string; longestHold: number } {
  let source = '';
  let shown = '';
  let state: StreamState = START;
  let longestHold = 0;
  for (const piece of pieces) {
    source += piece;
    const more = emit(source, JSON.parse(JSON.stringify(state)), GROWING);
    shown += more.out;
    state = more.state;
    longestHold = Math.max(longestHold, source.length - state.at);
  }
  const rest = emit(source, state, ENDED);
  return { shown: shown + rest.out + closing(rest.state), longestHold };
}

function expectSafe(text: string): void {
  expect(rawBrackets(text)).toEqual([]);
  const { links, images } = addressesIn(text);
  expect(images).toEqual([]);
  expect(links.filter((link) => !/^(?:https?:\/\/|mailto:)/.test(link))).toEqual([]);
}

describe('the text of a stream', () => {
  it('is the same for any division into pieces, and only grows', () => {
    fc.assert(
      fc.property(cut, (pieces) => {
        const whole = pieces.join('');
        expect(streamed(pieces).shown).toBe(markdown(whole));
        for (let at = 0, text = ''; at < pieces.length; at++) {
          text += pieces[at];
          expect(markdown(whole).startsWith(emit(text, START, GROWING).out)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('S02, S03, S04: never contains an active mention, a foreign image or another scheme, wherever it is cut', () => {
    fc.assert(
      fc.property(anything, fc.nat(400), (text, at) => {
        expectSafe(markdown(text));
        expectSafe(emit(text.slice(0, at), START, GROWING).out);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['naughty strings', naughty],
    ['examples of CommonMark', examples.map((example) => example.markdown)],
  ])('contains nothing active of %s, cut at every place', (_, texts) => {
    for (const text of texts) {
      expectSafe(markdown(text));
      for (let at = 0; at < text.length; at += Math.max(1, text.length >> 5)) {
        expectSafe(emit(text.slice(0, at), START, GROWING).out);
      }
    }
  });

  it('holds back little text, and never beyond the end of a line', () => {
    fc.assert(
      fc.property(cut, (pieces) => {
        let source = '';
        let state: StreamState = START;
        for (const piece of pieces) {
          source += piece;
          state = emit(source, state, GROWING).state;
          const held = source.slice(state.at);
          expect(held.length).toBeLessThanOrEqual(1_024);
          expect(held.replace(/\r?$/, '')).not.toMatch(/[\r\n]./s);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
