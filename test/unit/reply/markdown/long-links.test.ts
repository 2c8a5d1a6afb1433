/** Tests links with long addresses, such as presigned ones, and pictures whose address is data. */

import { expect, it } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { createEmitter, GROWING, START, type StreamState } from '../../../../src/kit/emission.ts';
import { mend } from '../../../../src/kit/ladder.ts';

const { markdown } = slackMarkdown;

const address = (chars: number): string =>
  `https://files.example/report?X-Amz-Security-Token=${'Ab3_-'.repeat(Math.ceil(chars / 5))}`;

/** Writes a text in pieces, as a stream does. Checks that written text never changes. */
function grown(text: string, size: number): string {
  let state: StreamState = START;
  let out = '';
  for (let at = size; at < text.length + size; at += size) {
    const emitted = slackMarkdown.emit(text.slice(0, at), state, { ...GROWING, ended: at >= text.length });
    out += emitted.out;
    ({ state } = emitted);
  }
  return out + slackMarkdown.closing(state);
}

const links = [
  ...[900, 1_024, 1_400, 2_000, 6_000].map((chars) => [`${chars} characters`, address(chars)] as const),
];

it.each(links)('an address of %s stays a link', (_, to) => {
  for (const text of [
    `[Download the report](${to}) now.`,
    `- [a](<${to}>), <${to}>\n`,
    `| x | [a](${to}) |\n`,
  ]) {
    const whole = markdown(text);
    expect(whole).toContain(`](${to})`);
    expect(whole).not.toContain('\\[');
    for (const size of [1, 3, 500]) expect(grown(text, size)).toBe(whole);
  }
});

it('shows the label and the host if no message can hold the address', () => {
  const text = `[Download](${address(20_000)}) now.`;
  const whole = markdown(text);
  expect(whole).toBe('Download (files.example) now.');
  for (const size of [7, 500]) expect(grown(text, size)).toBe(whole);
});

it.each([
  900, 1_400, 6_000, 20_000,
])('a growing message shows the label of a link of %d characters', (chars) => {
  const text = `See [Download the report](${address(chars)}`;
  for (let at = 30; at < text.length; at += 997)
    expect(mend(text.slice(0, at))).toBe('See Download the report');
});

it('does not split a long link over two messages', () => {
  const text = `${'Some words before it. '.repeat(200)}[Download](${address(6_000)}) and words.`;
  const parts = slackMarkdown
    .ranges(text, 9_000)
    .map(({ begin, to }) => slackMarkdown.rangeText(text, begin, to));
  expect(parts.join('')).toContain(`[Download](${address(6_000)})`);
  for (const part of parts) expect(part.length).toBeLessThanOrEqual(9_000);
});

it('reads brackets without an end in linear time', () => {
  const emitter = createEmitter({ ...noDialect });
  const text = `[x](https://a.example/${'b'.repeat(5_000)} `.repeat(20);
  let state: StreamState = START;
  for (let at = 1; at <= text.length; at += 3) ({ state } = emitter.emit(text.slice(0, at), state, GROWING));
  expect(state.at).toBeGreaterThan(text.length - 9_000);
});

const noDialect = {
  prose: (text: string) => text,
  code: (text: string) => text,
  codeSpan: (text: string) => text,
  language: (name: string) => name,
  mark: (number: number) => `[${number}]`,
  image: (words: string) => words,
};
