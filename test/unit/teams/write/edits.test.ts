/** A reply by edits: in channels and group chats, where Teams has no streams. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Media, type Move, parse, plainBlocks } from '../../../../src/kit.ts';
import { PNG } from '../../../fakes/pixel.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';
import { Play } from './play.ts';
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
    const play = new Play(rig, { kind });
    await play.show({});
    await play.show({ state: 'writing', text: 'The **first' });
    expect(rig.texts(play.turn)).toEqual(['The **first**']);
    await play.show({ text: 'The **first words**' });
    await play.show({ state: 'done' });
    const dots = kind === 'group' ? ['typing'] : [];
    expect(play.kinds).toEqual([...dots, 'post', 'card', 'update', 'update', 'card']);
    expect(seen(play)).toMatchObject([{ text: 'The **first words**' }]);
    await play.show({ sources: [{ key: 'k', title: 'Source', kind: 'document', fragments: [] }] });
    expect(play.kinds.slice(dots.length + 5)).toEqual(['update', 'card']);
    expect(rig.cards(play.turn)).toHaveLength(1);
  });

  it('shows what the agent does before any text', async () => {
    const play = new Play(rig, { kind });
    await play.show({ steps: [{ id: 's', name: 'Search', state: 'running' }] });
    expect(rig.texts(play.turn)).toEqual(['Thinking…']);
    expect(rig.cards(play.turn)).toEqual([expect.stringContaining('Search')]);
    await play.show({ state: 'done', text: 'Found.' });
    expect(rig.texts(play.turn)).toEqual(['Found.']);
    expect(play.methods()).toEqual(['send', 'update']);
  });
});

it('is answered in the thread of a channel, from the app, without a recipient', async () => {
  const play = new Play(rig, { kind: 'room' });
  await play.show({ state: 'done', text: 'Here.' });
  const [call] = play.calls();
  expect(call?.root).toBe(play.turn.message.thread.key);
  expect(call?.asked).toMatchObject({
    from: { id: rig.fake.app.botId },
    conversation: { tenantId: play.turn.message.thread.tenant },
  });
  expect(call?.asked).not.toHaveProperty('recipient');
});

it('says again that somebody writes when the dots have faded, and not before', async () => {
  const play = new Play(rig, { kind: 'group' });
  await play.show({});
  expect(play.next()).toEqual([]);
  expect(play.screen.reviewAt).toBe(rig.now() + 4_000);
  rig.pass(4_000);
  expect(play.next()).toMatchObject([{ family: 'typing', essential: false }]);
});

it('says in words that it thinks where dots are not shown, once nothing has come for 3 s', async () => {
  const play = new Play(rig, { kind: 'room' });
  await play.show({});
  expect(play.kinds).toEqual([]);
  expect(play.screen.reviewAt).toBe(rig.now() + 3_000);
  rig.pass(3_000);
  await play.show({});
  expect(rig.texts(play.turn)).toEqual(['Thinking…']);
  await play.show({ state: 'done', text: 'Found.' });
  expect(rig.texts(play.turn)).toEqual(['Found.']);
});

it.each(['room', 'group', 'direct'] as const)('shows 50,000 characters whole, in order: %s', async (kind) => {
  const play = new Play(rig, { kind, streams: false });
  const text = plausibleText(50_000);
  for (let at = 1_997; at < text.length; at += 1_997)
    await play.show({ state: 'writing', text: text.slice(0, at) });
  await play.show({ text, state: 'done' });
  const said = words(rig.texts(play.turn).join('\n'));
  expect(said.match(/eveningdiffers/g)).toHaveLength(text.match(/evening differs/g)?.length ?? 0);
  expect(rig.texts(play.turn).length).toBeLessThanOrEqual(8);
  expect(rig.fake.log.failed()).toEqual([]);
});

it('sends a small image along, links a large one, and does without one that is lost', async () => {
  const play = new Play(rig, { kind: 'room' });
  await play.show({ state: 'writing', text: 'See' });
  // Bytes that an image in the card may have, and one more.
  await play.show({ state: 'done', media: ['a', 'is6144', 'is6145', 'lost'].map(image) });
  const card = rig.cards(play.turn).join('');
  expect(card.match(/data:image\/png/g)).toHaveLength(2);
  expect(card).toContain('https://bridge.example/media/is6145');
  expect(card).toContain(`data:image/png;base64,${PNG.toString('base64')}`);
  expect(card).toContain('https://bridge.example/media/lost');
});

describe('another version of the reply', () => {
  it('stands in the same message', async () => {
    const play = new Play(rig);
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

  it('takes away the messages that it does not need', async () => {
    const play = new Play(rig, { kind: 'group' });
    await play.show({ state: 'done', text: 'word '.repeat(5_000) });
    expect(rig.texts(play.turn).length).toBeGreaterThan(1);
    play.takeOver();
    await play.show({ state: 'done', text: 'Short.' });
    expect(rig.texts(play.turn)).toEqual(['Short.']);
  });
});

/** Whether a stream is to end with all that is to be said. */
const isWhole = (move: Move | undefined): boolean =>
  (move?.call as { readonly why?: string } | undefined)?.why === 'end';

