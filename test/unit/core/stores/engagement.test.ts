import { beforeEach, describe, expect, test } from 'vitest';
import type { MentionRule } from '../../../../src/core/agents/access.ts';
import {
  createEngagement,
  type Engagement,
  hasWords,
  type Overheard,
} from '../../../../src/core/stores/engagement.ts';
import { memoryKeyed } from '../../slack/keyed.ts';

const thread = { channel: 'slack', tenant: 'T1', room: 'C1', key: '1.1', kind: 'room' } as const;
let state: Map<string, unknown>;
let engagement: Engagement;
let writes: number;

beforeEach(() => {
  state = new Map();
  writes = 0;
  const keyed = memoryKeyed(state);
  engagement = createEngagement({
    get: keyed.get,
    async change(key, next, ttlMs) {
      const isChanged = await keyed.change(key, next, ttlMs, 'nobody');
      if (isChanged) writes += 1;
      return isChanged;
    },
  });
});

const ask = (by: string, at: number, rule?: 'always' | 'mention') =>
  engagement.asked(thread, { by, at, rule });
const answer = () => engagement.answered(thread);
const hear = (by: string, at: number, over: Partial<Overheard> = {}, rule: MentionRule = 'alone') =>
  engagement.isQuestion(
    { thread, by, at, text: 'and then?', hasMore: false, place: 'thread', ...over },
    rule,
  );

describe('alone', () => {
  test('nothing is a question in a thread in which nobody asked', async () => {
    expect(await hear('ada', 1)).toBe(false);
    expect(writes).toBe(0);
  });

  test('the person who asked needs no mention, neither before nor after the answer', async () => {
    await ask('ada', 1);
    expect(await hear('ada', 2)).toBe(true);
    await answer();
    expect(await hear('ada', 3)).toBe(true);
  });

  test('somebody who never asked is silence, and the asker then needs a mention until the next answer', async () => {
    await ask('ada', 1);
    await answer();
    expect(await hear('ben', 2)).toBe(false);
    expect(await hear('ada', 3)).toBe(false);
    await ask('ada', 4);
    expect(await hear('ada', 5)).toBe(false);
    await answer();
    expect(await hear('ada', 6)).toBe(true);
    expect(await hear('ben', 7)).toBe(false);
  });

  test('each of two people who asked may go on, if nobody else wrote since the last answer', async () => {
    await ask('ada', 1);
    await answer();
    await ask('ben', 2);
    expect(await hear('ada', 3)).toBe(false);
    await answer();
    expect(await hear('ada', 4)).toBe(true);
    await ask('ada', 4);
    expect(await hear('ben', 5)).toBe(false);
    await answer();
    expect(await hear('ben', 6)).toBe(true);
  });

  test.each([
    'first',
    'later',
  ] as const)('a message to somebody else counts for its author too: %s', async (other) => {
    await ask('ada', 1);
    await answer();
    expect(await hear('ada', 2, { other })).toBe(false);
    expect(await hear('ada', 3)).toBe(false);
  });

  test('a message without words is silence, and people talk', async () => {
    await ask('ada', 1);
    await ask('ben', 2);
    await answer();
    expect(await hear('ada', 3, { text: ':tada: 👍🏽', hasMore: true })).toBe(false);
    expect(await hear('ada', 4)).toBe(true);
    expect(await hear('ben', 5)).toBe(false);
  });

  test('the channel’s own times decide if events arrive in another order', async () => {
    await ask('ada', 10);
    await answer();
    expect(await hear('ben', 13)).toBe(false);
    expect(await hear('ada', 12)).toBe(true);
    await ask('ada', 12);
    await answer();
    // Ben wrote before the question that has been answered meanwhile.
    expect(await hear('ben', 11)).toBe(false);
    expect(await hear('ada', 20)).toBe(true);
  });

  test('a question that arrives twice changes nothing', async () => {
    await ask('ben', 1);
    await ask('ada', 2);
    await answer();
    await ask('ada', 2);
    expect(await hear('ben', 3)).toBe(true);
  });

  test('a busy thread costs at most two writes until the next answer', async () => {
    await ask('ada', 1);
    await answer();
    const before = writes;
    for (let at = 2; at < 500; at += 1) await hear(`p${at % 40}`, at);
    expect(writes - before).toBe(2);
  });

  test('a value of an older version lets everybody ask, as that version did', async () => {
    state.set('engaged T1 C1 1.1', true);
    expect(await engagement.has(thread)).toBe(true);
    expect(await hear('ada', 1)).toBe(true);
    await ask('ada', 1);
    await answer();
    expect(await hear('ben', 2)).toBe(false);
  });
});

test('the other rules', async () => {
  const all = async (over: Partial<Overheard>) => {
    const rules: readonly MentionRule[] = ['always', 'mention', 'open'];
    return Promise.all(rules.map((rule) => hear('ben', 5, over, rule)));
  };
  expect(await all({})).toEqual([false, false, true]);
  await ask('ada', 1);
  expect(await all({})).toEqual([true, false, true]);
  expect(await all({ other: 'later' })).toEqual([true, false, true]);
  expect(await all({ other: 'first' })).toEqual([false, false, false]);
  expect(await all({ place: 'start' })).toEqual([false, false, true]);
  expect(await all({ text: '👍' })).toEqual([false, false, false]);
  expect(await all({ text: '', hasMore: true })).toEqual([false, false, true]);
});

test('what a person chose for the thread replaces the rule of the room', async () => {
  await ask('ada', 1, 'mention');
  await answer();
  expect(await hear('ada', 2)).toBe(false);
  expect(await hear('ada', 3, {}, 'open')).toBe(false);
  await ask('ada', 4, 'always');
  // The event of `quiet` arrives again.
  await ask('ada', 1, 'mention');
  expect(await hear('ben', 5)).toBe(true);
});

test('a chat without threads counts as a thread for ten minutes after a question', async () => {
  await ask('ada', 1);
  await answer();
  expect(await hear('ada', 9 * 60_000, { place: 'chat' })).toBe(true);
  expect(await hear('ada', 11 * 60_000, { place: 'chat' })).toBe(false);
});

test('in a direct chat everything but emoji is a question, and nothing is stored', async () => {
  const direct = { ...thread, kind: 'direct' } as const;
  await engagement.asked(direct, { by: 'ada', at: 1 });
  expect(await hear('ada', 2, { thread: direct, place: 'start' })).toBe(true);
  expect(await hear('ada', 2, { thread: direct, text: '', hasMore: true })).toBe(true);
  expect(await hear('ada', 2, { thread: direct, text: '👍' })).toBe(false);
  expect(state.size).toBe(0);
});

test.each([
  ['', false],
  [' \n', false],
  ['👍', false],
  ['👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇳🇴 ❤️ 1️⃣', false],
  [':tada: :wave::skin-tone-2: :+1:', false],
  [':-) ;)', false],
  ['thanks', true],
  ['?', true],
  ['5', true],
  ['谢谢', true],
  ['👍 and why?', true],
  ['10:30:45', true],
])('words: %j %s', (text, says) => expect(hasWords(text)).toBe(says));

test('a person whose id begins like that of another one counts as somebody else', async () => {
  await ask('U1', 1);
  await ask('U12', 2);
  expect(await hear('U1', 3)).toBe(false);
  await answer();
  expect(await hear('U1', 4)).toBe(true);
});

test('a message that is heard while another person asks does not undo the question', async () => {
  await ask('U1', 1);
  await Promise.all([hear('U2', 2), ask('U3', 3)]);
  await answer();
  expect(await hear('U3', 4)).toBe(true);
});
