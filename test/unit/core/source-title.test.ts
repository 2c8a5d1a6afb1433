import { expect, it } from 'vitest';
import { sourceTitle } from '../../../src/core/words.ts';

it('is the title, else a word with the number of the source', () => {
  expect(sourceTitle({ title: 'Visitor guide', kind: 'document' }, 2)).toBe('Visitor guide');
  const unnamed = (['document', 'image', 'QnA', 'other'] as const).map((kind) =>
    sourceTitle({ title: ' ', kind }, 2),
  );
  expect(unnamed).toEqual(['Document 2', 'Image 2', 'Question and answer 2', 'Source 2']);
});
