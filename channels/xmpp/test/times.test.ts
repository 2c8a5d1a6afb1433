/** Times of missed messages. Prosody 0.12 writes times in whole seconds, ejabberd with fractions. */

import { expect, test } from 'vitest';
import { readTime } from '../inbound/read.ts';

const at = (text: string): number => Date.parse(text);
const NOW = at('2026-03-01T12:00:20Z');

test('a missed message is not earlier than one that was received live in the same second', () => {
  const live = at('2026-03-01T12:00:18.265Z');
  const { sentAt, stampedAt } = readTime('2026-03-01T12:00:18Z', NOW);
  expect(sentAt).toBeGreaterThan(live);
  expect(sentAt).toBeLessThan(at('2026-03-01T12:00:19Z'));
  expect(stampedAt).toBe(at('2026-03-01T12:00:18Z'));
});

test('a time with a fraction counts as it is', () => {
  const time = at('2026-03-01T12:00:18.265Z');
  expect(readTime('2026-03-01T12:00:18.265000Z', NOW)).toEqual({ sentAt: time, stampedAt: time });
});

test('no message is later than now', () => {
  expect(readTime('2026-03-01T12:00:20Z', NOW)).toEqual({ sentAt: NOW, stampedAt: NOW });
  expect(readTime('2027-01-01T00:00:00Z', NOW)).toEqual({ sentAt: NOW, stampedAt: NOW });
});

test.each([undefined, '', 'yesterday'])('without a valid time (%s), a message was sent now', (stamp) => {
  expect(readTime(stamp, NOW)).toEqual({ sentAt: NOW });
});
