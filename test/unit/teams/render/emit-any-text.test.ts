/**
 * Any text only grows in a stream, and has no effect in Teams (S02: foreign images, S03: mentions, S04: labels and
 * schemes).
 */

import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { emitterOf, type TextFormat } from '../../../../adapters/teams/render/emit.ts';
import { checkGrowth, checkHolding } from '../../reply/markdown/growing-laws.ts';
import { anything } from '../../reply/markdown/hostile.ts';

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

describe.each(formats)('a stream in %s', (format) => {
  checkGrowth(emitterOf(format), texts, (text) => {
    if (format === 'markdown') expect(text).not.toContain('<');
    expect(text).not.toMatch(/<\/?at/i);
  });
  if (format === 'extendedmarkdown') checkHolding(emitterOf(format), texts);
});
