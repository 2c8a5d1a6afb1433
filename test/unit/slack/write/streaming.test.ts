import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createStreaming } from '../../../../src/kit/streaming.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { blank } from '../../reply/markdown/documents.ts';
import { playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const HOUR_MS = 3_600_000;

it('starts no stream in a workspace without streams for one hour', async () => {
  const clock = createVirtualClock();
  const streaming = createStreaming(true, clock);
  streaming.lacks('T1');
  expect([streaming.has('T1'), streaming.has('T2')]).toEqual([false, true]);
  await clock.pass(HOUR_MS);
  expect(streaming.has('T1')).toBe(true);
});

it('starts no stream anywhere if the operator switched streams off', () => {
  expect(createStreaming(false, createVirtualClock()).has('T1')).toBe(false);
});

it.each([
  ['auto', 'room', false],
  ['auto', 'group', false],
  ['auto', 'direct', true],
  ['always', 'room', true],
  ['never', 'direct', false],
] as const)('%s: in a %s a stream is begun: %s', (streamsIn, kind, streams) => {
  const asked = rig.ask();
  const turn = { ...asked, message: { ...asked.message, thread: { ...asked.message.thread, kind } } };
  const writer = rig.writer(turn, streamsIn);
  const document = {
    ...blank,
    turn: turn.id,
    version: 1,
    state: 'writing',
    text: 'The first words',
  } as const;
  const families = writer.next(writer.blank(), document, 0).map(({ family }) => family);
  expect(families.includes('chat.startStream')).toBe(streams);
});

it('tries a stream once, and the next reply begins with a post', async () => {
  rig.fake.plant({ kind: 'error', method: 'chat.startStream', error: 'unknown_method', count: 5 });
  for (const families of [['startStream', 'postMessage'], ['postMessage']]) {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'The first words' });
    expect(play.families().filter((family) => family !== 'setStatus')).toEqual(families);
    await play.show({ text: 'The first words.', state: 'done' });
  }
});

it('keeps starting streams after a refusal for another reason', async () => {
  const other = await openRig();
  other.fake.plant({ kind: 'error', method: 'chat.startStream', error: 'invalid_arguments', count: 1 });
  for (let nth = 0; nth < 2; nth++) {
    const play = playIn(other);
    await play.show({ state: 'writing', text: 'The first words' });
    expect(play.families()).toContain('startStream');
    await play.show({ text: 'The first words.', state: 'done' });
  }
  await other.close();
});
