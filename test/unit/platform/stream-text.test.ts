/**
 * Tests how a stream's chunks become the answer's text: appended or replaced, ended, and emitted in whole characters
 * (DEC-11, DEC-12).
 */

import { describe, expect, test } from 'vitest';
import { MAX_ANSWER_CHARS } from '../../../src/platform/limits.ts';
import { AnswerText, TextEmitter } from '../../../src/platform/stream/answer-text.ts';
import { endRule, lastChunkRule } from '../../../src/platform/stream/kind.ts';
import { commonLength, Reading } from '../../../src/platform/stream/reading.ts';

/** Returns the changes that the chunks make, the final text and the mode. */
function read(name: string, chunks: readonly string[]) {
  const reading = new Reading(name);
  const changes = chunks.map((chunk) => reading.take(chunk));
  return { changes, text: reading.text, mode: reading.mode };
}
const textOf = (name: string, ...chunks: string[]) => read(name, chunks).text;

describe('chunks', () => {
  test('chunks append at first; chunks under full_output replace the text', () => {
    expect(read('content', ['ab', 'cd'])).toEqual({
      ...{ text: 'abcd', mode: 'append' },
      changes: [
        { at: 0, text: 'ab' },
        { at: 2, text: 'cd' },
      ],
    });
    expect(read('full_output', ['ab', 'abcd'])).toEqual({
      ...{ text: 'abcd', mode: 'replace' },
      changes: [
        { at: 0, text: 'ab' },
        { at: 2, text: 'cd' },
      ],
    });
  });

  test('chunks that extend each other replace the text from the third on', () => {
    expect(textOf('content', 'a', 'ab')).toBe('aab');
    expect(textOf('content', 'a', 'ab', 'abc')).toBe('abc');
    expect(read('content', ['a', 'ab', 'abc'])).toMatchObject({
      ...{ mode: 'replace', changes: [{}, {}, { at: 1, text: 'bc' }] },
    });
    expect(textOf('content', 'a', 'ab', 'abc', 'x')).toBe('aababcx');
    expect(textOf('content', 'a', 'ab', 'abc', 'abcd', 'x')).toBe('x');
  });

  test('chunks that repeat the previous one decide nothing', () => {
    expect(textOf('content', 'ha', 'ha', 'ha')).toBe('hahaha');
    expect(textOf('full_output', 'ha', 'ha', 'haha')).toBe('haha');
    expect(textOf('full_output', 'ha', 'ha', 'x', 'y')).toBe('hahaxy');
  });

  test('chunks under full_output that extend nothing append to the text', () => {
    expect(read('full_output', ['ab', 'cd', 'abcd'])).toMatchObject({ text: 'abcdabcd', mode: 'append' });
    expect(textOf('full_output', '12345678', '12345678 9', 'x')).toBe('x');
    expect(textOf('full_output', '1234567', '1234567 8', 'x')).toBe('12345671234567 8x');
    expect(textOf('content', '12345678', '12345678 9', 'x')).toBe('1234567812345678 9x');
  });

  describe('chunks after an earlier text', () => {
    const stood = 'abcdefghijklmnop'.repeat(2);
    const half = stood.slice(0, 16);
    test.each([
      ['that share half of it', `${half}${'x'.repeat(16)}`, true],
      ['that share less than half', `${half.slice(0, 15)}${'x'.repeat(17)}`, false],
      ['with four fifths of its length', `${half}${'x'.repeat(10)}`, true],
      ['that are shorter', `${half}${'x'.repeat(9)}`, false],
      ['that only end alike', `x${stood}`, false],
    ])('%s replace it: %s', (_, next, replaces) => {
      expect(textOf('full_output', stood, next)).toBe(replaces ? next : stood + next);
      expect(textOf('content', stood, next)).toBe(stood + next);
    });

    test('replace it if it has at least 32 characters', () => {
      const short = stood.slice(0, 31);
      const next = `${short.slice(0, 30)}xx`;
      expect(textOf('full_output', short, next)).toBe(short + next);
    });

    test('replace it under any name after two extensions', () => {
      const next = `${half}${'x'.repeat(20)}`;
      expect(textOf('content', stood.slice(0, 30), stood.slice(0, 31), stood, next)).toBe(next);
      expect(textOf('content', stood.slice(0, 31), stood, next)).toBe(stood.slice(0, 31) + stood + next);
    });
  });

  test('a replacement never splits a character', () => {
    const reading = new Reading('full_output');
    reading.take('a😀');
    expect(reading.finish('a😁')).toEqual({ at: 1, text: '😁' });
    expect(reading.finish('a\ud83d')).toEqual({ at: 1, text: '\ud83d' });
    expect(reading.finish('x\ud800a')).toEqual({ at: 0, text: 'x\ud800a' });
    expect(reading.finish('x\ud800b')).toEqual({ at: 1, text: '\ud800b' });
    expect(reading.finish('bx\ud800b')).toEqual({ at: 0, text: 'bx\ud800b' });
    expect(reading.finish('\ud7ffa')).toEqual({ at: 0, text: '\ud7ffa' });
    expect(reading.finish('\ud7ffb')).toEqual({ at: 1, text: 'b' });
    expect(reading.finish('\udc00a')).toEqual({ at: 0, text: '\udc00a' });
    expect(reading.finish('\udc00b')).toEqual({ at: 1, text: 'b' });
    expect(reading.finish('\udbffa')).toEqual({ at: 0, text: '\udbffa' });
    expect(reading.finish('\udbffb')).toEqual({ at: 0, text: '\udbffb' });
    expect(reading.finish('\udbffbc')).toEqual({ at: 2, text: 'c' });
  });

  test('the final text replaces all other text', () => {
    const reading = new Reading('content');
    reading.take('abc');
    expect(reading.finish('abx')).toEqual({ at: 2, text: 'x' });
    expect(reading.text).toBe('abx');
  });
});

