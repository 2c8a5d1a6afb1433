import { afterEach, describe, expect, test } from 'vitest';
import type { Answer, Sender } from '../../../../adapters/slack/api/sender.ts';
import { createHourglass, type Hourglass } from '../../../../adapters/slack/inbound/hourglass.ts';
import { turnId } from '../../../../src/core/ids.ts';
import type { Turn } from '../../../../src/core/turn.ts';
import { createBackground } from '../../../../src/kit/background.ts';
import { message, thread, turn } from '../../../fakes/samples.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../keyed.ts';

const place = thread({ channel: 'slack', tenant: 'T1', room: 'C1', key: '1.0' });
const question = (at: number, tenant = 'T1'): Turn =>
  turn({
    id: turnId(`turn-${tenant}-${at}`),
    message: message({ id: `C1/1.${at}`, thread: { ...place, tenant } }),
  });
const waiting = question(5);
const DONE: Answer = { kind: 'done', body: {} };
const UNKNOWN: Answer = { kind: 'unknown', error: 'unreachable' };
/** Milliseconds for which a call of unknown outcome may still take effect in Slack. */
const LATE_MS = 10_000;

interface Rig {
  readonly calls: string[];
  /** Warnings in the log. */
  readonly logged: string[];
  readonly state: Map<string, unknown>;
  readonly clock: VirtualClock;
  readonly hourglass: Hourglass;
  /** Turns that have begun and so no longer wait. */
  readonly begun: Set<string>;
  answers: (method: string) => Promise<Answer>;
  /** Number of questions that were looked up in the store. */
  lookUps: number;
  /** Stops the adapter. */
  stop(): Promise<void>;
}

const open: Rig[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
});

async function rig({ state = new Map<string, unknown>(), clock = createVirtualClock() } = {}): Promise<Rig> {
  const ended = new AbortController();
  const logged: string[] = [];
  const silent = () => undefined;
  const log = {
    debug: silent,
    info: silent,
    warn: (_: object, text: string) => void logged.push(text),
    error: silent,
  };
  const background = createBackground(log);
  const calls: string[] = [];
  const begun = new Set<string>();
  const sender: Sender = {
    call(tenant, method, args, signal) {
      calls.push(`${method} ${tenant} ${args.channel} ${args.timestamp}`);
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return Promise.race([made.answers(method), stopped]);
    },
  };
  const hourglass = await createHourglass(sender, {
    host: {
      ...{ state: memoryKeyed(state), clock, log },
      async waits(id) {
        made.lookUps += 1;
        return !begun.has(id);
      },
    },
    background,
    signal: ended.signal,
  });
  const made: Rig = {
    calls,
    logged,
    state,
    clock,
    hourglass,
    begun,
    answers: async () => DONE,
    lookUps: 0,
    async stop() {
      ended.abort(new Error('stopped'));
      await background.settle();
    },
  };
  open.push(made);
  return made;
}

const put = async ({ hourglass, clock }: Rig, of = waiting): Promise<void> => {
  hourglass.put(of, 1);
  await clock.pass(0);
};
const take = async ({ begun, hourglass, clock }: Rig, of = waiting): Promise<void> => {
  begun.add(of.id);
  hourglass.take(of);
  await clock.pass(0);
};
const kept = ({ state }: Rig): readonly unknown[] => [...state.values()].flat();

const ADDED = 'reactions.add T1 C1 1.5';
const REMOVED = 'reactions.remove T1 C1 1.5';

test('the hourglass is shown on a waiting question, and removed when its answer begins', async () => {
  const one = await rig();
  await put(one);
  await one.clock.pass(60_000);
  expect(one.calls).toEqual([ADDED]);
  await take(one);
  await one.clock.pass(60_000);
  expect(one.calls).toEqual([ADDED, REMOVED]);
  expect(kept(one)).toEqual([]);
});