describe('a message that Teams does not take', () => {
  it('is simpler, then its text alone, and says all of it', async () => {
    for (const [count, form] of [
      [1, 'markdown'],
      [2, 'plain'],
    ] as const) {
      const play = new Play(rig, { kind: 'room' });
      rig.fake.plant({ kind: 'status', status: 400, method: 'send', count });
      await play.show({ state: 'done', text: 'Words **of** it.', suggestions: ['More?'] });
      const [message] = rig.messages(play.turn);
      expect(message?.shown).toMatchObject({ textFormat: form, attachments: [] });
      expect(message?.shown.text).toContain('of');
    }
  });

  it('is shorter where it is too large, with the rest after it', async () => {
    for (const method of ['send', 'update'] as const) {
      const play = new Play(rig, { kind: 'room' });
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

  it('in a stream: what it shows is closed, and the rest comes after it', async () => {
    for (const method of ['stream', 'final'] as const) {
      const play = new Play(rig);
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

  it('in a stream’s end, in every form: it is closed as it is, and edits bring the rest', async () => {
    const play = new Play(rig);
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

  it.each([
    1, 2, 3,
  ])('in a stream that shows no word yet, %i times: the words stand in it all the same', async (count) => {
    const play = new Play(rig);
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

  it('in a stream’s end: it ends without its card', async () => {
    const play = new Play(rig);
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind: 'status', status: 400, method: 'final' });
    await play.show({ state: 'done', text: 'One two', suggestions: ['More?'] });
    expect(rig.texts(play.turn)).toEqual(['One two']);
    expect(seen(play)).toMatchObject([{ cards: [] }]);
  });

  it('is posted anew when its edits never get through', async () => {
    const play = new Play(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: 'Half' });
    rig.fake.plant({ kind: 'status', status: 500, method: 'update', count: 5 });
    await play.show({ state: 'done', text: 'Half and whole' });
    expect(rig.texts(play.turn)).toEqual(['Half', 'Half and whole']);
  });

  it('is posted anew once, when it is whole, where edits are refused while it grows', async () => {
    const play = new Play(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: 'One.' });
    rig.fake.plant({ kind: 'status', status: 400, method: 'update', count: 50 });
    for (const more of [' Two.', ' Three.', ' Four.']) await play.show({ text: play.document.text + more });
    expect(rig.texts(play.turn)).toEqual(['One.']);
    await play.show({ state: 'done', text: 'One. Two. Three. Four. Five.' });
    expect(rig.texts(play.turn)).toEqual(['One.', 'One. Two. Three. Four. Five.']);
  });
});

it('takes all its messages away when the question was deleted', async () => {
  const play = new Play(rig, { kind: 'room' });
  await play.show({ state: 'done', text: 'word '.repeat(5_000) });
  expect(rig.texts(play.turn).length).toBeGreaterThan(1);
  play.takeOver();
  await play.show({ state: 'withdrawn' });
  expect(rig.texts(play.turn)).toEqual([]);
});
