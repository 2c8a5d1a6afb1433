/**
 * Tests that a channel from outside Parley affects only its own turns if it throws or never returns, and that one log
 * line names the channel.
 */

import { expect, test } from 'vitest';
import { createGuard, guarded } from '../../../src/bridge/guarded.ts';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { begin } from '../../../src/core/live-reply/compose.ts';
import { BridgeError } from '../../../src/errors.ts';
import type { ChannelAdapter, Log } from '../../../src/kit.ts';
import { turn } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const never = () => new Promise<never>(() => undefined);
const blank = { rung: 'once', parts: [], finished: false } as const;
const move = { family: 'post', essential: true, call: {} };

function rig(parts: Partial<ChannelAdapter>) {
  const clock = createVirtualClock();
  const lines: string[] = [];
  const quiet = () => undefined;
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: (_, text) => void lines.push(text) };
  const whole: ChannelAdapter = {
    name: 'echo',
    limits: {},
    abilities: {},
    start: async () => undefined,
    stop: async () => undefined,
    writer: () => writer({}),
    openFile: never,
    ...parts,
  };
  return { clock, lines, adapter: guarded(whole, createGuard('echo', { clock, log })) };
}

type Writer = ReturnType<ChannelAdapter['writer']>;
const writer = (parts: Partial<Writer>): Writer => ({
  blank: () => blank,
  next: () => [],
  after: (screen) => screen,
  perform: async () => ({ kind: 'done' }),
  resume: (screen) => screen,
  ...parts,
});

const boom = () => {
  throw new Error('boom\n  at line two');
};

test('a call that never returns is abandoned after 30 s, logged once a minute, and throws an error with a code', async () => {
  const { clock, lines, adapter } = rig({ writer: () => writer({ perform: never }) });
  for (let time = 0; time < 2; time++) {
    const made = adapter.writer(turn()).perform(move, new AbortController().signal);
    const ended = expect(made).rejects.toMatchObject({ code: 'channel-unavailable' });
    await clock.pass(30_000);
    await ended;
  }
  expect(lines).toEqual(['The channel "echo" failed in perform: It did not return within 30 s.']);
});

const signal = new AbortController().signal;
const file = { id: 'f', name: 'f', type: '', bytes: 1 };
const stuck = {
  openFile: never,
  abilities: { lookup: { complete: never, history: never }, waiting: { say: never } },
};

test.each([
  ['openFile', 60_000, ({ openFile }: ChannelAdapter) => openFile(file, 1, signal)],
  ['lookup', 30_000, ({ abilities }: ChannelAdapter) => abilities.lookup?.complete(turn().message, signal)],
  [
    'lookup',
    30_000,
    ({ abilities }: ChannelAdapter) => abilities.lookup?.history?.(turn().message, agentName('a'), signal),
  ],
  ['waiting', 10_000, ({ abilities }: ChannelAdapter) => abilities.waiting?.say(turn(), 1)],
] as const)('%s that never returns is given up after %i ms', async (name, ms, call) => {
  const { clock, lines, adapter } = rig(stuck);
  const ended = expect(call(adapter)).rejects.toMatchObject({ code: 'channel-unavailable' });
  await clock.pass(ms);
  await ended;
  expect(lines).toEqual([`The channel "echo" failed in ${name}: It did not return within ${ms / 1000} s.`]);
});

test('a call that its signal aborts is not logged as a failure', async () => {
  const { lines, adapter } = rig({ writer: () => writer({ perform: never }) });
  const over = new AbortController();
  const made = adapter.writer(turn()).perform(move, over.signal);
  over.abort(new Error('the turn is over'));
  await expect(made).rejects.toThrow('the turn is over');
  expect(lines).toEqual([]);
});

test.each(['blank', 'next', 'after', 'resume'] as const)('%s that throws is named in one line', (name) => {
  const { lines, adapter } = rig({ writer: () => writer({ [name]: boom }) });
  const made = adapter.writer(turn());
  const calls = {
    blank: () => made.blank(),
    next: () => made.next(blank, begin(turnId('t')), 0),
    after: () => made.after(blank, move, { kind: 'done' }, 0),
    resume: () => made.resume(blank),
  };
  expect(calls[name]).toThrow('boom');
  expect(lines).toEqual([`The channel "echo" failed in ${name}: boom at line two`]);
});

test('a result that is not an outcome counts as a failed call', async () => {
  const { lines, adapter } = rig({ writer: () => writer({ perform: async () => JSON.parse('null') }) });
  await expect(adapter.writer(turn()).perform(move, new AbortController().signal)).rejects.toThrow(TypeError);
  expect(lines.join()).toContain('failed in perform');
});

test('a start or a stop that never returns is abandoned after 5 s', async () => {
  const { clock, lines, adapter } = rig({ start: never, stop: never });
  const started = expect(adapter.start(JSON.parse('{}'))).rejects.toThrow('within 5 s');
  const stopped = adapter.stop();
  await clock.pass(5_000);
  await started;
  await stopped;
  expect(lines).toHaveLength(2);
});

test('an error with a code is passed on and not logged as a failure', async () => {
  const complete = async () => {
    throw new BridgeError('access-denied', 'nobody knows who asks');
  };
  const { lines, adapter } = rig({ abilities: { lookup: { complete } } });
  const asked = adapter.abilities.lookup?.complete(turn().message, new AbortController().signal);
  await expect(asked).rejects.toMatchObject({ code: 'access-denied' });
  expect(lines).toEqual([]);
});

test('a channel’s readiness probe is dropped, so that it cannot make the bridge unready', () => {
  expect(rig({ probe: boom }).adapter.probe).toBeUndefined();
});

test('everything else that a channel can offer reaches it', async () => {
  const nothing = async () => undefined;
  /** The compiler requires each new ability here. */
  const abilities: Required<ChannelAdapter['abilities']> = {
    waiting: { say: nothing },
    answers: async () => false,
    lookup: { complete: async (message) => message },
    ended: () => 'done',
    linkPage: (token) => `https://chat.example/link?${token}`,
    isAccepted: async (person, use) => person === 'ada' && use === 'link',
    signIn: { isPossible: () => true, begin: nothing, end: boom },
    identityProof: { begin: () => '', finish: never },
  };
  const { adapter, lines } = rig({ abilities, forget: never, stored: async () => ({ messages: 3 }) });
  expect(Object.keys(adapter.abilities).toSorted()).toEqual(Object.keys(abilities).toSorted());
  const { ended, linkPage, isAccepted, signIn } = adapter.abilities;
  expect(await isAccepted?.('ada', 'link')).toBe(true);
  expect(ended?.(turn())).toBe('done');
  expect(linkPage?.('t=1')).toBe('https://chat.example/link?t=1');
  expect(signIn?.isPossible(turn().message.thread)).toBe(true);
  await signIn?.begin(turn(), new AbortController().signal);
  expect(() => signIn?.end(turn())).toThrow('boom');
  const person = { kind: 'person', channel: 'echo', tenant: 'T1', person: 'U1' } as const;
  expect(await adapter.stored?.(person)).toEqual({ messages: 3 });
  expect(lines).toEqual(['The channel "echo" failed in signIn: boom at line two']);
});
