/** Tests calls outside replies against a fake Slack with rate limits: Slack refuses none of them for its rate. */

import { afterEach, expect, test } from 'vitest';
import { withPermits } from '../../../../adapters/slack/api/permits.ts';
import {
  type Answer,
  createCaller,
  createSender,
  type Sender,
} from '../../../../adapters/slack/api/sender.ts';
import { limits, methods } from '../../../../adapters/slack/limits.ts';
import { turnId } from '../../../../src/core/ids.ts';
import { createBudgets } from '../../../../src/core/pacing/budgets.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { type FakeSlack, startFakeSlack } from '../../../fakes/slack/index.ts';
import { documentedRates } from '../../../fakes/slack/limits.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const SECOND_MS = 1_000;

let fake: FakeSlack | undefined;
afterEach(() => fake?.close());

/** Starts a rig whose virtual time advances only while no call is in flight. */
async function rig() {
  let underWay = 0;
  const settle = async () => {
    do await new Promise((resolve) => setImmediate(resolve));
    while (underWay > 0);
  };
  const clock = createVirtualClock({ settle });
  fake = await startFakeSlack({ clock, echoes: false });
  const workspace = fake.workspace();
  const { id: tenant, botUser, token } = workspace;
  const wire = createSender(createCaller(fake.apiUrl, quiet), {
    find: async () => undefined,
    ofTenant: async () => ({ tenant, botUser, token }),
    disable: () => undefined,
    remove: async () => [],
  });
  const sender: Sender = {
    async call(...args) {
      underWay += 1;
      return wire.call(...args).finally(() => {
        underWay -= 1;
      });
    },
  };
  const budgets = createBudgets(limits, clock);
  const permitted = withPermits(sender, {
    permit: budgets.permitSideCall,
    permitAtOnce: budgets.permitAtOnce,
  });
  const room = workspace.channel();
  const person = workspace.person();
  const { ts } = person.says(room, 'Hello');
  const signal = new AbortController().signal;
  const answers: Answer[] = [];
  const call = (method: string, args: Plain, by = permitted): void =>
    void by.call(tenant, method, args, signal).then((answer) => answers.push(answer));
  const note = (by = permitted) =>
    call('chat.postEphemeral', { channel: room.id, user: person.id, text: 'It waits.' }, by);
  const glass = () => {
    const at = { channel: room.id, timestamp: ts, name: 'hourglass_flowing_sand' };
    for (const method of ['reactions.add', 'reactions.remove']) call(method, at);
  };
  const refused = () => fake?.log.calls.filter(({ retryAfter }) => retryAfter !== undefined) ?? [];
  return { clock, budgets, tenant, sender, answers, note, glass, refused, log: fake.log };
}

test('a burst of notes and reactions waits or is skipped, and Slack refuses none', async () => {
  const { clock, answers, note, glass, refused, log } = await rig();
  for (let second = 0; second < 150; second += 1) {
    for (let each = 0; each < 3; each += 1) note();
    glass();
    await clock.pass(SECOND_MS);
  }
  await clock.pass(60 * SECOND_MS);
  expect(refused()).toEqual([]);
  expect(answers).toHaveLength(150 * 5);
  const made = (method: string) => log.of(method).length;
  // The minimum counts follow from the rates of 100, 50 and 20 calls per minute, during 150 s.
  expect(made('chat.postEphemeral')).toBeGreaterThan(250);
  expect(made('reactions.add')).toBeGreaterThan(120);
  expect(made('reactions.remove')).toBeGreaterThan(50);
  expect(log.calls).toHaveLength(
    answers.filter((answer) => answer.kind !== 'refused' || answer.error !== 'ratelimited').length,
  );
});

test('without permits, Slack refuses them', async () => {
  const { clock, sender, note, refused } = await rig();
  for (let each = 0; each < 120; each += 1) note(sender);
  await clock.pass(SECOND_MS);
  expect(refused().length).toBeGreaterThan(10);
});

test('calls that replies have reserved are not used for other calls', async () => {
  const { clock, budgets, tenant, answers, note, log } = await rig();
  budgets.begin({ reply: turnId('one'), tenant, needs: { 'chat.postEphemeral': 100 } });
  note();
  await clock.pass(20 * SECOND_MS);
  expect(answers).toEqual([{ kind: 'refused', why: 'rate', error: 'ratelimited' }]);
  expect(log.calls).toEqual([]);
});

test('an hourglass that would be late is skipped', async () => {
  const { clock, budgets, tenant, answers, glass, log } = await rig();
  budgets.begin({ reply: turnId('one'), tenant, needs: { 'reactions.add': 50 } });
  glass();
  await clock.pass(1_100);
  budgets.free(turnId('one'));
  await clock.pass(20 * SECOND_MS);
  expect(answers).toContainEqual({ kind: 'refused', why: 'rate', error: 'ratelimited' });
  expect(log.of('reactions.add')).toEqual([]);
});

test('each method that the code calls has the limit that Slack documents', () => {
  for (const method of Object.keys(methods)) {
    const rate = documentedRates[method];
    if (rate !== undefined && !/^(?:oauth|apps|auth)\./.test(method))
      expect([method, limits[method]?.perMinute]).toEqual([method, rate.calls]);
  }
});

test('a permit is given back also if the adapter stops during the call', async () => {
  const stop = new AbortController();
  const answered: (number | undefined)[] = [];
  const permit = { answered: (refusedMs?: number) => void answered.push(refusedMs) };
  const sender: Sender = {
    async call() {
      stop.abort(new Error('stopped'));
      throw stop.signal.reason;
    },
  };
  const permitted = withPermits(sender, { permit: async () => permit, permitAtOnce: () => permit });
  for (const method of ['chat.postEphemeral', 'views.open'])
    await expect(permitted.call('T1', method, {}, stop.signal)).rejects.toThrow('stopped');
  expect(answered).toEqual([undefined, undefined]);
});