test('the hourglass is stored before it is shown', async () => {
  const one = await rig();
  one.answers = async () => {
    expect(kept(one)).toMatchObject([{ tenant: 'T1', room: 'C1', on: '1.5', turn: waiting.id }]);
    return DONE;
  };
  await put(one);
  expect(one.calls).toEqual([ADDED]);
});

test('the hourglass is not shown if it cannot be stored', async () => {
  const one = await rig();
  one.state.set = () => {
    throw new Error('The disk is full.');
  };
  await put(one);
  expect(one.calls).toEqual([]);
  expect(one.logged).toEqual(['background work failed']);
});

test('the hourglass stays stored until Slack confirms its removal, even if the process ends meanwhile', async () => {
  const one = await rig();
  await put(one);
  one.answers = () => new Promise(() => undefined);
  await take(one);
  expect(one.calls).toEqual([ADDED, REMOVED]);
  const next = await rig({ state: one.state });
  next.begun.add(waiting.id);
  await next.clock.pass(2_000);
  expect(next.calls).toEqual([REMOVED]);
});

test('the hourglass stays after a restart while its question waits', async () => {
  const one = await rig();
  await put(one);
  const next = await rig({ state: one.state });
  await next.clock.pass(60_000);
  expect(next.calls).toEqual([]);
  await take(next);
  expect(next.calls).toEqual([REMOVED]);
});

test('the hourglass is removed twice if another process added it, because the call that adds it may arrive late', async () => {
  const one = await rig();
  await put(one);
  const next = await rig({ state: one.state });
  await take(next);
  await next.clock.pass(LATE_MS - 3_000);
  expect(next.calls).toEqual([REMOVED]);
  await next.clock.pass(6_000);
  expect(next.calls).toEqual([REMOVED, REMOVED]);
  expect(kept(next)).toEqual([]);
});

test('the hourglass is removed twice if the outcome of adding it is unknown', async () => {
  const one = await rig();
  one.answers = async (method) => (method === 'reactions.add' ? UNKNOWN : DONE);
  await put(one);
  await take(one);
  expect(one.calls).toEqual([ADDED, REMOVED]);
  await one.clock.pass(LATE_MS + 3_000);
  expect(one.calls).toEqual([ADDED, REMOVED, REMOVED]);
  expect(kept(one)).toEqual([]);
});

test('the hourglass is not removed before it is shown', async () => {
  const one = await rig();
  const { promise, resolve } = Promise.withResolvers<Answer>();
  one.answers = () => promise;
  await put(one);
  await take(one);
  expect(one.calls).toEqual([ADDED]);
  resolve(DONE);
  await one.clock.pass(0);
  expect(one.calls).toEqual([ADDED, REMOVED]);
});

test('the hourglass is not shown once the answer has begun, nor on private questions', async () => {
  const one = await rig();
  await take(one);
  await put(one);
  await put(one, turn({ message: message({ thread: { ...place, key: 'private-1' } }) }));
  await one.clock.pass(60_000);
  expect(one.calls).toEqual([]);
  expect(kept(one)).toEqual([]);
});

test('the hourglass is removed if its question no longer waits although its answer never began', async () => {
  const one = await rig();
  await put(one);
  one.begun.add(waiting.id);
  await one.clock.pass(3_000);
  expect(one.calls).toEqual([ADDED, REMOVED]);
});

test('answers that begin together cause no look-ups of the questions that still wait', async () => {
  const one = await rig();
  const questions = Array.from({ length: 15 }, (_, nth) => question(nth));
  for (const each of questions) await put(one, each);
  await one.clock.pass(1_000);
  const before = one.lookUps;
  for (const each of questions.slice(5)) await take(one, each);
  expect(one.calls.filter((call) => call.startsWith('reactions.remove'))).toHaveLength(10);
  expect(one.lookUps).toBe(before);
});

test('the hourglass stays when its question is edited', async () => {
  const one = await rig();
  await put(one);
  const edited = turn({ ...waiting, id: turnId('edited') });
  await put(one, edited);
  one.begun.add(waiting.id);
  await one.clock.pass(10_000);
  expect(one.calls).toEqual([ADDED]);
  await take(one, edited);
  expect(one.calls).toEqual([ADDED, REMOVED]);
});

