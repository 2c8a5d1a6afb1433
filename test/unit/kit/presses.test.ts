/** Tests presses on buttons, and short messages that count as presses on the last reply of their thread. */

import { expect, test } from 'vitest';
import { createHost } from '../../../src/conform/host.ts';
import { turnId } from '../../../src/core/ids.ts';
import { begin as blankReply } from '../../../src/core/live-reply/compose.ts';
import { createPresses } from '../../../src/kit/presses.ts';
import { question } from '../../../src/kit/question.ts';
import { person, turn as sampleTurn, thread } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const room = thread({ kind: 'room' });
const answered = sampleTurn();

function chat(suggestions: readonly string[] = ['And then?', 'Why?']) {
  const host = createHost(createVirtualClock(), new Map());
  const document = { ...blankReply(answered.id), suggestions, state: 'done' as const };
  host.replies.set(answered.id, { ...document, askedBy: 'ada' });
  const presses = createPresses('Chat', host);
  const say = (text: string, id = `m-${text}`) =>
    presses.take(question({ id, thread: answered.message.thread, sender: person({ id: 'ben' }), text }));
  return { host, presses, say, events: () => host.taken.map(({ event }) => event) };
}

test('before a reply has ended, every message is a question', async () => {
  const { say, events } = chat();
  expect(await say('retry')).toBe('');
  expect(await say('2')).toBe('');
  expect(events().map((event) => event.kind === 'ask' && event.message.text)).toEqual(['retry', '2']);
});

test('words press on the last reply of their thread, each message once', async () => {
  const { presses, say, events } = chat();
  presses.ended?.(answered);
  expect(await say('Retry')).toBe('');
  expect(await say('2.')).toBe('');
  expect(events()).toMatchObject([
    { kind: 'ask', origin: { kind: 'retry', of: answered.id, by: 'ben' }, message: { text: '' } },
    { kind: 'ask', origin: { kind: 'act', key: 'm-2.' }, message: { text: 'Why?', id: 'm-2.' } },
  ]);
});

test('a number without a suggestion, a longer text and a command are passed on as questions', async () => {
  const { presses, say, events } = chat();
  presses.ended?.(answered);
  for (const text of ['3', '2 of them?', 'stop', 'sources']) await say(text);
  expect(events().map((event) => event.kind === 'ask' && event.message.text)).toEqual([
    '3',
    '2 of them?',
    'stop',
    'sources',
  ]);
});

test('words in another thread mean nothing', async () => {
  const { presses, events } = chat();
  presses.ended?.(answered);
  await presses.take(
    question({ id: 'm', thread: { ...room, key: 'other' }, sender: person(), text: 'retry' }),
  );
  expect(events()).toMatchObject([{ origin: { kind: 'message' } }]);
});

test('the person reads why a press or a question was refused', async () => {
  const { presses, host, say } = chat();
  presses.ended?.(answered);
  host.barred = 'ben';
  expect(await say('retry')).toContain('not allowed');
  host.barred = undefined;
  host.behavior = 'refuses';
  expect(await say('Hello?')).toContain('many questions');
});

test('a button presses with the word that stands for it', async () => {
  const { presses, events } = chat();
  const by = person({ id: 'ben' });
  const pressed = { turn: answered.id, thread: answered.message.thread, by, key: 'p1' };
  expect(await presses.press({ ...pressed, word: 'stop' })).toContain('Stopping');
  expect(await presses.press({ ...pressed, word: '1' })).toContain('Asking');
  expect(events()).toMatchObject([
    { kind: 'stop', turn: answered.id, by },
    { kind: 'ask', message: { text: 'And then?' } },
  ]);
  for (const word of ['9', '', 'share', '__proto__'])
    expect(await presses.press({ ...pressed, word })).toContain('too old');
  expect(await presses.press({ ...pressed, word: '1', turn: turnId('another') })).toContain('too old');
});

test('a question needs only its id, thread, sender and text', () => {
  const before = Date.now();
  const asked = question({ id: 'm1', thread: room, sender: person(), text: 'Hello?' });
  expect(asked).toMatchObject({
    kind: 'ask',
    origin: { kind: 'message', key: 'm1', revision: 0 },
    message: { id: 'm1', text: 'Hello?', quoted: [], files: [], revision: 0 },
  });
  expect(asked.message.sentAt).toBeGreaterThanOrEqual(before);
  expect(question({ ...asked.message, revision: 2, sentAt: 7 })).toMatchObject({
    origin: { revision: 2 },
    message: { revision: 2, sentAt: 7 },
  });
});
