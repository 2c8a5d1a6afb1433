/** Tests what remains of a text without the mentions of the app. */

import { expect, test } from 'vitest';
import { withoutMentions } from '../../../src/kit/own-mention.ts';
import { cpuMs } from '../../fakes/cost.ts';

const without = (text: string) => withoutMentions(text.split('@App'));

test.each([
  ['@App how long?', 'how long?'],
  ['@App, how long?', 'how long?'],
  ['@App:\n\n  code', 'code'],
  ['@App @App how long?', 'how long?'],
  ['how long, @App?', 'how long?'],
  ['how long, @App', 'how long'],
  ['how long @App!', 'how long!'],
  ['how long @App ?', 'how long ?'],
  ['how long – @App', 'how long'],
  ['how long, @App\nand why?', 'how long\nand why?'],
  ['please, @App, how long?', 'please, how long?'],
  ['how long @App and why', 'how long and why'],
  ['(see @App)', '(see)'],
  ['well-@App', 'well-'],
  ['**@App** how long?', 'how long?'],
  ['**@App, how long?**', '**how long?**'],
  ['how long, **@App**?', 'how long?'],
  ['- @App a\n- b, @App', '- a\n- b'],
  ['1. @App: a', '1. a'],
  ['> @App a', '> a'],
  ['| @App a | b @App |', '| a | b |'],
  ['a, b', 'a, b'],
  ['@App', ''],
])('%j becomes %j', (text, words) => expect(without(text)).toBe(words));

test.each([' ', ',', '*', '@App', '@App,', '\n'])('S22: a long run of %j takes linear time', (piece) => {
  const run = piece.repeat(Math.ceil(100_000 / piece.length));
  expect(cpuMs(() => without(`${run}@App${run}@App${run}`))).toBeLessThan(1_000);
});
