/**
 * Tests what the decoder reports besides the text: the amount of data, deviations that it tolerated, and the reason of
 * a failure.
 */

import { expect, test } from 'vitest';
import { AnswerDecoder } from '../../../src/platform/stream/answer.ts';

function decoderOf(contentType = 'text/event-stream') {
  const rules: string[] = [];
  const decoder = new AnswerDecoder(contentType, {
    extras: () => [],
    toolText: () => '',
    refused: () => {
      throw new Error('No refusal was sent.');
    },
    fallback: (rule) => void rules.push(rule),
  });
  const push = (text: string) => decoder.push(new TextEncoder().encode(text));
  return { decoder, push, rules };
}

test('the data counter grows with each event, but not with comments and heartbeats', () => {
  const { decoder, push } = decoderOf();
  const counted = [decoder.data];
  for (const text of [': comment\n\n', 'data: {"text":"a"}\n\n', 'data: {"text":"b"}\n\n']) {
    push(text);
    counted.push(decoder.data);
  }
  expect(counted).toEqual([0, 0, 1, 2]);
});

test('a missing end marker is reported by its rule', () => {
  const { decoder, push, rules } = decoderOf();
  push('data: {"text":"a"}\n\n');
  expect(decoder.finish().map(({ type }) => type)).toContain('end');
  expect(rules).toContain('DEC-14');
});
