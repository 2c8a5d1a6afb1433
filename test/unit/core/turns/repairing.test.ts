import { afterEach, describe, expect, test } from 'vitest';
import { begin } from '../../../../src/core/live-reply/compose.ts';
import type { Screen } from '../../../../src/core/screen.ts';
import type { Claim } from '../../../../src/core/stores/inbox.ts';
import { withStrays } from '../../../../src/core/turns/repairing.ts';
import { createLadder } from '../../../../src/reply/ladder/ladder.ts';
import { turn } from '../../../fakes/samples.ts';
import { createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, seen, type World } from '../../../fakes/world.ts';
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

test('a repair finds and removes messages of the reply that nobody knows', async () => {
  const text = 'Two years from the day of purchase.';
  const { memory, show, screen } = await shown(text);
  for (const id of ['one', 'two'])
    (memory.messages as { id: string; part: number; text: string; live: boolean }[]).push({
      ...{ id, part: 1, text: 'Two years', live: false },
    });
  const writer = createLadder({ ...turn(), origin: strayOf([]) }, memory.surface);
  await show(writer.resume({ ...screen, doubted: true } as Screen));
  expect(memory.messages.filter(({ deleted }) => !deleted).map((each) => each.text)).toEqual([text]);
});

describe('a call of unknown outcome that takes effect after the reply has ended', () => {
  let world: World;
  afterEach(() => world.close());

  /** Asks a question whose first edit is carried out `ms` milliseconds later, and waits until all is over. */
  async function asked(ms: number, also: (world: World) => void = () => undefined) {
    const script = () => [{ say: 'Two' }, { pause: 2_000 }, { say: ' years' }];
    world = createWorld({ agents: [createScriptedAgent({ name: 'books', script })] });
    let edits = 0;
    world.channel.fault = ({ kind }) => {
      edits += kind === 'edit' ? 1 : 0;
      return kind === 'edit' && edits === 1 ? { kind: 'late', ms } : undefined;
    };
    const process = await world.boot();
    const question = await ask(process, 'How long?');
    await world.clock.pass(4_000);
    expect((await process.inbox.find(question))?.state).toBe('answered');
    also(world);
    await world.clock.pass(30_000);
    return { process, question };
  }

  test('does not leave an older text', async () => {
    const { question } = await asked(8_000);
    expect(seen(world.channel, question).document).toMatchObject({ state: 'done', text: 'Two years' });
  });

  test('is followed by one repair, even if that is uncertain too', async () => {
    await asked(8_000, ({ channel }) => {
      let first = true;
      channel.fault = () => {
        if (!first) return undefined;
        first = false;
        return { kind: 'blur' };
      };
    });
    const after = world.channel.showings.filter(({ document }) => document.state === 'done');
    // The end of the reply, and the repair with its repeated call.
    expect(after.map(({ kind }) => kind)).toEqual(['edit', 'edit', 'edit']);
  });

  test('is repaired by the next process if this one ends before', async () => {
    const script = () => [{ say: 'Two' }, { pause: 2_000 }, { say: ' years' }];
    world = createWorld({ agents: [createScriptedAgent({ name: 'books', script })] });
    let edits = 0;
    world.channel.fault = ({ kind }) => {
      edits += kind === 'edit' ? 1 : 0;
      return kind === 'edit' && edits === 1 ? { kind: 'late', ms: 8_000 } : undefined;
    };
    const process = await world.boot();
    const question = await ask(process, 'How long?');
    await world.clock.pass(4_000);
    await Promise.all([process.stop(1_000), world.clock.pass(3_000)]);
    await world.boot();
    await world.clock.pass(30_000);
    expect(seen(world.channel, question).document).toMatchObject({ state: 'done', text: 'Two years' });
  });
});

test('a reply whose calls all had an outcome is written once', async () => {
  const script = () => [{ say: 'Two years' }];
  const world = createWorld({ agents: [createScriptedAgent({ name: 'books', script })] });
  try {
    const process = await world.boot();
    await ask(process, 'How long?');
    await world.clock.pass(1_000);
    const { length } = world.channel.showings;
    await world.clock.pass(60_000);
    expect(world.channel.showings).toHaveLength(length);
  } finally {
    world.close();
  }
});
