/** Tests replies that grow by edits, in channels and group chats, where Teams has no streams. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Media, parse, plainBlocks } from '../../../../src/kit/ladder.ts';
import type { Move } from '../../../../src/kit.ts';
import { PNG } from '../../../fakes/pixel.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const seen = (play: Play) => {
  const { room, key, kind } = play.turn.message.thread;
  const there = rig.fake
    .screen(room)
    .filter(({ by, root }) => by === 'app' && (kind !== 'room' || root === key));
  return there.filter(({ text, streaming }) => text !== '' || streaming !== undefined);
};
const words = (text: string): string => plainBlocks(parse(text), '\n').replace(/[\s|`>#-]+/g, '');
const image = (id: string): Media => ({
  id,
  kind: 'image',
  name: `${id}.png`,
  ref: { kind: 'file-id', id },
});

describe.each(['room', 'group'] as const)('in a %s', (kind) => {
  it('grows from its first words in one message of its thread', async () => {
    const play = playIn(rig, { kind });
    await play.show({});
    await play.show({ state: 'writing', text: 'The **first' });
    expect(rig.texts(play.turn)).toEqual(['The **first**']);
    await play.show({ text: 'The **first words**' });
    await play.show({ state: 'done' });
    const dots = kind === 'group' ? ['typing'] : [];
    expect(play.kinds()).toEqual([...dots, 'post', 'card', 'update', 'update', 'card']);
    expect(seen(play)).toMatchObject([{ text: 'The **first words**' }]);
    await play.show({ sources: [{ key: 'k', title: 'Source', kind: 'document', fragments: [] }] });
    expect(play.kinds().slice(dots.length + 5)).toEqual(['update', 'card']);
    expect(rig.cards(play.turn)).toHaveLength(1);
  });

  it('shows the steps before any text', async () => {
    const play = playIn(rig, { kind });
    await play.show({ steps: [{ id: 's', name: 'Search', state: 'running' }] });
    expect(rig.texts(play.turn)).toEqual(['Thinking…']);
    expect(rig.cards(play.turn)).toEqual([expect.stringContaining('Search')]);
    await play.show({ state: 'done', text: 'Found.' });
    expect(rig.texts(play.turn)).toEqual(['Found.']);
    expect(play.methods()).toEqual(['send', 'update']);
  });
});

it('sends a reply in the thread of a channel, from the app, without a recipient', async () => {
  const play = playIn(rig, { kind: 'room' });
  await play.show({ state: 'done', text: 'Here.' });
  const [call] = play.calls();
  expect(call?.root).toBe(play.turn.message.thread.key);
  expect(call?.asked).toMatchObject({
    from: { id: rig.fake.app.botId },
    conversation: { tenantId: play.turn.message.thread.tenant },
  });
  expect(call?.asked).not.toHaveProperty('recipient');
});

it('repeats the typing indicator when it has faded, and not before', async () => {
  const play = playIn(rig, { kind: 'group' });
  await play.show({});
  expect(play.next()).toEqual([]);
  expect(play.screen.reviewAt).toBe(rig.now() + 4_000);
  rig.pass(4_000);
  expect(play.next()).toMatchObject([{ family: 'typing', essential: false }]);
});

it('posts “Thinking…” in channels if there is no text after 3 s, because they show no typing indicator', async () => {
  const play = playIn(rig, { kind: 'room' });
  await play.show({});
  expect(play.kinds()).toEqual([]);
  expect(play.screen.reviewAt).toBe(rig.now() + 3_000);
  rig.pass(3_000);
  await play.show({});
  expect(rig.texts(play.turn)).toEqual(['Thinking…']);
  await play.show({ state: 'done', text: 'Found.' });
  expect(rig.texts(play.turn)).toEqual(['Found.']);
});

it.each(['room', 'group', 'direct'] as const)('shows 50,000 characters whole, in order: %s', async (kind) => {
  const play = playIn(rig, { kind, streams: false });
  const text = plausibleText(50_000);
  for (let at = 1_997; at < text.length; at += 1_997)
    await play.show({ state: 'writing', text: text.slice(0, at) });
  await play.show({ text, state: 'done' });
  const said = words(rig.texts(play.turn).join('\n'));
  expect(said.match(/eveningdiffers/g)).toHaveLength(text.match(/evening differs/g)?.length ?? 0);
  expect(rig.texts(play.turn).length).toBeLessThanOrEqual(8);
  expect(rig.fake.log.failed()).toEqual([]);
});

it('embeds a small image, links a large one, and leaves out a missing one', async () => {
  const play = playIn(rig, { kind: 'room' });
  await play.show({ state: 'writing', text: 'See' });
  // Embedded images have at most 6,144 bytes; `is6145` is one byte too large.
  await play.show({ state: 'done', media: ['a', 'is6144', 'is6145', 'lost'].map(image) });
  const card = rig.cards(play.turn).join('');
  expect(card.match(/data:image\/png/g)).toHaveLength(2);
  expect(card).toContain('https://bridge.example/media/is6145');
  expect(card).toContain(`data:image/png;base64,${PNG.toString('base64')}`);
  expect(card).toContain('https://bridge.example/media/lost');
});

describe('another version of the reply', () => {
  it('is shown in the same message', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    await play.show({ state: 'done' });
    const [first] = rig.messages(play.turn);
    play.takeOver();
    await play.show({ turn: 'other' as typeof play.document.turn, state: 'thinking', text: '' });
    await play.show({ state: 'writing', text: 'Two' });
    await play.show({ state: 'done', editions: { shown: 2, count: 2 } });
    const texts = rig.messages(play.turn).filter(({ shown }) => shown.text !== '');
    expect(texts.map(({ id, shown }) => [id, shown.text])).toEqual([[first?.id, 'Two']]);
    expect(rig.cards(play.turn)).toHaveLength(1);
    expect(new Set(play.methods().slice(2))).toEqual(new Set(['update']));
  });

  it('deletes surplus messages', async () => {
    const play = playIn(rig, { kind: 'group' });
    await play.show({ state: 'done', text: 'word '.repeat(5_000) });
    expect(rig.texts(play.turn).length).toBeGreaterThan(1);
    play.takeOver();
    await play.show({ state: 'done', text: 'Short.' });
    expect(rig.texts(play.turn)).toEqual(['Short.']);
  });
});

/** True if the call ends a stream with the complete text. */
const isWhole = (move: Move | undefined): boolean =>
  (move?.call as { readonly why?: string } | undefined)?.why === 'end';

