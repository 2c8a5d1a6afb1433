import { expect, it, test } from 'vitest';
import { createCalls } from '../../../../adapters/slack/api/calls.ts';
import { withPermits } from '../../../../adapters/slack/api/permits.ts';
import type { Answer, Sender } from '../../../../adapters/slack/api/sender.ts';
import { limits, methods } from '../../../../adapters/slack/limits.ts';
import { createBudgets } from '../../../../src/core/pacing/budgets.ts';
import type { Log } from '../../../../src/kit.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const done: Answer = { kind: 'done', body: { ok: true } };
const busy = (retryAfterMs: number): Answer => ({
  kind: 'refused',
  why: 'rate',
  error: 'ratelimited',
  retryAfterMs,
});

function rigged(...answers: Answer[]) {
  const clock = createVirtualClock();
  const ended = new AbortController();
  const made: { method: string; at: number }[] = [];
  const sender: Sender = {
    async call(_tenant, method) {
      made.push({ method, at: clock.now() - start });
      return answers.shift() ?? done;
    },
  };
  const start = clock.now();
  const { permitSideCall: permit, permitAtOnce } = createBudgets(limits, clock);
  const permitted = withPermits(sender, { permit, permitAtOnce });
  const calls = createCalls(permitted, clock, quiet, ended.signal);
  const call = (method: string, tenant = 'T1') => calls.call({ tenant }, method, {});
  return { clock, made, call, ended };
}

it('waits as long as Slack requires, and delays only the same method of that workspace', async () => {
  const { clock, made, call } = rigged(busy(3_000));
  const first = call('views.update');
  await clock.pass(0);
  const other = call('views.publish');
  const elsewhere = call('views.update', 'T2');
  const same = call('views.update');
  await clock.pass(2_999);
  expect(made.map(({ at }) => at)).toEqual([0, 0, 0]);
  await clock.pass(50);
  expect(await Promise.all([first, other, elsewhere, same])).toEqual(Array.from({ length: 4 }, () => done));
  expect(made).toHaveLength(5);
});

it('waits at most as long as a person would', async () => {
  const { clock, call, made } = rigged(busy(3_600_000));
  const called = call('views.publish');
  await clock.pass(1);
  expect(await called).toMatchObject({ kind: 'refused', error: 'ratelimited' });
  expect(await call('views.publish')).toMatchObject({ kind: 'refused', error: 'ratelimited' });
  expect(made).toHaveLength(1);
});

it('opens a form at once even beyond the limits, and counts it for later calls', async () => {
  const { clock, call, made } = rigged();
  for (let each = 0; each < 120; each += 1) void call('views.open');
  await clock.pass(0);
  expect(made).toHaveLength(120);
  for (let each = 0; each < 120; each += 1) void call('views.update');
  await clock.pass(0);
  expect(made).toHaveLength(220);
  await clock.pass(20_000);
  expect(made).toHaveLength(220);
});

it('repeats calls that are safe to repeat, and never a post', async () => {
  const lost: Answer = { kind: 'unknown', error: 'unreachable' };
  const { clock, call, made } = rigged(lost, lost, lost, lost, lost);
  expect(await call('chat.postMessage')).toEqual(lost);
  expect(await call('views.open')).toEqual(lost);
  const published = call('views.publish');
  await clock.pass(10_000);
  expect(await published).toEqual(lost);
  expect(made.map(({ method }) => method)).toEqual([
    'chat.postMessage',
    'views.open',
    ...Array.from({ length: 3 }, () => 'views.publish'),
  ]);
});

it('ends when the adapter stops', async () => {
  const { clock, call, ended } = rigged(busy(10_000));
  const called = call('views.publish');
  await clock.pass(0);
  ended.abort(new Error('stopped'));
  expect(await called).toEqual({ kind: 'unknown', error: 'stopped' });
  expect(clock.waiting).toBe(0);
});

/** Methods of which a second call would leave a lasting duplicate, or would come too late. */
const ONCE = new Set([
  ...['agents.sessions.setStatus', 'apps.connections.open', 'auth.test', 'oauth.v2.access'],
  ...['chat.appendStream', 'chat.delete', 'chat.postMessage', 'chat.startStream', 'chat.stopStream'],
  ...['chat.update', 'files.completeUploadExternal', 'files.getUploadURLExternal'],
  ...['reactions.add', 'reactions.remove', 'views.open', 'views.push'],
]);

test.each(
  Object.keys(methods),
)('%s is repeated after an unknown outcome only if that is safe', async (method) => {
  const lost: Answer = { kind: 'unknown', error: 'unreachable' };
  const { clock, call, made } = rigged(lost, lost);
  const answer = call(method);
  await clock.pass(10_000);
  expect(await answer).toEqual(ONCE.has(method) ? lost : done);
  expect(made).toHaveLength(ONCE.has(method) ? 1 : 3);
});

it('repeats no call whose response it cannot read', async () => {
  const unreadable: Answer = { kind: 'unknown', error: 'unreadable' };
  const { call, made } = rigged(unreadable);
  expect(await call('views.publish')).toEqual(unreadable);
  expect(made).toHaveLength(1);
});
