/**
 * Tests the card under a reply's text. It is a separate message, because Teams splits a text with a card into two
 * messages and reports no id.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const TABLE = '| Item | Count |\n| --- | ---: |\n| screws | 120 |\n';
/** Returns the texts and the cards' contents in the order of the messages. */
const inOrder = (play: Play): readonly string[] =>
  rig.messages(play.turn).map(({ shown }) => shown.text || JSON.stringify(shown.attachments));
const search = { id: 's', name: 'Search', state: 'running' } as const;

it('shows Stop and the steps while the text grows, then the buttons of the answer', async () => {
  const play = playIn(rig, { kind: 'room' });
  await play.show({ state: 'writing', text: 'One', steps: [search] });
  expect(rig.cards(play.turn)).toEqual([expect.stringContaining('parley.stop')]);
  await play.show({ text: 'One two' });
  await play.show({ steps: [{ ...search, state: 'done' }] });
  await play.show({ state: 'done', suggestions: ['Why?'] });
  expect(rig.cards(play.turn)).toEqual([expect.stringContaining('Why?')]);
  expect(rig.cards(play.turn).join('')).not.toContain('parley.stop');
  expect(play.kinds()).toEqual(['post', 'card', 'update', 'update', 'card', 'update', 'card']);
});

it('offers "Ask as me" only if it means other rights', async () => {
  for (const others of [true, false]) {
    rig.rights.others = others;
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'done', text: 'Said.' });
    expect(rig.cards(play.turn).join().includes('Ask as me')).toBe(others);
  }
  rig.rights.others = true;
});

it('neither waits for the text nor delays it while the answer runs', async () => {
  const play = playIn(rig, { kind: 'room' });
  play.change({ state: 'writing', text: 'One' });
  await play.step();
  play.change({ text: 'One two' });
  expect(play.next()).toMatchObject([
    { family: 'activity', essential: false },
    { family: 'card', essential: false },
  ]);
  play.change({ state: 'done' });
  expect(play.next()).toMatchObject([{ family: 'activity', essential: true, call: { kind: 'update' } }]);
});

it('follows its text, and its tables precede the next text', async () => {
  for (const kind of ['room', 'direct'] as const) {
    const play = playIn(rig, { kind });
    const text = `${TABLE}\n${'word '.repeat(3_000)}\n\n${TABLE}\nEnd.`;
    for (const at of [400, 9_000, 12_500]) await play.show({ state: 'writing', text: text.slice(0, at) });
    await play.show({ state: 'done', text });
    const shown = rig
      .messages(play.turn)
      .map(({ shown: { text: said, attachments } }) => [
        said.includes('▦ Table 1') && 'text 1',
        said.includes('▦ Table 2') && 'text 2',
        attachments.length > 0 && (JSON.stringify(attachments).includes('parley.') ? 'last card' : 'card'),
      ]);
    const order = shown.flat().filter((each) => each !== false);
    expect(order).toEqual(['text 1', 'card', 'text 2', 'last card']);
  }
});

it('is a separate message under a stream, because clients may separate them anyway', async () => {
  const play = playIn(rig);
  await play.show({ state: 'writing', text: 'One' });
  await play.show({ state: 'done', suggestions: ['Why?'] });
  expect(rig.messages(play.turn).map(({ shown }) => shown.attachments.length)).toEqual([0, 1]);
  await play.show({ sources: [{ key: 'k', title: 'Source', kind: 'document', fragments: [] }] });
  expect(rig.messages(play.turn).map(({ shown }) => [shown.text, shown.attachments.length])).toEqual([
    ['One', 0],
    ['', 1],
  ]);
  expect(rig.cards(play.turn).join('')).toContain('Source');
});

it('is deleted if it would be empty', async () => {
  const play = playIn(rig, { kind: 'group' });
  await play.show({ state: 'writing', text: 'One' });
  await play.show({ state: 'done', text: 'Done.', agent: undefined as never });
  expect(inOrder(play)).toEqual(['Done.']);
});

