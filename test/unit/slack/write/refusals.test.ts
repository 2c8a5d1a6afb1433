/**
 * Tests every error that Slack documents, or that people saw, for the calls that show a reply: an edit, the start, the
 * growth and the end of a stream, and a post. Each error is permanent from some call on.
 */

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { meaningOf } from '../../../../adapters/slack/api/errors.ts';
import { type ReplyDocument, turnId } from '../../../../src/kit.ts';
import { visibleText } from '../../../fakes/slack/index.ts';
import { documentedErrors, seenErrors } from '../api/documented-errors.ts';
import { EDITS, type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

const closed: string[] = [];
let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ closed: (_, error) => void closed.push(error) });
});
beforeEach(() => {
  rig.fake.clearFaults();
  closed.length = 0;
});
afterAll(() => rig.close());

/** Returns the method's codes that mean neither a rate limit nor a lost installation. */
function codesOf(method: string): readonly string[] {
  const seen = seenErrors.filter(([of]) => of === method).map(([, code]) => code);
  const all = [...(documentedErrors[method] ?? []), ...(documentedErrors.common ?? []), ...seen];
  const codes = all.filter((code) => !['rate', 'off', 'done'].includes(meaningOf(method, code)));
  // The code of an open stream concerns replies by streams only.
  return [...new Set([...codes, 'no_page_names_this'])].filter((code) => code !== 'streaming_state_conflict');
}

const sources = [
  { key: 'k1', title: 'Handbook', kind: 'document', mark: 1, fragments: [{ text: 'Two years.' }] } as const,
];
const WORDS = ['Of', 'chairs:', 'two', 'years', 'of', 'warranty', '[1].'];
const WHOLE = WORDS.join(' ');

/** Plays a growing answer to its end, or until the reply has ended. */
async function answered(play: Play): Promise<Play> {
  for (let count = 1; count < WORDS.length && !play.screen.finished; count++)
    await shows(play, { state: 'writing', text: WORDS.slice(0, count).join(' ') });
  return shows(play, { state: 'done', text: WHOLE, sources });
}

/** Makes moves until there are none. The core makes no further moves after the outcome `gone`. */
async function shows(play: Play, change: Partial<ReplyDocument>): Promise<Play> {
  play.change(change);
  for (let made = 0; !play.screen.finished && (await play.step()); made++)
    if (made > 40) throw new Error(`Not at rest after ${play.families().slice(-10).join(', ')}`);
  return play;
}

/** How often the code is returned: for codes that may be temporary while a stream is open, once. */
const timesOf = (method: string, error: string): number =>
  method !== 'chat.startStream' && ['unknown', 'live', 'not-live'].includes(meaningOf(method, error))
    ? 1
    : 1_000;

const shown = (play: Play) => rig.messages(play.turn);
const stops = (play: Play) => JSON.stringify(shown(play).map(({ blocks }) => blocks)).match(/reply:stop/g);

/** Expects one message with the whole answer, and nobody told that it cannot be shown. */
function expectWhole(play: Play): string {
  const texts = shown(play).map(visibleText);
  // A stream that Slack refuses to end cannot be edited, so the whole answer stands below it.
  expect(texts.length).toBeLessThanOrEqual(play.screen.parts.some(({ id }) => isStuck(play, id)) ? 2 : 1);
  expect(texts.at(-1)).toContain('Of chairs: two years of warranty');
  expect(stops(play)).toBeNull();
  expect(closed).toEqual([]);
  return texts.at(-1) ?? '';
}

const isStuck = (play: Play, id: string): boolean =>
  shown(play).some(({ ts, stream }) => ts === id && stream?.state === 'live');

const byEdits = () => playIn(rig, EDITS, { ...rig.ask(), keptAt: 0 });
const AFRESH = 'Slack did not let me change my earlier message';

it.each(codesOf('chat.update'))('an answer that grows by edits is whole after %s', async (error) => {
  const play = byEdits();
  rig.fake.plant({ kind: 'error', error, method: 'chat.update', after: 2, count: 1_000 });
  await answered(play);
  const meaning = meaningOf('chat.update', error);
  if (meaning === 'closed') {
    expect(closed).toEqual([error]);
    expect(play.screen.finished).toBe(true);
    return;
  }
  const text = expectWhole(play);
  if (!['fixed', 'gone', 'unknown'].includes(meaning)) return;
  expect(text).toContain(AFRESH);
  expect(text).toContain('Handbook');
  expect(text).toContain('Sources (1)');
  expect(play.families().filter((family) => family === 'update').length).toBeLessThan(10);
});

