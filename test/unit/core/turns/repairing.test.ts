import { expect, test } from 'vitest';
import { begin } from '../../../../src/core/live-reply/compose.ts';
import type { Screen } from '../../../../src/core/screen.ts';
import type { Claim } from '../../../../src/core/stores/inbox.ts';
import { withStrays } from '../../../../src/core/turns/repairing.ts';
import { createLadder } from '../../../../src/reply/ladder/ladder.ts';
import { turn } from '../../../fakes/samples.ts';
import { createMemory } from '../../reply/ladder/memory-surface.ts';

/** Shows the text as an ended reply, and returns the channel and the screen. */
async function shown(text: string) {
  const memory = createMemory(['edits']);
  const writer = createLadder(turn(), memory.surface);
  const document = { ...begin(turn().id), text, state: 'done' as const, version: 2 };
  const show = async (from: Screen): Promise<Screen> => {
    let screen = from;
    for (let calls = 0; calls < 20; calls++) {
      const [move] = writer.next(screen, document, 1_000);
      if (move === undefined) return screen;
      const outcome = await writer.perform(move, new AbortController().signal);
      screen = writer.after(screen, move, outcome, 1_000);
    }
    throw new Error(`Not at rest after ${memory.calls.join(', ')}`);
  };
  return { memory, writer, show, screen: await show(writer.blank()) };
}

const claimOf = (screen: Screen): Claim => ({
  turn: { ...turn(), screen },
  owner: 'one',
  text: '',
  until: 0,
});

const strayOf = (strays: readonly { id: string; live: boolean }[]) =>
  ({ kind: 'show', of: turn().id, key: 'repair', strays }) as const;

test.each([
  ['a posted message', false],
  ['an open stream', true],
])('%s that arrived after the takeover is removed, and the reply is written again', async (_, live) => {
  const text = 'Two years from the day of purchase.';
  const { memory, writer, show, screen } = await shown(text);
  (memory.messages as { id: string; part: number; text: string; live: boolean }[]).push({
    ...{ id: 'stray', part: 0, text: 'Two years', live },
  });
  const [own] = memory.messages;
  if (own !== undefined) own.text = 'Two ye';
  const { turn: repaired } = withStrays(
    claimOf(screen),
    strayOf([
      { id: own?.id ?? '', live: false },
      { id: 'stray', live },
    ]),
    text.length,
  );
  await show(writer.resume(repaired.screen ?? screen));
  expect(memory.messages.filter(({ deleted }) => !deleted).map((each) => each.text)).toEqual([text]);
});