test('the hourglass is removed by repeated attempts, with growing pauses, until Slack accepts one', async () => {
  const one = await rig();
  await put(one);
  one.answers = async () => UNKNOWN;
  await take(one);
  await one.clock.pass(30 * 60_000);
  expect(one.calls.length).toBeGreaterThan(20);
  expect(one.calls.length).toBeLessThan(50);
  one.answers = async () => ({ kind: 'refused', why: 'rate', error: 'ratelimited', retryAfterMs: 30_000 });
  await one.clock.pass(5 * 60_000);
  one.answers = async () => DONE;
  await one.clock.pass(70_000);
  expect(kept(one)).toEqual([]);
});

test('the hourglass is forgotten if Slack refuses it, or if the app was removed', async () => {
  const one = await rig();
  one.answers = async () => ({ kind: 'refused', why: 'unsupported', error: 'missing_scope' });
  await put(one);
  expect(kept(one)).toEqual([]);
  one.answers = async () => DONE;
  for (const each of [waiting, question(6, 'T2')]) await put(one, each);
  await one.hourglass.forget('T1');
  expect(kept(one)).toMatchObject([{ tenant: 'T2' }]);
});

test('the hourglass is shown on at most as many questions of a workspace as can be cleared in a minute, and on 200 in all', async () => {
  const one = await rig();
  for (let at = 1; at <= 30; at += 1) await put(one, question(at));
  expect(one.calls).toHaveLength(20);
  for (let at = 1; at <= 20; at += 1) await take(one, question(at));
  await put(one, question(31));
  expect(one.calls).toHaveLength(40);
  await one.clock.pass(60_000);
  await put(one, question(32));
  expect(one.calls).toHaveLength(41);
  for (let tenant = 2; tenant <= 30; tenant += 1)
    for (let at = 1; at <= 10; at += 1) await put(one, question(at, `T${tenant}`));
  expect(kept(one)).toHaveLength(200);
  expect(JSON.stringify(kept(one)).length).toBeLessThan(40_000);
});

test('the hourglass is forgotten if the stored data of an earlier process is unreadable', async () => {
  const state = new Map<string, unknown>([['hourglasses', [{ tenant: 'T1' }, 7, null]]]);
  const one = await rig({ state });
  await one.clock.pass(60_000);
  expect(one.calls).toEqual([]);
});

describe('with two replicas on one store', () => {
  async function pair() {
    const state = new Map<string, unknown>();
    const clock = createVirtualClock();
    const owner = await rig({ state, clock });
    const other = await rig({ state, clock });
    return { owner, other, clock };
  }

  test('only the replica that posted the hourglass removes it', async () => {
    const { owner, other, clock } = await pair();
    await put(owner);
    await clock.pass(60_000);
    other.begun.add(waiting.id);
    await take(owner);
    await clock.pass(60_000);
    expect(owner.calls).toEqual([ADDED, REMOVED]);
    expect(other.calls).toEqual([]);
    expect(kept(owner)).toEqual([]);
  });

  test('the other replica removes it within 50 s if the one that posted it was killed', async () => {
    const { owner, other, clock } = await pair();
    await put(owner);
    await owner.stop();
    await clock.pass(60_000);
    expect(other.calls).toEqual([]);
    other.begun.add(waiting.id);
    await clock.pass(50_000);
    expect(other.calls).toEqual([REMOVED]);
    expect(kept(other)).toEqual([]);
  });

  test('neither drops the entries of the other', async () => {
    const { owner, other } = await pair();
    await put(owner);
    await put(other, question(6));
    expect(kept(owner)).toMatchObject([{ on: '1.5' }, { on: '1.6' }]);
    await take(owner);
    expect(kept(other)).toMatchObject([{ on: '1.6' }]);
  });
});