it('offers Retry under a stopped answer', async () => {
  const play = playIn(rig);
  await play.show({ state: 'writing', text: 'One' });
  const { sender, thread } = play.turn.message;
  const chat = rig.fake.tenant().state.conversations.get(thread.room);
  if (chat !== undefined) rig.fake.tenant().known(sender.id).stops(chat);
  await play.show({ text: 'One two' });
  expect(rig.cards(play.turn)).toEqual([]);
  await play.show({ state: 'stopped', retry: true });
  expect(inOrder(play)).toEqual(['One', expect.stringContaining('parley.retry')]);
});

describe('a card that Teams refuses', () => {
  it('is left out, and the text includes its content', async () => {
    for (const status of [400, 413]) {
      const play = playIn(rig, { kind: 'room' });
      rig.fake.plant({ kind: 'status', status, method: 'send', after: 1 });
      await play.show({
        state: 'done',
        text: `See\n\n${TABLE}`,
        notices: [{ tone: 'info', text: 'A note.' }],
      });
      expect(rig.cards(play.turn)).toEqual([]);
      expect(rig.texts(play.turn)).toEqual([expect.stringMatching(/screws[\s\S]*A note/)]);
    }
  });

  it('is not posted again after a person deleted it', async () => {
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: 'One', steps: [search] });
    const card = rig.messages(play.turn).find(({ shown }) => shown.text === '');
    if (card !== undefined) card.deletedAt = rig.now();
    await play.show({ state: 'done', steps: [] });
    expect(inOrder(play)).toEqual(['One']);
  });

  it('is posted again if all its edits fail', async () => {
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: 'One' });
    rig.fake.plant({ kind: 'status', status: 500, method: 'update', after: 1, count: 5 });
    await play.show({ state: 'done', suggestions: ['Why?'] });
    expect(rig.cards(play.turn).at(-1)).toContain('Why?');
  });
});

describe('a card of unknown outcome', () => {
  it.each([
    'reset',
    'refuse',
  ] as const)('is looked up by its buttons if messages may be read (%s)', async (fault) => {
    const play = playIn(rig, { kind: 'room', reads: true });
    rig.fake.plant({ kind: fault, method: 'send', after: 1 });
    await play.show({ state: 'writing', text: 'One' });
    await play.show({ state: 'done' });
    expect(rig.cards(play.turn)).toEqual([expect.stringContaining('parley.regenerate')]);
  });

  it('is otherwise posted once more, at the end', async () => {
    for (const fault of ['reset', 'refuse'] as const) {
      const play = playIn(rig, { kind: 'room' });
      rig.fake.plant({ kind: fault, method: 'send', after: 1 });
      await play.show({ state: 'writing', text: 'One' });
      await play.show({ text: 'One two' });
      expect(play.kinds().filter((kind) => kind === 'card')).toHaveLength(1);
      await play.show({ state: 'done' });
      expect(rig.cards(play.turn).at(-1)).toContain('parley.regenerate');
      expect(rig.cards(play.turn)).toHaveLength(fault === 'reset' ? 2 : 1);
      expect(rig.texts(play.turn)).toEqual(['One two']);
    }
  });
});

it('is stored with the screen, so that another process finds it', async () => {
  const play = playIn(rig, { kind: 'room' });
  await play.show({ state: 'writing', text: 'One' });
  const card = rig.messages(play.turn).find(({ shown }) => shown.text === '');
  expect(play.screen.beside).toEqual([card?.id]);
  play.takeOver();
  await play.show({ state: 'partial' });
  expect(rig.cards(play.turn)).toHaveLength(1);
});

it('is deleted with its text, whether the app or a person deleted that', async () => {
  const play = playIn(rig, { kind: 'room' });
  await play.show({ state: 'writing', text: 'One' });
  const text = rig.messages(play.turn).find(({ shown }) => shown.text === 'One');
  if (text !== undefined) text.deletedAt = rig.now();
  play.change({ text: 'One two' });
  while (await play.step());
  expect(inOrder(play)).toEqual([]);
  expect(rig.forgotten).toEqual([]);

  const other = playIn(rig, { kind: 'room' });
  await other.show({ state: 'writing', text: 'One' });
  await other.show({ state: 'withdrawn' });
  expect(inOrder(other)).toEqual([]);
});

it('is never sent together with a text, not even at the end of a stream', () => {
  for (const { method, asked } of rig.fake.log.of('send', 'update', 'final')) {
    expect([method, 'text' in asked && 'attachments' in asked]).toEqual([method, false]);
  }
});
