/**
 * Tests screens that an earlier version stored (test/recorded/screens): their replies continue in the same messages.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Media, Screen } from '../../../../src/kit/ladder.ts';
import recorded from '../../../recorded/screens/slack.json' with { type: 'json' };
import { EDITS, only, Play } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const WORDS = 'The storage keeps every item. ';
const LONG = `${WORDS.repeat(300)}\n\n\`\`\`ts\n${'const answer = 42;\n'.repeat(200)}`;
const image: Media = { id: '1', kind: 'image', name: 'Chart', ref: { kind: 'file-id', id: '1' } };
const search = { id: 's1', name: 'Search', state: 'running' } as const;

type Story = readonly [string, () => Promise<Play>];

/** For each stored screen, the calls of its reply up to the moment when the screen was stored. */
const stories: readonly Story[] = [
  [
    'a stream with a task',
    async () => {
      const play = new Play(rig);
      await play.show({ steps: [search] });
      return play.show({ state: 'writing', text: WORDS });
    },
  ],
  ['a second stream, inside a fence', () => new Play(rig).show({ state: 'writing', text: LONG })],
  [
    'a stream after an append of unknown outcome',
    async () => {
      const play = new Play(rig);
      await play.show({ state: 'writing', text: WORDS });
      rig.fake.plant({ kind: 'reset', method: 'chat.appendStream' });
      play.change({ text: WORDS.repeat(2) });
      await play.step();
      return play;
    },
  ],
  [
    'a start of unknown outcome',
    async () => {
      const play = new Play(rig);
      rig.fake.plant({ kind: 'reset', method: 'chat.startStream' });
      play.change({ state: 'writing', text: WORDS });
      await play.step();
      return play;
    },
  ],
  [
    'a post of unknown outcome',
    async () => {
      const play = new Play(rig, EDITS);
      rig.fake.plant({ kind: 'reset', method: 'chat.postMessage' });
      play.change({ state: 'writing', text: WORDS });
      await play.step();
      return play;
    },
  ],
  [
    'edits',
    async () => {
      const play = new Play(rig, EDITS);
      await play.show({});
      return play.show({ state: 'writing', text: WORDS });
    },
  ],
  [
    'two messages by edits',
    () => new Play(rig, EDITS).show({ state: 'writing', text: LONG + LONG.slice(0, 4_000) }),
  ],
  [
    'a first message that was posted alone',
    () => {
      const [posts, edits] = [only('chat.postMessage'), EDITS];
      const play: Play = new Play(rig, (moves) => (play.moves.length === 0 ? posts : edits)(moves));
      play.change({ state: 'writing', text: `${WORDS}\n\nAnd` });
      return play.step().then(() => play);
    },
  ],
  [
    'a message in a simpler form',
    async () => {
      rig.fake.plant({ kind: 'error', error: 'invalid_blocks', method: 'chat.postMessage' });
      return new Play(rig, EDITS).show({ state: 'writing', text: WORDS });
    },
  ],
  ['an uploaded image', () => new Play(rig, EDITS).show({ state: 'writing', text: WORDS, media: [image] })],
  [
    'a whole answer',
    async () => {
      const play = new Play(rig);
      await play.show({ state: 'writing', text: 'So [4] and [2].' });
      const source = { title: 'One', kind: 'document', fragments: [] } as const;
      return play.show({
        state: 'done',
        sources: [2, 4].map((mark) => ({ ...source, key: `${mark}`, mark })),
      });
    },
  ],
  [
    'a message that takes no edits',
    async () => {
      const play = new Play(rig, EDITS);
      await play.show({ state: 'writing', text: 'One.' });
      rig.fake.plant({ kind: 'error', error: 'edit_window_closed', method: 'chat.update', count: 9 });
      return play.show({ text: 'One. Two.' });
    },
  ],
];

it.each(stories)('%s', async (name, begin) => {
  const play = await begin();
  rig.fake.clearFaults();
  const { screen, then } = recorded[name as keyof typeof recorded];
  const before = rig.messages(play.turn).map(({ ts }) => ts);
  const calls = play.moves.length;
  play.screen = withIds(screen, play.screen);
  play.takeOver();
  const { text } = play.document;
  await play.show({ state: 'writing', text: `${text} More` });
  await play.show({ state: 'done', text: `${text} More words.` });
  expect(play.screen.finished).toBe(true);
  const isLeft = play.families().includes('delete');
  if (!isLeft) expect(rig.messages(play.turn).map(({ ts }) => ts)).toEqual(expect.arrayContaining(before));
  expect(rig.texts(play.turn).join('')).toContain('More words.');
  expect(play.families().slice(calls)).toEqual(then);
});

/** Returns a recorded screen with its ids replaced by those of this run's messages and files. */
function withIds(known: object, now: Screen): Screen {
  const ids = new Map(idsOf(known as Screen).map((id, index) => [id, idsOf(now)[index] ?? id]));
  return JSON.parse(JSON.stringify(known), (_, value) => ids.get(value) ?? value);
}

function idsOf({ parts, images = {} }: Screen & { readonly images?: object }): readonly string[] {
  const files = Object.values(images).flatMap(({ file }: { readonly file?: string }) => file ?? []);
  return [...parts.map(({ id }) => id), ...files];
}
