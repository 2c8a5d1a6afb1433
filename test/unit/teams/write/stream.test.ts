/** Tests replies as native streams in personal chats, which the fake Teams checks. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { plain, plains } from '../../../../src/kit/json.ts';
import { turnId } from '../../../../src/kit.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const infos = (play: Play) =>
  play.calls().flatMap(({ asked }) => plains(asked.entities).filter(({ type }) => type === 'streaminfo'));
const seen = (play: Play) =>
  rig.fake
    .screen(play.turn.message.thread.room)
    .filter(({ by, text, streaming }) => by === 'app' && (text !== '' || streaming !== undefined));
const source = (mark: number) => ({
  key: `k${mark}`,
  title: `Source ${mark}`,
  kind: 'document' as const,
  mark,
  fragments: [],
});

it('shows “Thinking…” at once, then the steps, then growing text, and the rest at the end', async () => {
  const play = playIn(rig);
  await play.show({});
  expect(seen(play)).toMatchObject([{ text: '', streaming: 'live', informative: 'Thinking…' }]);
  const search = { id: 's1', name: 'Search', detail: 'the manual' };
  await play.show({ steps: [{ ...search, state: 'running' }] });
  expect(seen(play)[0]?.informative).toBe('◌ Search: the manual');
  await play.show({ state: 'writing', text: 'The first', steps: [{ ...search, state: 'done' }] });
  expect(seen(play)).toMatchObject([{ text: 'The first', streaming: 'live' }]);
  await play.show({ text: 'The first words,' });
  await play.show({ text: 'The first words, and more.', state: 'done', suggestions: ['Why?'] });
  expect(seen(play)).toMatchObject([{ text: 'The first words, and more.', streaming: 'completed' }]);
  expect(play.methods()).toEqual(['stream', 'stream', 'stream', 'stream', 'final']);
  const id = seen(play)[0]?.id;
  expect(infos(play)).toEqual([
    { type: 'streaminfo', streamType: 'informative', streamSequence: 1 },
    { type: 'streaminfo', streamType: 'informative', streamId: id, streamSequence: 2 },
    { type: 'streaminfo', streamType: 'streaming', streamId: id, streamSequence: 3 },
    { type: 'streaminfo', streamType: 'streaming', streamId: id, streamSequence: 4 },
    { type: 'streaminfo', streamType: 'final', streamId: id },
  ]);
  const [{ entities = [], cards = [], channelData = {} } = {}] = seen(play);
  expect(cards).toEqual([]);
  expect(entities).toMatchObject([
    { type: 'https://schema.org/Message', additionalType: ['AIGeneratedContent'] },
  ]);
  expect(rig.cards(play.turn).join('')).toContain('"Why?"');
  expect(channelData).toHaveProperty('feedbackLoop');
});

it('makes one call for an answer that is complete before the first call', async () => {
  const play = playIn(rig);
  await play.show({ state: 'done', text: 'All of it.' });
  expect(play.methods()).toEqual(['send']);
});

it('shows no text while an answer is only white space, and says at the end that there was none', async () => {
  const play = playIn(rig);
  await play.show({ state: 'writing', text: '\n' });
  expect(seen(play)).toMatchObject([{ text: '', streaming: 'live', informative: 'Thinking…' }]);
  await play.show({ state: 'done', text: '\n\n' });
  expect(play.methods()).toEqual(['stream', 'final']);
  expect(rig.texts(play.turn)).toEqual(['The agent returned no text.']);
});

it('continues by edits of the same message before Teams ends the stream', async () => {
  const play = playIn(rig);
  await play.show({ state: 'writing', text: 'Before' });
  const [before] = seen(play);
  rig.pass(96_000);
  await play.show({ text: 'Before and' });
  await play.show({ text: 'Before and after', state: 'done' });
  expect(play.methods()).toEqual(['stream', 'final', 'update']);
  expect(seen(play)).toMatchObject([{ id: before?.id, text: 'Before and after', streaming: 'completed' }]);
});

it('continues by edits after Teams ended the stream', async () => {
  for (const state of ['writing', 'done'] as const) {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'Before' });
    rig.pass(130_000);
    await play.show({ text: 'Before and after', state });
    await play.show({ state: 'done' });
    expect(rig.texts(play.turn)).toEqual(['Before and after']);
  }
});

it('ends a full message and continues in the next, with reopened fences and no lost text', async () => {
  const play = playIn(rig);
  const text = `${'word '.repeat(2_000)}\n\n\`\`\`ts\n${'const answer = 42;\n'.repeat(600)}\`\`\`\nEnd.`;
  for (let at = 3_000; at < text.length; at += 3_000)
    await play.show({ state: 'writing', text: text.slice(0, at) });
  await play.show({ text, state: 'done' });
  const texts = rig.texts(play.turn);
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.join('').match(/word/g)).toHaveLength(2_000);
  const code = texts.join('').replaceAll(/\n```(?:```ts\n)?/g, '');
  expect(code.match(/const answer/g)).toHaveLength(600);
  for (const each of texts.filter((one) => one.includes('const')))
    expect(each.match(/^```/gm)).toHaveLength(2);
  expect(seen(play).filter(({ streaming }) => streaming === 'live')).toEqual([]);
  expect(rig.cards(play.turn)).toHaveLength(1);
});

it('shows 50,000 characters whole', async () => {
  const play = playIn(rig);
  const text = plausibleText(50_000);
  for (let at = 1_997; at < text.length; at += 1_997)
    await play.show({ state: 'writing', text: text.slice(0, at) });
  await play.show({ text, state: 'done' });
  const shown = rig.texts(play.turn);
  expect(shown.length).toBeLessThanOrEqual(8);
  expect(shown.join('').match(/evening differs/g)).toHaveLength(text.match(/evening differs/g)?.length ?? 0);
  expect(shown.at(-1)).toContain(text.slice(-40).trim().split('\n').at(-1));
});

describe('a call whose outcome is unknown', () => {
  it.each([
    'reset',
    'refuse',
    'gateway',
  ] as const)('is repeated with its number, whether it had arrived or not (%s)', async (kind) => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind, method: 'stream' });
    await play.show({ text: 'One two' });
    await play.show({ text: 'One two three' });
    await play.show({ state: 'done' });
    expect(rig.texts(play.turn)).toEqual(['One two three']);
    expect(new Set(play.methods())).toEqual(new Set(['stream', 'final']));
    const numbers = infos(play).flatMap(({ streamSequence }) => streamSequence ?? []);
    expect(numbers.slice(0, 3)).toEqual([1, 2, 2]);
    expect(seen(play)[0]?.edited).toBe(false);
  });

  it.each(['reset', 'refuse', 'gateway'] as const)('at the end is settled by an edit (%s)', async (kind) => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind, method: 'final' });
    await play.show({ text: 'One two', state: 'done' });
    expect(rig.texts(play.turn)).toEqual(['One two']);
    expect(play.methods()).toEqual(['stream', 'final', 'final', 'update']);
  });
});

describe('a rewritten text', () => {
  it('ends the stream with the shown text, and is edited', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'See [the' });
    await play.show({ text: 'See [a page](https://h.example/)' });
    expect(play.methods()).toEqual(['stream', 'stream']);
    await play.show({ text: 'RenderContext at [a page](https://h.example/)' });
    await play.show({ state: 'done' });
    expect(play.methods()).toEqual(['stream', 'stream', 'final', 'update', 'update']);
    expect(rig.texts(play.turn)).toEqual(['RenderContext at [a page](https://h.example/)']);
  });

  it('ends the stream also if the shown text is unknown', async () => {
    for (const kind of ['reset', 'refuse'] as const) {
      const play = playIn(rig);
      await play.show({ state: 'writing', text: 'One' });
      rig.fake.plant({ kind, method: 'stream' });
      play.change({ text: 'One two' });
      await play.step();
      await play.show({ text: 'Quite another', state: 'done' });
      expect(rig.texts(play.turn)).toEqual(['Quite another']);
    }
  });

  it('has its marks renumbered once the sources are known', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'So [4] and [2].' });
    await play.show({ state: 'done', sources: [source(2), source(4)] });
    expect(rig.texts(play.turn)).toEqual(['So [1] and [2].']);
    expect(play.methods()).toEqual(['stream', 'final', 'update']);
    const calm = playIn(rig);
    await calm.show({ state: 'writing', text: 'So [1].' });
    await calm.show({ state: 'done', sources: [source(1)] });
    expect(calm.methods()).toEqual(['stream', 'final']);
    const entity = plain(seen(calm)[0]?.entities[0]);
    expect(plains(entity.citation)).toMatchObject([{ position: 1, appearance: { name: 'Source 1' } }]);
  });
});

describe('a person who stops the stream', () => {
  const stop = (play: Play) => {
    const { sender, thread } = play.turn.message;
    const tenant = rig.fake.tenant();
    const chat = tenant.state.conversations.get(thread.room);
    if (chat === undefined) throw new Error('no chat');
    return tenant.known(sender.id).stops(chat);
  };

  it('ends the turn, and the shown text stays unchanged', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    expect(stop(play)).toHaveLength(1);
    await play.show({ text: 'One two' });
    expect(rig.stops).toContain(play.turn.id);
    expect(play.next()).toEqual([]);
    await play.show({ state: 'stopped', retry: true });
    expect(rig.texts(play.turn)).toEqual(['One']);
    expect(play.methods()).toEqual(['stream', 'stream']);
  });

  it('can stop it just before its end', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    stop(play);
    await play.show({ text: 'One two', state: 'done' });
    expect(rig.texts(play.turn)).toEqual(['One']);
    expect(rig.stops).toContain(play.turn.id);
  });

  it('gets the answer in a new message when the question is asked again', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    stop(play);
    await play.show({ state: 'writing', text: 'One two' });
    await play.show({ state: 'stopped' });
    play.takeOver();
    const other = { turn: 'another' as typeof play.document.turn, text: '', state: 'thinking' } as const;
    await play.show(other);
    await play.show({ state: 'writing', text: 'Anew' });
    await play.show({ state: 'done' });
    expect(rig.texts(play.turn)).toEqual(['One', 'Anew']);
  });

  it('can then delete the question, and the whole reply is deleted', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    stop(play);
    await play.show({ text: 'One two' });
    await play.show({ state: 'withdrawn' });
    expect(rig.texts(play.turn)).toEqual([]);
    expect(play.next()).toEqual([]);
  });
});

describe('if Teams has no streams', () => {
  it('the answer grows by edits, and no stream is started in that chat for a while', async () => {
    const play = playIn(rig);
    rig.fake.plant({
      kind: 'status',
      status: 403,
      code: 'ContentStreamNotAllowed',
      message: 'Content stream is not allowed',
      method: 'stream',
    });
    await play.show({ state: 'writing', text: 'One' });
    await play.show({ state: 'done', text: 'One two' });
    expect(play.methods()).toEqual(['stream', 'send', 'update']);
    const { room } = play.turn.message.thread;
    const { id: _, ...again } = play.turn;
    const next = playIn(rig, { turn: { ...again, id: `${play.turn.id}-2` as typeof play.turn.id } });
    await next.show({ state: 'writing', text: 'More' });
    expect(next.methods().slice(3)).toEqual(['send']);
    expect(next.turn.message.thread.room).toBe(room);
  });

  it('the operator can switch streams off', async () => {
    const play = playIn(rig, { streams: false });
    await play.show({ state: 'writing', text: 'One' });
    await play.show({ state: 'done', text: 'One two' });
    expect(play.methods()).toEqual(['send', 'update']);
  });
});

describe('a process that takes over', () => {
  it('ends the open stream, and edits the same message', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    const again = playIn(rig, { turn: { ...play.turn, attempt: 2 } });
    again.screen = again.writer.resume(JSON.parse(JSON.stringify(play.screen)));
    await again.show({ state: 'partial', text: 'One two' });
    expect(rig.texts(play.turn)).toEqual(['One two']);
    expect(play.methods()).toEqual(['stream', 'final', 'update']);
  });

  it('starts no second stream if no screen was stored', async () => {
    const play = playIn(rig);
    await play.show({});
    const again = playIn(rig, { turn: { ...play.turn, attempt: 2 } });
    await again.show({ state: 'writing', text: 'Anew' });
    await again.show({ state: 'done' });
    expect(again.methods()).toEqual(['stream', 'send', 'update']);
  });
});

it('deletes its message if the question was deleted, also during the stream', async () => {
  const play = playIn(rig);
  await play.show({ state: 'writing', text: 'One' });
  await play.show({ state: 'withdrawn' });
  expect(play.methods()).toEqual(['stream', 'final', 'delete']);
  expect(rig.texts(play.turn)).toEqual([]);
});

it('deletes the stream of a process that was killed, whose text only the turn knows', async () => {
  const play = playIn(rig);
  await play.show({ state: 'writing', text: 'One two' });
  rig.streamedTexts.clear();
  const again = playIn(rig, { turn: { ...play.turn, attempt: 2 } });
  again.screen = play.screen;
  again.takeOver();
  await again.show({ state: 'withdrawn', text: 'One two three' });
  expect(rig.texts(play.turn)).toEqual([]);
  expect(again.outcomes().every(({ kind }) => kind === 'done')).toBe(true);
});

it('deletes later what Teams refuses to delete: an open stream whose text no process knows', async () => {
  const play = playIn(rig);
  await play.show({ state: 'writing', text: 'One two' });
  rig.streamedTexts.clear();
  const again = playIn(rig, { turn: { ...play.turn, attempt: 2 } });
  again.screen = play.screen;
  again.takeOver();
  await again.show({ state: 'withdrawn' });
  const [{ id } = { id: '' }] = rig.messages(play.turn);
  expect(rig.texts(play.turn)).toEqual(['One two']);
  expect(rig.later).toEqual([id]);
  expect(again.next()).toEqual([]);
});

it('keeps an informative line within a kilobyte, with any characters', async () => {
  const play = playIn(rig);
  for (let at = 1; at <= 12; at++) {
    const steps = Array.from({ length: at }, (_, nth) => ({
      id: `${nth}`,
      name: '搜索'.repeat(60),
      detail: '<b>手册</b> '.repeat(40),
      state: 'done' as const,
    }));
    await play.show({ steps });
  }
  await play.show({ state: 'failed', notices: [{ tone: 'error', text: 'The agent could not be reached.' }] });
  expect(rig.texts(play.turn)).toEqual(['The agent could not be reached.']);
  expect(
    rig.fake.log.failed().filter(({ conversation }) => conversation === play.turn.message.thread.room),
  ).toEqual([]);
});

describe('another turn, after an edit of the question', () => {
  it.each([
    ['ends the stream', { state: 'writing', text: 'One' } as const, 'final'],
    ['starts a stream after the end of the first', { state: 'done', text: 'One' } as const, 'stream'],
  ])('%s a second after the call before it', async (_, first, method) => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'O' });
    await play.show(first);
    const turn = { ...play.turn, id: turnId(`${play.turn.id}-edited`) };
    const writer = rig.writer(turn);
    const document = {
      ...play.document,
      turn: turn.id,
      version: 9,
      rewrites: 9,
      text: 'Two',
      state: 'done',
    } as const;
    const isNew = method === 'stream';
    const shown = isNew ? { ...document, state: 'writing' as const } : document;
    const screen = isNew ? writer.blank() : writer.resume(play.screen);
    const [move] = writer.next(screen, shown, rig.now());
    if (move === undefined) throw new Error('no call');
    const outcome = await writer.perform(move, new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'done' });
    const calls = play.calls().filter(({ method: made }) => made === 'stream' || made === 'final');
    const [before, last] = [calls.at(-2), calls.at(-1)];
    expect(last?.method).toBe(method);
    expect((last?.at ?? 0) - (before?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });
});
