import { afterEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import type { Message } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { storeUnavailable } from '../../../../src/sqlite.ts';
import { person, source, thread } from '../../../fakes/samples.ts';
import {
  type Act,
  createScriptedAgent,
  growing,
  type ScriptedAgentOptions,
} from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, type Process, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

function open(script: (text: string) => readonly Act[], over: Partial<ScriptedAgentOptions> = {}) {
  const agent = createScriptedAgent({ name: 'books', script: ({ text }) => script(text), ...over });
  world = createWorld({ agents: [agent] });
  return agent;
}
const slow = (text: string) => growing(`Of ${text}: two years from the day of purchase.`, 6, 1_000);
const quick = (text: string) => [{ say: `Of ${text}: two years.` }];

/** Returns the event for a revision of the question with the id `m`. */
const question = (text: string, revision = 0, over: Partial<Message> & { lane?: string } = {}) =>
  ({ ...asking(text, { id: 'm', revision, ...over }) }) as const;
const edit = (process: Process, text: string, revision = 1, fresh = false) =>
  process.intake({ kind: 'edit', message: question(text, revision).message, fresh });
const remove = (process: Process) => process.intake({ kind: 'delete', thread: thread(), message: 'm' });
const askM = async (process: Process): Promise<TurnId> => {
  const kept = await process.intake(question('chairs'));
  if (kept.kind !== 'kept') throw new Error(kept.kind);
  return kept.turn;
};
const shown = () => world.channel.messages().map(({ document }) => document);
const askedTexts = (agent: ReturnType<typeof open>) => agent.askings.map(({ question }) => question.text);

describe('an edited question', () => {
  test('that was answered is asked again in the same reply, 3 s after the last edit', async () => {
    const agent = open(quick);
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(5_000);
    expect(await edit(process, 'tables')).toMatchObject({ kind: 'kept', ahead: 0 });
    await world.clock.pass(2_000);
    await edit(process, 'lamps', 2);
    await world.clock.pass(2_900);
    expect(askedTexts(agent)).toEqual(['chairs']);
    await world.clock.pass(3_000);
    expect(askedTexts(agent)).toEqual(['chairs', 'lamps']);
    expect(shown()).toMatchObject([{ state: 'done', text: 'Of lamps: two years.' }]);
  });

  test('that another replica stores together with its question gets one reply, with the newer text', async () => {
    const agent = open(quick);
    const other = await world.boot({ owner: 'two' });
    const process = await world.boot({
      owner: 'one',
      wrapInbox: (inbox) => ({
        ...inbox,
        async supersede(turn) {
          const result = await inbox.supersede(turn);
          if (result.kind === 'unknown') await askM(other);
          return result;
        },
      }),
    });
    await edit(process, 'tables', 1, true);
    await world.clock.pass(10_000);
    expect(askedTexts(agent).at(-1)).toBe('tables');
    expect(shown()).toMatchObject([{ state: 'done', text: 'Of tables: two years.' }]);
  });

  test('shows in its reply at once that it is asked again, until there are words', async () => {
    const agent = open(slow);
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(10_000);
    const saidSoon = async () => {
      await world.clock.pass(200);
      expect(shown()).toMatchObject([{ state: 'thinking', text: '', meanwhile: words.askedAnew }]);
    };
    await edit(process, 'tables');
    await saidSoon();
    await edit(process, 'lamps', 2);
    await saidSoon();
    await world.clock.pass(3_300);
    expect(askedTexts(agent)).toEqual(['chairs', 'lamps']);
    await saidSoon();
    await world.clock.pass(60_000);
    expect(shown()).toMatchObject([{ state: 'done', text: 'Of lamps: two years from the day of purchase.' }]);
    expect(world.channel.waits).toEqual([]);
  });

  test('can be stopped while it may still be edited', async () => {
    const agent = open(quick);
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(5_000);
    await edit(process, 'tables');
    await world.clock.pass(500);
    expect(await process.intake({ kind: 'stop', thread: thread(), by: person() })).toEqual({
      kind: 'stopped',
    });
    await world.clock.pass(10_000);
    expect(askedTexts(agent)).toEqual(['chairs']);
    expect(shown()).toMatchObject([{ state: 'stopped', text: '' }]);
  });

  test('whose answer is running ends it and continues in its message', async () => {
    const agent = open(slow);
    const process = await world.boot();
    const turn = await askM(process);
    await world.clock.pass(3_500);
    await edit(process, 'tables');
    await world.clock.pass(1_000);
    expect(agent.askings[0]?.ended).toBe('aborted');
    expect((await process.inbox.find(turn))?.state).toBe('superseded');
    await world.clock.pass(60_000);
    expect(shown()).toMatchObject([
      { state: 'done', text: 'Of tables: two years from the day of purchase.', notices: [] },
    ]);
    expect(agent.askings).toHaveLength(2);
  });

  describe('whose message was posted while the store could not note it', () => {
    /** Boots a process that cannot store the progress of replies while `broken.now` is true. */
    async function bootBreakable() {
      const broken = { now: true };
      const process = await world.boot({
        wrapInbox: (inbox) => ({
          ...inbox,
          checkpoint: (claim, known) =>
            broken.now ? Promise.reject(storeUnavailable(new Error('down'))) : inbox.checkpoint(claim, known),
        }),
      });
      return { broken, process };
    }
    const silent = (text: string) => (text === 'chairs' ? [{ silence: true } as const] : quick(text));

    test('continues in that message once the store works again', async () => {
      open(silent);
      const { broken, process } = await bootBreakable();
      const turn = await askM(process);
      await world.clock.pass(1_500);
      expect(shown()).toMatchObject([{ state: 'thinking' }]);
      await edit(process, 'tables');
      await world.clock.pass(2_000);
      broken.now = false;
      await world.clock.pass(10_000);
      expect((await process.inbox.find(turn))?.state).toBe('superseded');
      expect(shown()).toMatchObject([{ state: 'done', text: 'Of tables: two years.' }]);
    });

    test('is asked although the store never notes it', async () => {
      const agent = open(silent);
      const { process } = await bootBreakable();
      await askM(process);
      await world.clock.pass(1_500);
      await edit(process, 'tables');
      await world.clock.pass(30_000);
      expect(askedTexts(agent)).toEqual(['chairs', 'tables']);
      expect(shown().at(-1)).toMatchObject({ state: 'done', text: 'Of tables: two years.' });
    });

    test('is left to the next process together with that message by an orderly stop', async () => {
      open(silent);
      const { broken, process } = await bootBreakable();
      const turn = await askM(process);
      await world.clock.pass(1_500);
      broken.now = false;
      const stopped = process.stop(0);
      await world.clock.pass(1_000);
      await stopped;
      const [message] = world.channel.messages();
      expect(await process.inbox.find(turn)).toMatchObject({
        state: 'waiting',
        screen: { parts: [{ id: message?.id }] },
      });
    });
  });

  test('does not wait until the channel accepts the rest of the old answer', async () => {
    const agent = open((text) => (text === 'chairs' ? [...slow(text), { silence: true }] : quick(text)));
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(1_500);
    world.channel.fault = ({ kind }) =>
      kind === 'edit' ? { kind: 'refuse', why: 'rate', retryAfterMs: 60_000 } : undefined;
    await world.clock.pass(1_500);
    await edit(process, 'tables');
    await world.clock.pass(5_000);
    expect(askedTexts(agent)).toEqual(['chairs', 'tables']);
  });

  test('that waits is asked once, in its place', async () => {
    const agent = open(slow);
    const process = await world.boot();
    await ask(process, 'first');
    await askM(process);
    await ask(process, 'last');
    await world.clock.pass(1_500);
    await edit(process, 'tables');
    await world.clock.pass(120_000);
    expect(askedTexts(agent)).toEqual(['first', 'tables', 'last']);
  });

  test('with the same text has no effect; nor has an edit of a message that was never asked', async () => {
    const agent = open(slow);
    const process = await world.boot();
    expect(await edit(process, 'chairs')).toEqual({ kind: 'nothing' });
    await askM(process);
    await world.clock.pass(1_500);
    expect(await edit(process, ' chairs ')).toEqual({ kind: 'nothing' });
    await world.clock.pass(60_000);
    expect(askedTexts(agent)).toEqual(['chairs']);
  });

  test('that names the agent for the first time is asked if the channel says so', async () => {
    const agent = open(quick);
    const process = await world.boot();
    expect(await edit(process, 'chairs', 1, true)).toMatchObject({ kind: 'kept' });
    await world.clock.pass(5_000);
    expect(askedTexts(agent)).toEqual(['chairs']);
  });

  test('is asked once, however often and in whatever order its events arrive', async () => {
    const agent = open(quick);
    const process = await world.boot();
    await askM(process);
    await edit(process, 'lamps', 2);
    expect(await edit(process, 'lamps', 2)).toMatchObject({ kind: 'nothing' });
    expect(await edit(process, 'tables', 1)).toMatchObject({ kind: 'duplicate' });
    await world.clock.pass(10_000);
    expect(await edit(process, 'lamps', 2)).toMatchObject({ kind: 'nothing' });
    expect(await process.intake(question('chairs'))).toMatchObject({ kind: 'duplicate' });
    await world.clock.pass(10_000);
    expect(askedTexts(agent)).toEqual(['chairs', 'lamps']);
    expect(shown()).toHaveLength(1);
  });

  test.each([0, 15, 1_500, 3_200, 9_900])('survives kill -9, %d ms after the edit', async (after) => {
    open(slow);
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(3_500);
    await edit(process, 'tables');
    await world.clock.pass(after);
    process.kill();
    const next = await world.boot();
    await world.clock.pass(60_000);
    expect(shown()).toHaveLength(1);
    const [document] = shown();
    const whole = 'Of tables: two years from the day of purchase.';
    expect(document?.state).toMatch(/done|partial/);
    expect(whole.startsWith(document?.text ?? '-')).toBe(true);
    expect(await next.inbox.counts()).toEqual({ waiting: 0, running: 0 });
  });
});

describe('a deleted question', () => {
  test('that was answered removes its reply', async () => {
    open(quick);
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(5_000);
    expect(await remove(process)).toEqual({ kind: 'noted' });
    await world.clock.pass(1_000);
    expect(shown()).toEqual([]);
    expect(await remove(process)).toEqual({ kind: 'nothing' });
  });

  test('whose answer is running ends it and removes the shown text', async () => {
    const agent = open(slow);
    const process = await world.boot();
    const turn = await askM(process);
    await world.clock.pass(3_500);
    const before = world.channel.showings.length;
    await remove(process);
    await world.clock.pass(1_000);
    expect(shown()).toEqual([]);
    expect(world.channel.showings.slice(before).map(({ kind }) => kind)).toEqual(['remove']);
    expect(agent.askings[0]?.ended).toBe('aborted');
    expect((await process.inbox.find(turn))?.state).toBe('withdrawn');
    expect(world.events.filter((event) => event.turn === turn && event.name === 'claimed')).toHaveLength(1);
  });

  test('whose complete answer waits for its sources removes the reply too', async () => {
    open(quick, { sources: () => ({ afterMs: 5_000, sources: [source()] }) });
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(2_000);
    expect(shown()).toMatchObject([{ state: 'done' }]);
    await remove(process);
    await world.clock.pass(20_000);
    expect(shown()).toEqual([]);
  });

  test('that waits is never asked or shown, and the next one continues', async () => {
    const agent = open(slow);
    const process = await world.boot();
    await ask(process, 'first');
    await askM(process);
    await ask(process, 'last');
    await world.clock.pass(1_500);
    await remove(process);
    await world.clock.pass(120_000);
    expect(askedTexts(agent)).toEqual(['first', 'last']);
    expect(shown()).toHaveLength(2);
  });

  test('that was edited meanwhile is not asked any more', async () => {
    const agent = open(quick);
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(5_000);
    await edit(process, 'tables');
    await world.clock.pass(1_000);
    await remove(process);
    await world.clock.pass(10_000);
    expect(askedTexts(agent)).toEqual(['chairs']);
    expect(shown()).toEqual([]);
  });

  test('is not asked if its event arrives after that of its deletion', async () => {
    const agent = open(quick);
    const process = await world.boot();
    expect(await remove(process)).toEqual({ kind: 'nothing' });
    expect(await process.intake(question('chairs'))).toEqual({ kind: 'nothing' });
    await world.clock.pass(5_000);
    expect(agent.askings).toEqual([]);
  });

  test('whose reply cannot be removed is given up after some attempts', async () => {
    open(quick);
    const process = await world.boot();
    const turn = await askM(process);
    await world.clock.pass(5_000);
    world.channel.fault = ({ kind }) => (kind === 'remove' ? { kind: 'lose' } : undefined);
    await remove(process);
    await world.clock.pass(300_000);
    expect(await process.inbox.counts()).toEqual({ waiting: 0, running: 0 });
    expect((await process.inbox.newestOfReply(turn))?.state).toBe('withdrawn');
  });

  test.each([0, 5, 15, 25, 200])('survives kill -9, %d ms after the deletion', async (after) => {
    open(slow);
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(3_500);
    await remove(process);
    await world.clock.pass(after);
    process.kill();
    const next = await world.boot();
    await world.clock.pass(60_000);
    expect(shown()).toEqual([]);
    expect(await next.inbox.counts()).toEqual({ waiting: 0, running: 0 });
  });

  test.each([5, 15, 25])('of an ended answer survives kill -9, %d ms after the deletion', async (after) => {
    open(quick);
    const process = await world.boot();
    await askM(process);
    await world.clock.pass(5_000);
    await remove(process);
    await world.clock.pass(after);
    process.kill();
    await world.boot();
    await world.clock.pass(30_000);
    expect(shown()).toEqual([]);
  });
});
