/** Tests that a measurement of a live check leaves no message in the chat, also if Ctrl-C interrupts it. */

import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { LiveStage } from '../../../src/kit/live.ts';
import type { LiveAttempt, LiveChat, LivePost } from '../../../src/kit/live-acts.ts';
import { measuringActs } from '../../../src/kit/live-limits.ts';

const unused = (): never => {
  throw new Error('A measurement does not call this.');
};
const ACCEPTED: LiveAttempt = { refused: undefined, retryAfterMs: undefined };
const thread = { channel: 'teams', tenant: 'T1', room: 'R1', key: 'K1', kind: 'room' } as const;
const post: LivePost = { id: 'M1', thread };

/** Returns a chat whose calls fail after an interrupt, and the stage of an act that is interrupted by its first attempt. */
function interruptible() {
  const interrupted = new AbortController();
  const left = new Set<string>();
  const stage: LiveStage = {
    clock: { now: () => systemClock.now(), wait: async (_ms, signal) => signal?.throwIfAborted() },
    signal: interrupted.signal,
    instruct: unused,
    event: unused,
    call: unused,
    calls: () => [],
    ask: unused,
    reply: unused,
    until: unused,
    measure: () => undefined,
  };
  const attempt = async ({ signal }: LiveStage): Promise<LiveAttempt> => {
    interrupted.abort();
    signal.throwIfAborted();
    return ACCEPTED;
  };
  const remove = async ({ signal }: LiveStage): Promise<LiveAttempt> => {
    signal.throwIfAborted();
    left.clear();
    return ACCEPTED;
  };
  const begin = <Value>(what: string, value: Value): Promise<Value> => {
    left.add(what);
    return Promise.resolve(value);
  };
  const chat: LiveChat = {
    title: 'Teams',
    words: { app: '', direct: '', followUp: '', withFile: '', stop: '' },
    limits: { text: [10, 20], edits: [2, 3], editWindowMs: 1 },
    methods: { edit: 'update', stream: 'stream' },
    known: { room: thread, direct: thread },
    post: () => begin('message', post),
    edit: attempt,
    remove,
    messages: unused,
    stream: (begun) => begin('stream', { append: () => attempt(begun), end: remove }),
  };
  return { chat, stage, left };
}

test.each([
  'size',
  'edit-rate',
  'idle-stream',
])('the act %s removes its message after Ctrl-C', async (name) => {
  const { chat, stage, left } = interruptible();
  const act = measuringActs(chat).find((each) => each.name === name);
  await expect(act?.perform(stage)).rejects.toThrow('aborted');
  expect([...left]).toEqual([]);
});
