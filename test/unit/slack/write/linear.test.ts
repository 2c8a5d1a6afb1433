import { expect, it } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { Extent, PART_CHARS, STREAM_BYTES } from '../../../../adapters/slack/write/extent.ts';
import { GROWING, START, type StreamState } from '../../../../src/kit/emission.ts';
import { blank } from '../../reply/markdown/documents.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';

const { emit } = slackMarkdown;

/**
 * Returns how often each character is read on average. It can be more than once, because held-back text is read again
 * with each new piece.
 */
function work(text: string, step: number): number {
  let state: StreamState = START;
  let looked = 0;
  for (let to = step; to <= text.length; to += step) {
    looked += to - state.at;
    state = emit(text.slice(0, to), state, GROWING).state;
  }
  return looked / text.length;
}

it.each([
  ['an answer', plausibleText(64_000)],
  ['one endless line', 'word '.repeat(12_800)],
])('reads each character of %s about once, for any length', (_, text) => {
  for (const step of [7, 50]) {
    const [short, long] = [work(text.slice(0, 8_000), step), work(text, step)];
    expect(long).toBeLessThan(12);
    expect(long / short).toBeLessThan(1.5);
  }
});

it.each([
  ['brackets', '['.repeat(20_000)],
  ['backticks', '` '.repeat(10_000)],
  ['pictures', '!['.repeat(10_000)],
  ['marks', '> - '.repeat(5_000)],
])('holds back at most its limit of a text that consists of %s', (_, text) => {
  expect(work(text, 100)).toBeLessThan(12);
});

it('finds the end of a full message in a growing text as in the whole text', () => {
  const text = plausibleText(30_000);
  const growing = new Extent();
  for (let to = 100; to < text.length; to += 613) {
    const document = { ...blank, text: text.slice(0, to) };
    const message = { begin: { at: 0, fresh: true } };
    const cut = growing.cutFor('rich', document, message);
    expect(cut).toEqual(new Extent().cutFor('rich', document, message));
    if (cut !== undefined) expect(cut.to).toBeLessThanOrEqual(PART_CHARS);
    const streamed = growing.streamCut(document, message, 0);
    expect(streamed).toEqual(new Extent().streamCut(document, message, 0));
    if (streamed !== undefined) expect(streamed.to).toBeLessThanOrEqual(STREAM_BYTES);
  }
});
