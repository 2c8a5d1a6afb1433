/**
 * Tests that a stream only grows and shows all text in order, for any text in any pieces. The fake Teams refuses other
 * changes.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { isFinal, type ReplyDocument } from '../../../../src/kit.ts';
import { anything } from '../../reply/markdown/hostile.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const text = fc.array(anything, { minLength: 1, maxLength: 6 }).map((texts) => texts.join('\n\n'));
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
const bare = (shown: string): string => shown.replace(/\s+/g, '');
const { markdown } = emitterOf('markdown');

async function grow(play: Play, whole: string, places: readonly number[]): Promise<void> {
  const at = places.map((share) => Math.floor(share * whole.length)).toSorted((one, other) => one - other);
  for (const end of at) if (end > 0) await play.show({ state: 'writing', text: whole.slice(0, end) });
  await play.show({ state: 'done', text: whole });
}

const refused = (play: Play) => play.calls().filter(({ status }) => status >= 300 || status === 0);

it('grows as a stream', () =>
  fc.assert(
    fc.asyncProperty(text, cuts, async (whole, places) => {
      const play = playIn(rig);
      await grow(play, whole, places);
      expect(refused(play)).toEqual([]);
      expect(play.methods().filter((method) => method === 'update')).toEqual([]);
      if (markdown(whole).trim() !== '')
        expect(bare(rig.texts(play.turn).join(''))).toBe(bare(markdown(whole)));
    }),
    { numRuns: 150 },
  ));

it('grows by edits', () =>
  fc.assert(
    fc.asyncProperty(text, cuts, async (whole, places) => {
      const play = playIn(rig, { kind: 'room' });
      await grow(play, whole, places);
      expect(refused(play)).toEqual([]);
      if (markdown(whole).trim() !== '')
        expect(bare(rig.texts(play.turn).join(''))).toBe(bare(markdown(whole)));
    }),
    { numRuns: 100 },
  ));

it('grows over several messages, each continuing the one before', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(40_000), cuts, fc.boolean(), async (from, places, streams) => {
      const play = playIn(rig, { streams });
      const whole = plausibleText(80_000).slice(from, from + 30_000);
      await grow(play, whole, places);
      expect(refused(play)).toEqual([]);
      // Removes what the next message repeats: the opening line of a fence, and the label above a table.
      const letters = (said: string) =>
        said
          .replaceAll(/^```ts$|▦\s*Table\s*\d+/gm, '')
          .match(/[a-z]/gi)
          ?.join('') ?? '';
      expect(letters(rig.texts(play.turn).join('\n'))).toBe(letters(markdown(whole)));
    }),
    { numRuns: 40 },
  ));

/**
 * What may happen between two moves: a fault of the next call, a takeover by another process, a rewrite, a late move.
 */
const fault = fc.constantFrom(
  'none',
  'none',
  'reset',
  'refuse',
  'gateway',
  '412',
  '503',
  'takeover',
  'rewrite',
  'late',
);
const story = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 30 }), fault), { maxLength: 10 });

it('grows despite faults of its calls, once its first words are shown', () =>
  fc.assert(
    fc.asyncProperty(story, fc.constantFrom('done', 'partial', 'failed'), async (steps, end) => {
      const play = playIn(rig);
      await play.show({ state: 'writing', text: 'First words' });
      for (const [more, what] of steps) {
        if (['reset', 'refuse', 'gateway'].includes(what))
          rig.fake.plant({ kind: what as 'reset', count: 1 });
        if (what === '412' || what === '503') rig.fake.plant({ kind: 'status', status: Number(what) });
        if (what === 'takeover') play.takeOver();
        if (what === 'late') rig.pass(60_000);
        const { text: so } = play.document;
        await play.show({ text: what === 'rewrite' ? `${more}${so.slice(1)}` : so + more });
        rig.fake.clearFaults();
      }
      await play.show({ state: end as ReplyDocument['state'] });
      expect(isFinal(play.document) && play.screen.finished).toBe(true);
      expect(rig.texts(play.turn).map(bare)).toEqual([bare(markdown(play.document.text))]);
    }),
    { numRuns: 200 },
  ));