it.each(codesOf('chat.update'))('an edited question is answered after %s', async (error) => {
  const first = await answered(byEdits());
  rig.fake.plant({ kind: 'error', error, method: 'chat.update', count: 1_000 });
  const turn = { ...first.turn, id: turnId('again'), reply: first.turn.id, keptAt: first.clock.now + 1 };
  const play = playIn(rig, EDITS, turn);
  play.screen = play.writer.resume(first.screen);
  play.document = { ...first.document, turn: turn.id };
  await shows(play, { state: 'thinking', text: '', sources: [], meanwhile: 'The question was edited.' });
  await shows(play, { state: 'writing', text: 'Of tables: three' });
  await shows(play, { state: 'done', text: 'Of tables: three years.' });
  if (meaningOf('chat.update', error) === 'closed') {
    expect(closed[0]).toBe(error);
    return;
  }
  const texts = shown(play).map(visibleText);
  expect(texts.at(-1)).toContain('Of tables: three years.');
  expect(texts.join().match(/Of tables/g)).toHaveLength(1);
  expect(stops(play)).toBeNull();
  expect(closed).toEqual([]);
  if (meaningOf('chat.update', error) === 'fixed') {
    expect(texts[0]).toContain('Of chairs: two years');
    expect(texts[1]).toContain(AFRESH);
  }
});

it.each(
  ['chat.startStream', 'chat.appendStream', 'chat.stopStream'].flatMap((method) =>
    codesOf(method).map((error) => [method, error] as const),
  ),
)('%s %s: the answer is whole, or the person is told', async (method, error) => {
  const play = playIn(rig);
  const { room } = play.turn.message.thread;
  // The other methods work, so the room is not closed.
  rig.fake.plant({ kind: 'error', error, method, channel: room, count: timesOf(method, error) });
  await answered(play);
  // A code for the whole workspace or room would otherwise end the streams of the next cases.
  rig.forget();
  if (error === 'stopped_by_user') return;
  if (['closed', 'threadless'].includes(meaningOf(method, error))) {
    expect(closed).toEqual([error]);
    return;
  }
  expectWhole(play);
});

it.each(codesOf('chat.postMessage'))('a refused first post with %s is told', async (error) => {
  const play = byEdits();
  rig.fake.plant({ kind: 'error', error, method: 'chat.postMessage', count: 1_000 });
  await shows(play, { state: 'done', text: WHOLE, sources });
  expect(closed).toEqual([error]);
  expect(play.screen.finished).toBe(true);
});

it('repeats a post for about a minute if Slack fails, before the person is told', async () => {
  const play = playIn(rig);
  for (const method of ['chat.startStream', 'chat.postMessage'])
    rig.fake.plant({ kind: 'status', status: 500, method, count: 1_000 });
  await shows(play, { state: 'done', text: WHOLE, sources });
  expect(closed).toEqual(['http_500']);
  const pauses = play.moves.map(({ outcome }) =>
    'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0,
  );
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(45_000);
  expect(play.families().filter((family) => family === 'startStream').length).toBeLessThan(4);
});

it('answers outside the thread if the thread of a direct message accepts no replies', async () => {
  const turn = rig.ask();
  const { thread } = turn.message;
  const play = playIn(rig, EDITS, {
    ...turn,
    message: { ...turn.message, thread: { ...thread, kind: 'direct' } },
  });
  rig.fake.plant({ kind: 'error', error: 'thread_locked', method: 'chat.postMessage', count: 1 });
  await play.show({ state: 'writing', text: 'Of chairs' });
  await play.show({ state: 'done', text: WHOLE });
  const outside = rig.fake.messages(thread.room).filter(({ app, threadTs }) => app && threadTs === undefined);
  expect(outside.map(visibleText).join()).toContain('two years of warranty');
  expect(closed).toEqual([]);
});

it('starts no further stream in a room that refused one', async () => {
  rig.fake.plant({ kind: 'error', error: 'user_not_found', method: 'chat.startStream' });
  const plays: Play[] = [];
  for (let nth = 0; nth < 3; nth++) plays.push(await answered(playIn(rig)));
  const starts = plays.flatMap((play) => play.families().filter((family) => family === 'startStream'));
  expect(starts).toHaveLength(1);
  rig.forget();
});
