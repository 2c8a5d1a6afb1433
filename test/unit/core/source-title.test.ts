import { expect, it } from 'vitest';
import { sourceTitle } from '../../../src/core/words.ts';

it('a source’s title is its own, or else a word with its number', () => {
  expect(sourceTitle({ title: 'Visitor guide', kind: 'document' }, 2)).toBe('Visitor guide');
  const unnamed = (['document', 'image', 'QnA', 'other'] as const).map((kind) =>
    sourceTitle({ title: ' ', kind }, 2),
  );
  expect(unnamed).toEqual(['Document 2', 'Image 2', 'Question and answer 2', 'Source 2']);
});
