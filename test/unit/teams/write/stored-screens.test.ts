/**
 * Tests that a reply whose screen an earlier version stored (test/recorded/screens) is finished in the messages that it
 * already has.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Screen } from '../../../../src/kit/ladder.ts';
import recorded from '../../../recorded/screens/teams.json' with { type: 'json' };
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const WORDS = 'The storage keeps every item. ';
const TABLE = '| Item | Count |\n| --- | ---: |\n| screws | 120 |\n\n';
const LONG = `${TABLE}${WORDS.repeat(350)}\n\n\`\`\`ts\n${'const answer = 42;\n'.repeat(200)}`;
const search = { id: 's1', name: 'Search', state: 'running' } as const;
const room = { kind: 'room' } as const;

type Story = readonly [string, () => Promise<Play>];

/** For each stored screen, the events of its reply up to the moment when the screen was stored. */
const stories: readonly Story[] = [
  ['a stream that shows steps', () => playIn(rig).show({ steps: [search] })],
  ['a stream of words', () => playIn(rig).show({ state: 'writing', text: WORDS })],
  ['a second stream, inside a fence', () => playIn(rig).show({ state: 'writing', text: LONG })],
  [
    'a stream after a call of unknown outcome',
    async () => {
      const play = playIn(rig);
      await play.show({ state: 'writing', text: WORDS });
      rig.fake.plant({ kind: 'reset', method: 'stream' });
      return play.begin({ text: WORDS.repeat(2) });
    },
  ],
  [
    'a stream that takes no longer text',
    async () => {
      const play = playIn(rig);
      await play.show({ state: 'writing', text: WORDS });
      const plan = { kind: 'status', status: 403, code: 'ContentStreamNotAllowed' } as const;
      rig.fake.plant({ ...plan, message: 'Message size too large', method: 'stream' });
      return play.begin({ text: WORDS.repeat(90) });
    },
  ],
  ['edits with a card', () => playIn(rig, room).show({ state: 'writing', text: WORDS, steps: [search] })],
  ['two messages and a table', () => playIn(rig, room).show({ state: 'writing', text: LONG + LONG })],
  [
    'a post of unknown outcome that is looked up',
    async () => {
      const play = playIn(rig, { ...room, reads: true });
      rig.fake.plant({ kind: 'reset', method: 'send' });
      return play.begin({ state: 'writing', text: WORDS });
    },
  ],
  [
    'a message without words that may stand there twice',
    async () => {
      const play = playIn(rig, room);
      rig.fake.plant({ kind: 'reset', method: 'send' });
      await play.show({ steps: [search] });
      return play.show({ state: 'writing', text: WORDS });
    },
  ],
  [
    'a card of unknown outcome',
    async () => {
      const play = playIn(rig, room);
      rig.fake.plant({ kind: 'reset', method: 'send', after: 1 });
      await play.show({ state: 'writing', text: WORDS });
      return play.show({ text: WORDS.repeat(2) });
    },
  ],
  [
    'a card that is looked up',
    async () => {
      const play = playIn(rig, { ...room, reads: true });
      rig.fake.plant({ kind: 'reset', method: 'send', after: 1 });
      play.change({ state: 'writing', text: WORDS });
      await play.step();
      await play.step();
      return play;
    },
  ],
  [
    'a message in a simpler form',
    async () => {
      rig.fake.plant({ kind: 'status', status: 400, method: 'send' });
      return playIn(rig, room).show({ state: 'writing', text: WORDS });
    },
  ],
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
];

it.each(stories)('%s', async (name, begin) => {
  const play = await begin();
  rig.fake.clearFaults();
  const { screen, then } = recorded[name as keyof typeof recorded];
  const before = rig.messages(play.turn).map(({ id }) => id);
  const calls = play.calls().length;
  await play.finish(screen, idsOf);
  expect(rig.messages(play.turn).map(({ id }) => id)).toEqual(expect.arrayContaining(before));
  expect(rig.texts(play.turn).join('')).toContain('More words.');
  const methods = play.calls().map(({ method }) => method);
  expect(methods.slice(calls)).toEqual(then);
});

const idsOf = ({ parts, beside = [] }: Screen): readonly string[] => [
  ...parts.map(({ id }) => id),
  ...beside,
];