test.each([
  ['', '', 0],
  ['abc', 'abd', 2],
  ['abc', 'abc', 3],
  ['ab', 'abc', 2],
  ['abc', 'ab', 2],
  ['x', 'abc', 0],
])('%j and %j share %i units', (one, other, shared) => {
  expect(commonLength(one, other)).toBe(shared);
});

describe('the text of an end event', () => {
  const rule = (text: string, collected: string, more: { name?: string; mode?: 'append' | 'replace' } = {}) =>
    endRule({ text, name: more.name ?? 'content' }, collected, more.mode ?? 'append');
  const long = 'abcdefghijklmnopqrstuvwxyz012345';

  test('is final if it can be nothing else', () => {
    expect(rule('x', long, { name: 'full_output' })).toBe('final');
    expect(rule('x', '')).toBe('final');
    expect(rule('x', long, { mode: 'replace' })).toBe('final');
  });

  test('is final from half the length on, otherwise a last piece', () => {
    expect(rule('x'.repeat(16), long)).toBe('final');
    expect(rule('x'.repeat(15), long)).toBe('append');
  });

  test('is final if it shares 8 characters and a quarter of the text', () => {
    expect(rule(long.slice(0, 8), long)).toBe('final');
    expect(rule(long.slice(0, 7), long)).toBe('append');
    expect(rule(long.slice(0, 7), long.slice(0, 28))).toBe('append');
    expect(rule(long.slice(0, 8), `${long}x`)).toBe('append');
    expect(rule(`${long.slice(0, 9)}!`, long)).toBe('append');
  });

  test('the text of a last chunk is final if it repeats 16 characters or more', () => {
    const last = (text: string, collected: string, name = 'content') =>
      lastChunkRule({ text, name }, collected);
    expect(last('x', long, 'full_output')).toBe('final');
    expect(last(long, long.slice(0, 16))).toBe('final');
    expect(last(long, long.slice(0, 15))).toBe('chunk');
    expect(last(long.slice(0, 15), long.slice(0, 16))).toBe('chunk');
    expect(last(`x${long}`, long.slice(0, 16))).toBe('chunk');
  });
});

