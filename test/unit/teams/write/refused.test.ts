/**
 * Tests replies to whose calls Teams answers 403 or 404 without a documented reason (fault F27), and refusals of calls
 * beside the text (fault F42).
 */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closingCodes, type Fault, sporadic } from '../../../fakes/teams/index.ts';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
beforeEach(() => {
  rig.forgotten.length = 0;
  rig.unshown.length = 0;
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const SIXTY = Array.from({ length: 60 }, (_, line) => `Line ${line + 1}.`);
const STEPS = [1, 20, 40, 60].map((count) => SIXTY.slice(0, count).join('\n\n'));
const [FIRST = '', , , WHOLE = ''] = STEPS;

async function answer(play: Play): Promise<void> {
  await play.show({ state: 'thinking' });
  for (const text of STEPS) await play.show({ state: 'writing', text });
  await play.show({ state: 'done', text: WHOLE });
}

/** Selects calls by their place in the reply. */
const places: readonly (readonly [string, 'direct' | 'room', Omit<Fault, 'kind'>])[] = [
  ['the first post', 'room', { method: 'send' }],
  ['the second edit', 'room', { method: 'update', after: 1, only: 'Line' }],
  ['the last edit', 'room', { method: 'update', after: 3, only: 'Line' }],
  ['the card', 'room', { method: 'send', only: 'AdaptiveCard' }],
  ['an edit of the card', 'room', { method: 'update', only: 'AdaptiveCard' }],
  ['the first call of a stream', 'direct', { method: 'stream' }],
  ['the second call of a stream', 'direct', { method: 'stream', after: 1 }],
  ['the end of a stream', 'direct', { method: 'final' }],
  ['the typing indicator', 'direct', { method: 'typing' }],
];

describe.each(Object.entries(sporadic))('a single refusal %s', (_, fault) => {
  it.each(places)('of %s: one whole message', async (_place, kind, which) => {
    const play = playIn(rig, { kind, streams: which.method !== 'typing' });
    const planted = rig.fake.plant({ ...fault, ...which });
    await answer(play);
    expect(planted.hits).toBe(1);
    expect(rig.texts(play.turn)).toEqual([WHOLE]);
    expect(rig.cards(play.turn)).toHaveLength(1);
    expect(rig.forgotten).toEqual([]);
  });
});

it.each([
  '',
  '<html>no</html>',
  '{"message":"no"}',
  '{"error":"no"}',
])('repeats after a 403 with the body %j', async (body) => {
  const play = playIn(rig, { kind: 'room' });
  rig.fake.plant({ kind: 'status', status: 403, body, count: 3 });
  await answer(play);
  expect(rig.texts(play.turn)).toEqual([WHOLE]);
});

describe('refusals that do not end', () => {
  const always = { ...sporadic[403], count: 1_000 };

  it('of all edits: a new message shows the answer, and the old one is deleted', async () => {
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: FIRST });
    rig.fake.plant({ ...always, method: 'update' });
    await play.show({ state: 'writing', text: STEPS[1] ?? '' });
    expect(rig.texts(play.turn)).toEqual([FIRST]);
    await play.show({ state: 'done', text: WHOLE });
    expect(rig.texts(play.turn)).toEqual([WHOLE]);
    expect(play.screen.finished).toBe(true);
  });

  it('of all edits and deletions: the new message stays, and the reply ends', async () => {
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: FIRST });
    rig.fake.plant({ ...always, method: ['update', 'delete'] });
    await play.show({ state: 'done', text: WHOLE });
    expect(rig.texts(play.turn)).toEqual([FIRST, WHOLE]);
    expect(play.screen.finished).toBe(true);
  });

  it.each([
    ['the start of a stream', 0, ['stream'], [WHOLE]],
    ['a stream and its end', 1, ['stream', 'final'], [FIRST, WHOLE]],
  ] as const)('of %s: messages show the answer', async (_, after, method, texts) => {
    const play = playIn(rig, { kind: 'direct' });
    rig.fake.plant({ ...always, method, after });
    await play.show({ state: 'writing', text: FIRST });
    await play.show({ state: 'done', text: WHOLE });
    expect(rig.texts(play.turn)).toEqual(texts);
    // Teams deletes no message whose stream is open, so the first message is deleted later.
    expect(rig.later.splice(0)).toHaveLength(texts.length - 1);
  });

  it('of all cards: the text shows everything', async () => {
    const play = playIn(rig, { kind: 'room' });
    rig.fake.plant({ ...always, only: 'AdaptiveCard' });
    const table = 'Before.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';
    await play.show({ state: 'writing', text: 'Before.' });
    await play.show({ state: 'done', text: table });
    const [text, ...more] = rig.texts(play.turn);
    expect(text).toMatch(/a.*b[\s\S]*1.*2/);
    expect(more).toEqual([]);
    expect(play.screen.finished).toBe(true);
  });

  it('of typing indicators: the answer is shown', async () => {
    const play = playIn(rig, { kind: 'group' });
    rig.fake.plant({ kind: 'status', status: 403, code: 'BotNotInConversationRoster', method: 'typing' });
    await answer(play);
    expect(play.kinds()[0]).toBe('typing');
    expect(rig.texts(play.turn)).toEqual([WHOLE]);
    expect(rig.forgotten).toEqual([]);
  });

  it('of posts: the person is told later', async () => {
    const play = playIn(rig, { kind: 'room' });
    rig.fake.plant({ ...always, method: 'send' });
    play.change({ state: 'done', text: WHOLE });
    for (let tries = 0; tries < 8; tries++) await play.step();
    expect(play.outcomes().every((each) => each.kind === 'refused' && each.why === 'busy')).toBe(true);
    expect(rig.unshown).toEqual([play.turn.id]);
    expect(rig.forgotten).toEqual([]);
  });

  it('because the conversation is missing: five of them close it', async () => {
    const play = playIn(rig, { kind: 'room' });
    await play.show({ state: 'writing', text: FIRST });
    rig.fake.plant({ ...sporadic.missing, count: 1_000 });
    play.change({ text: WHOLE });
    for (let tries = 0; tries < 5; tries++) await play.step();
    expect(play.outcomes().at(-1)).toEqual({ kind: 'refused', why: 'gone' });
    expect(rig.forgotten).toHaveLength(1);
  });
});

it.each(closingCodes)('a closing code for a card closes nothing (%s)', async (code) => {
  const play = playIn(rig, { kind: 'room' });
  rig.fake.plant({ kind: 'status', status: 403, code, only: 'AdaptiveCard', count: 2 });
  await answer(play);
  expect(rig.texts(play.turn)).toEqual([WHOLE]);
  expect(rig.forgotten).toEqual([]);
});

it('keeps the address with which the reply began', async () => {
  const play = playIn(rig, { kind: 'room' });
  await play.show({ state: 'writing', text: FIRST });
  rig.forgotten.push(play.turn.message.thread.room);
  await play.show({ state: 'done', text: WHOLE });
  expect(rig.texts(play.turn)).toEqual([WHOLE]);
});
