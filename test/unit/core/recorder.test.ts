import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { begin, change } from '../../../src/core/compose.ts';
import { createRecorder } from '../../../src/core/recorder.ts';
import type { Screen } from '../../../src/core/screen.ts';
import type { Checkpoint } from '../../../src/core/stores.ts';
import { claim, turn } from '../../fakes/samples.ts';

const blank = begin(turn().id);
const screen = (...ids: string[]): Screen => ({
  rung: 'edits',
  parts: ids.map((id) => ({ id, from: 0, live: false, openedAt: 0, sure: true })),
  finished: false,
});
const writing = (text: string) => change(blank, { text });

function disk(held: () => Promise<'held' | 'lost'> = async () => 'held') {
  const kept: Checkpoint[] = [];
  let lost = 0;
  const inbox = {
    checkpoint: async (_: unknown, checkpoint: Checkpoint) => {
      const answer = await held();
      kept.push(checkpoint);
      return answer;
    },
  };
  const recorder = (from = claim()) =>
    createRecorder(from, inbox, () => {
      lost += 1;
    });
  return { kept, recorder, lost: () => lost };
}

/** What a takeover would read, by the store's rule: each piece replaces everything from its offset. */
const readBack = (kept: readonly Checkpoint[], from = '') =>
  kept.reduce((text, { text: piece }) => (piece ? text.slice(0, piece.at) + piece.text : text), from);

describe('what is about to be shown', () => {
  test('is recorded by its new end only, and the screen only when its messages changed', async () => {
    const { kept, recorder } = disk();
    const records = recorder();
    await records.recordShown(writing('Two'), screen());
    await records.recordShown(writing('Two years'), screen('m1'));
    await records.recordShown(writing('Two years'), screen('m1'));
    expect(kept).toEqual([
      { text: { at: 0, text: 'Two' }, screen: screen() },
      { text: { at: 3, text: ' years' }, screen: screen('m1') },
    ]);
  });

  test('a rewrite is recorded from where it differs', async () => {
    const { kept, recorder } = disk();
    const records = recorder();
    for (const text of ['Three years', 'Two years', 'T']) await records.recordShown(writing(text), screen());
    expect(kept.map(({ text }) => text)).toEqual([
      { at: 0, text: 'Three years' },
      { at: 1, text: 'wo years' },
      { at: 1, text: '' },
    ]);
  });

  test('what an earlier attempt recorded is not recorded again', async () => {
    const { kept, recorder } = disk();
    const records = recorder(claim({ text: 'Two', turn: turn({ screen: screen('m1') }) }));
    await records.recordShown(writing('Two'), screen('m1'));
    await records.recordShown(writing('Two years'), screen('m1'));
    expect(kept).toEqual([{ text: { at: 3, text: ' years' } }]);
  });

  test('property: what is on disk is always the newest text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b') })),
        fc.string(),
        async (texts, first) => {
          const { kept, recorder } = disk();
          const records = recorder(claim({ text: first }));
          for (const text of texts) {
            await records.recordShown(writing(text), screen());
            expect(readBack(kept, first)).toBe(text);
          }
        },
      ),
    );
  });
});

test('the ending holds the whole text and says that nothing follows', async () => {
  const { kept, recorder } = disk();
  const records = recorder();
  await records.recordShown(writing('Two'), screen());
  await records.recordEnding(writing('Two years'));
  expect(kept[1]).toEqual({ phase: 'ending', text: { at: 3, text: ' years' } });
});

test('a lost turn is told', async () => {
  const { recorder, lost } = disk(async () => 'lost');
  await recorder().record({ phase: 'asking' });
  expect(lost()).toBe(1);
});