describe('the text emitter', () => {
  const event = (at: number, text: string) => [{ type: 'text', at, text }];

  test('emits each change, but no event without a change', () => {
    const emitter = new TextEmitter();
    expect(emitter.emit({ at: 0, text: 'ab' })).toEqual(event(0, 'ab'));
    expect(emitter.emit({ at: 2, text: 'c' })).toEqual(event(2, 'c'));
    expect(emitter.emit({ at: 1, text: 'x' })).toEqual(event(1, 'x'));
    expect(emitter.emit({ at: 2, text: '' })).toEqual([]);
    expect(emitter.emit({ at: 0, text: '' })).toEqual(event(0, ''));
    expect(emitter.end()).toEqual([]);
  });

  test('holds half a character until its other half or the end arrives', () => {
    const emitter = new TextEmitter();
    expect(emitter.emit({ at: 0, text: 'a\ud83d' })).toEqual(event(0, 'a'));
    expect(emitter.emit({ at: 2, text: '\ude00b' })).toEqual(event(1, '😀b'));
    expect(emitter.emit({ at: 4, text: '\ud83d' })).toEqual([]);
    expect(emitter.end()).toEqual(event(4, '\uFFFD'));
    expect(emitter.end()).toEqual([]);
    expect(emitter.emit({ at: 4, text: '\udbff' })).toEqual([]);
    expect(emitter.emit({ at: 4, text: '\ud800' })).toEqual([]);
    expect(emitter.emit({ at: 4, text: 'x' })).toEqual(event(4, 'x'));
    expect(emitter.end()).toEqual([]);
  });

  test('emits a replacement for a lone half', () => {
    const emitter = new TextEmitter();
    expect(emitter.emit({ at: 0, text: '\ud83dx\ude00\ud7ff' })).toEqual(event(0, '\uFFFDx\uFFFD\ud7ff'));
    expect(emitter.emit({ at: 4, text: '\udc00' })).toEqual(event(4, '\uFFFD'));
  });

  test('emits as much as an answer may contain, and reports a longer text', () => {
    const emitter = new TextEmitter();
    emitter.emit({ at: 0, text: 'x'.repeat(MAX_ANSWER_CHARS - 1) });
    expect(emitter.emit({ at: MAX_ANSWER_CHARS - 1, text: 'y' })).toEqual(event(MAX_ANSWER_CHARS - 1, 'y'));
    expect(emitter.cut).toBe(false);
    expect(emitter.emit({ at: MAX_ANSWER_CHARS, text: 'z' })).toEqual([]);
    expect(emitter.cut).toBe(true);
    const other = new TextEmitter();
    other.emit({ at: 0, text: 'x'.repeat(MAX_ANSWER_CHARS - 1) });
    expect(other.emit({ at: MAX_ANSWER_CHARS - 1, text: '😀' })).toEqual([]);
    expect([other.cut, other.end()]).toEqual([true, []]);
  });
});

describe('the text of an answer', () => {
  test('is empty and in append mode before its first chunk', () => {
    const answer = new AnswerText();
    expect([answer.text, answer.mode, answer.cut]).toEqual(['', 'append', false]);
    expect(answer.take({ text: '', name: 'full_output' })).toEqual([]);
    expect(answer.restart()).toEqual([]);
    expect(answer.take({ text: 'a', name: 'content' })).toEqual([{ type: 'text', at: 0, text: 'a' }]);
    expect([answer.text, answer.mode]).toEqual(['a', 'append']);
  });

  test('is read in the mode of its first member until a restart', () => {
    const answer = new AnswerText();
    answer.take({ text: 'ab', name: 'full_output' });
    expect(answer.mode).toBe('replace');
    expect(answer.restart()).toEqual([{ type: 'text', at: 0, text: '' }]);
    expect(answer.text).toBe('');
    answer.take({ text: 'cd', name: 'content' });
    expect([answer.text, answer.mode]).toEqual(['cd', 'append']);
  });

  test('may arrive complete, and holds half a character until its end', () => {
    const answer = new AnswerText();
    expect(answer.finish('abc\ud83d')).toEqual([{ type: 'text', at: 0, text: 'abc' }]);
    expect(answer.mode).toBe('replace');
    expect(answer.end()).toEqual([{ type: 'text', at: 3, text: '\uFFFD' }]);
  });
});