describe('a message that Teams refuses', () => {
  it('is sent in a simpler form, then as plain text, with all its content', async () => {
    for (const [count, form] of [
      [1, 'markdown'],
      [2, 'plain'],
    ] as const) {
      const play = playIn(rig, { kind: 'room' });
      rig.fake.plant({ kind: 'status', status: 400, method: 'send', count });
      await play.show({ state: 'done', text: 'Words **of** it.', suggestions: ['More?'] });
      const [message] = rig.messages(play.turn);
      expect(message?.shown).toMatchObject({ textFormat: form, attachments: [] });
      expect(message?.shown.text).toContain('of');
    }
  });

  it('is shortened if it is too large, and the rest follows', async () => {
    for (const method of ['send', 'update'] as const) {
      const play = playIn(rig, { kind: 'room' });
      const text = `${'word '.repeat(1_900)}end`;
      if (method === 'update') await play.show({ state: 'writing', text: 'word ' });
      rig.fake.plant({ kind: 'status', status: 413, method });
      await play.show({ state: 'done', text });
      const texts = rig.texts(play.turn);
      expect(texts.length).toBeGreaterThan(1);
      expect(texts.join('').match(/word/g)).toHaveLength(1_900);
      expect(texts.at(-1)).toMatch(/end$/);
    }
  });

  it('ends its stream, and the rest follows', async () => {
    for (const method of ['stream', 'final'] as const) {
      const play = playIn(rig);
      await play.show({ state: 'writing', text: 'word '.repeat(900) });
      const plan = { kind: 'status', status: 403, code: 'ContentStreamNotAllowed' } as const;
      rig.fake.plant({ ...plan, message: 'Message size too large', method });
      await play.show({ state: 'writing', text: 'word '.repeat(1_800) });
      await play.show({ state: 'done', text: `${'word '.repeat(1_900)}end` });
      const texts = rig.texts(play.turn);
      expect(texts.join('').match(/word/g)).toHaveLength(1_900);
      expect(texts.at(-1)).toMatch(/end$/);
      expect(seen(play).filter(({ streaming }) => streaming === 'live')).toEqual([]);
    }
  });

  it('at a stream’s end, in every form: ends the stream as it is, and edits add the rest', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'word '.repeat(900) });
    play.change({ state: 'done', text: `${'word '.repeat(1_900)}end` });
    const plan = { kind: 'status', status: 403, code: 'ContentStreamNotAllowed', method: 'final' } as const;
    for (let move = play.next()[0]; isWhole(move); move = play.next()[0]) {
      rig.fake.plant({ ...plan, message: 'Message size too large' });
      await play.step();
    }
    await play.rest();
    const texts = rig.texts(play.turn);
    expect(texts.join('').match(/word/g)).toHaveLength(1_900);
    expect(texts.at(-1)).toMatch(/end$/);
    expect(seen(play).filter(({ streaming }) => streaming === 'live')).toEqual([]);
  });

  it.each([1, 2, 3])('in a stream without text, %i times: the stream still shows the text', async (count) => {
    const play = playIn(rig);
    await play.show({ state: 'thinking', steps: [{ id: '1', name: 'Search the manual', state: 'running' }] });
    const plan = { kind: 'status', status: 403, code: 'ContentStreamNotAllowed' } as const;
    rig.fake.plant({ ...plan, message: 'Message size too large', method: 'stream', count });
    await play.show({ state: 'writing', text: 'word '.repeat(1_800) });
    await play.show({ state: 'done', text: `${'word '.repeat(1_900)}end` });
    const texts = rig.texts(play.turn);
    expect(texts.filter((each) => !/word/.test(each))).toEqual([]);
    expect(texts.join('').match(/word/g)).toHaveLength(1_900);
    expect(texts.at(-1)).toMatch(/end$/);
    expect(seen(play).filter(({ streaming }) => streaming === 'live')).toEqual([]);
  });

  it('at a stream’s end: ends without its card', async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind: 'status', status: 400, method: 'final' });
    await play.show({ state: 'done', text: 'One two', suggestions: ['More?'] });
    expect(rig.texts(play.turn)).toEqual(['One two']);
    expect(seen(play)).toMatchObject([{ cards: [] }]);
  });

  it('is replaced by a new message if all its edits fail', async () => {
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: 'Half' });
    rig.fake.plant({ kind: 'status', status: 500, method: 'update', count: 5 });
    await play.show({ state: 'done', text: 'Half and whole' });
    expect(rig.texts(play.turn)).toEqual(['Half and whole']);
  });

  it('is replaced once, when it is complete, if edits are refused while it grows', async () => {
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: 'One.' });
    rig.fake.plant({ kind: 'status', status: 400, method: 'update', count: 50 });
    for (const more of [' Two.', ' Three.', ' Four.']) await play.show({ text: play.document.text + more });
    expect(rig.texts(play.turn)).toEqual(['One.']);
    await play.show({ state: 'done', text: 'One. Two. Three. Four. Five.' });
    expect(rig.texts(play.turn)).toEqual(['One. Two. Three. Four. Five.']);
  });
});

it('deletes all its messages if the question was deleted', async () => {
  const play = playIn(rig, { kind: 'room' });
  await play.show({ state: 'done', text: 'word '.repeat(5_000) });
  expect(rig.texts(play.turn).length).toBeGreaterThan(1);
  play.takeOver();
  await play.show({ state: 'withdrawn' });
  expect(rig.texts(play.turn)).toEqual([]);
});
