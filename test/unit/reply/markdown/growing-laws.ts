/** The laws of an emitter: text that a channel only appends to, and that never contains anything active. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Emitter, ENDED, GROWING, START, type StreamState } from '../../../../src/kit/emission.ts';
import { addressesIn, examples, naughty } from './hostile.ts';
import { cut } from './texts.ts';

const RUNS = { numRuns: 3_000 };

const corpora: readonly (readonly [string, readonly string[]])[] = [
  ['naughty strings', naughty],
  ['examples of CommonMark', examples.map((example) => example.markdown)],
];

/** Returns the text of a stream that receives these pieces and stores its state after each piece. */
function streamed({ emit, closing }: Emitter, given: readonly string[]): string {
  let source = '';
  let shown = '';
  let state: StreamState = START;
  for (const piece of given) {
    source += piece;
    const more = emit(source, JSON.parse(JSON.stringify(state)), GROWING);
    shown += more.out;
    state = more.state;
  }
  const rest = emit(source, state, ENDED);
  return shown + rest.out + closing(rest.state);
}

/** @param checkInactive fails if the channel would treat a part of the text as more than text */
export function checkGrowth(
  emitter: Emitter,
  texts: fc.Arbitrary<string>,
  checkInactive: (text: string) => void,
): void {
  const { emit, markdown } = emitter;
  const expectSafe = (text: string): void => {
    checkInactive(text);
    const { links, images } = addressesIn(text);
    expect(images).toEqual([]);
    expect(links.filter((link) => !/^(?:https?:\/\/|mailto:)/.test(link))).toEqual([]);
  };

  it('is the same for any division into pieces, and only grows', () => {
    const law = fc.property(cut(texts), (given) => {
      const whole = given.join('');
      expect(streamed(emitter, given)).toBe(markdown(whole));
      for (let at = 0, text = ''; at < given.length; at++) {
        text += given[at];
        expect(markdown(whole).startsWith(emit(text, START, GROWING).out)).toBe(true);
      }
    });
    fc.assert(law, RUNS);
  });

  it('S02, S03, S04: never contains an active mention, a foreign image or another scheme, wherever it is cut', () => {
    const law = fc.property(texts, fc.nat(400), (text, at) => {
      expectSafe(markdown(text));
      expectSafe(emit(text.slice(0, at), START, GROWING).out);
    });
    fc.assert(law, RUNS);
  });

  it.each(corpora)('contains nothing active of %s, cut at every place', (_, all) => {
    for (const text of all) {
      expectSafe(markdown(text));
      for (let at = 0; at < text.length; at += Math.max(1, text.length >> 5))
        expectSafe(emit(text.slice(0, at), START, GROWING).out);
    }
  });
}

/** For an emitter that shows tables as text, and so does not hold back the beginning of a table. */
export function checkHolding({ emit }: Emitter, texts: fc.Arbitrary<string>): void {
  it('holds back little text, and never beyond the end of a line', () => {
    const law = fc.property(cut(texts), (given) => {
      let source = '';
      let state: StreamState = START;
      for (const piece of given) {
        source += piece;
        state = emit(source, state, GROWING).state;
        const held = source.slice(state.at);
        expect(held.length).toBeLessThanOrEqual(1_024);
        expect(held.replace(/\r?$/, '')).not.toMatch(/[\r\n]./s);
      }
    });
    fc.assert(law, RUNS);
  });
}
