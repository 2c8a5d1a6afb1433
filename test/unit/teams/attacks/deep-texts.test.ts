/** Tests that deeply nested texts and very long tables are shown without breaking a reply. */

import { expect, test } from 'vitest';
import { sourcesCard } from '../../../../adapters/teams/render/sources-card.ts';
import { parse, plainInline } from '../../../../src/kit/ladder.ts';
import { turnId } from '../../../../src/kit.ts';
import { passageText } from '../../../../src/reply/markdown/passage.ts';
import { blank } from '../../reply/markdown/documents.ts';
import { context, expectSound, whole } from '../render/messages.ts';

const DEPTH = 9_000;
const pair = (mark: string): string => `${mark.repeat(DEPTH)}a${mark.repeat(DEPTH)}`;
const nested: readonly (readonly [string, string])[] = [
  ['stars', pair('*')],
  ['double stars', pair('**')],
  ['dashes', pair('_')],
  ['strokes', pair('~~')],
  ['dashes without text', '_'.repeat(2 * DEPTH)],
];

test.each(nested)('nested %s are shown', (_, text) => {
  expectSound(whole({ ...blank, text: `| a |\n| - |\n| ${text} |` }));
  const source = { key: 'k', title: text, kind: 'document' as const, fragments: [{ text }] };
  expectSound(whole({ ...blank, text: 'So [1].', sources: [{ ...source, mark: 1 }] }));
  const reply = { ...context.reply, turn: turnId('t') };
  expect(sourcesCard([{ number: 1, marks: [1], source }], reply, 0)).toBeDefined();
  passageText(text);
  for (const block of parse(text)) if (block.kind === 'paragraph') plainInline(block.children);
});

test('the deepest level keeps its text', () => {
  const [block] = parse(pair('*'));
  expect(block?.kind === 'paragraph' && plainInline(block.children)).toBe('a');
});

test('a very long table is shown as far as it fits', () => {
  // More rows than a call can have arguments, which are about 125,000.
  const rows = '| b |\n'.repeat(140_000);
  expectSound(whole({ ...blank, text: `| a |\n| - |\n${rows}` }));
  expect(whole({ ...blank, text: `| a |\n| - |\n${rows}` }, context, 'simple').text).toContain('b');
  expect(passageText(rows.slice(0, 600_000))).toContain('b');
});
