/**
 * Tests screens that an earlier version stored (test/recorded/screens): their replies continue in the same messages.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Media, Screen } from '../../../../src/kit/ladder.ts';
import recorded from '../../../recorded/screens/slack.json' with { type: 'json' };
import { EDITS, only, type Play, playIn } from './play.ts';
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
      const play = playIn(rig);
      await play.show({ steps: [search] });
      return play.show({ state: 'writing', text: WORDS });
    },
  ],
  ['a second stream, inside a fence', () => playIn(rig).show({ state: 'writing', text: LONG })],
  [
    'a stream after an append of unknown outcome',
    async () => {
      const play = playIn(rig);
      await play.show({ state: 'writing', text: WORDS });
      rig.fake.plant({ kind: 'reset', method: 'chat.appendStream' });
      return play.begin({ text: WORDS.repeat(2) });
    },
  ],
  [
    'a start of unknown outcome',
    async () => {
      const play = playIn(rig);
      rig.fake.plant({ kind: 'reset', method: 'chat.startStream' });
      return play.begin({ state: 'writing', text: WORDS });
    },
  ],
  [
    'a post of unknown outcome',
    async () => {
      const play = playIn(rig, EDITS);
      rig.fake.plant({ kind: 'reset', method: 'chat.postMessage' });
      return play.begin({ state: 'writing', text: WORDS });
    },
  ],
  [
    'edits',
    async () => {
      const play = playIn(rig, EDITS);
      await play.show({});
      return play.show({ state: 'writing', text: WORDS });
    },
  ],
  [
    'two messages by edits',
    () => playIn(rig, EDITS).show({ state: 'writing', text: LONG + LONG.slice(0, 4_000) }),
  ],
  [
    'a first message that was posted alone',
    () => {
      const [posts, edits] = [only('chat.postMessage'), EDITS];
      const play: Play = playIn(rig, (moves) => (play.moves.length === 0 ? posts : edits)(moves));
      return play.begin({ state: 'writing', text: `${WORDS}\n\nAnd` });
    },
  ],
  [
    'a message in a simpler form',
    async () => {
      rig.fake.plant({ kind: 'error', error: 'invalid_blocks', method: 'chat.postMessage' });
      return playIn(rig, EDITS).show({ state: 'writing', text: WORDS });
    },
  ],
  ['an uploaded image', () => playIn(rig, EDITS).show({ state: 'writing', text: WORDS, media: [image] })],
  [
    'a whole answer',
    async () => {
      const play = playIn(rig);
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
      const play = playIn(rig, EDITS);
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
  await play.finish(screen, idsOf);
  const isLeft = play.families().includes('delete');
  if (!isLeft) expect(rig.messages(play.turn).map(({ ts }) => ts)).toEqual(expect.arrayContaining(before));
  expect(rig.texts(play.turn).join('')).toContain('More words.');
  expect(play.families().slice(calls)).toEqual(then);
});

function idsOf({ parts, images = {} }: Screen & { readonly images?: object }): readonly string[] {
  const files = Object.values(images).flatMap(({ file }: { readonly file?: string }) => file ?? []);
  return [...parts.map(({ id }) => id), ...files];
}
