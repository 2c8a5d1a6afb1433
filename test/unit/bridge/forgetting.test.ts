/** Tests that a request to forget is carried out completely, whatever fails in the middle. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createForgetter } from '../../../src/bridge/forgetting.ts';
import { systemClock } from '../../../src/clock.ts';
import type { ForgetStore } from '../../../src/core/stores/forgetting.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { message, newTurn } from '../../contract/turn-makers.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';

const ADA = { kind: 'person', channel: 'console', person: 'u1' } as const;

let clock: VirtualClock;
let store: Store;
beforeEach(async () => {
  clock = createVirtualClock({
    settle: async () => {
      for (let nth = 0; nth < 20; nth++) await new Promise((resolve) => setImmediate(resolve));
    },
  });
  store = await openStore({ file: ':memory:', clock: systemClock, log: quiet });
});
afterEach(() => store.close());

/** Ends one turn of Ada, and records what the channel is asked to forget. */
async function open(over: Partial<ForgetStore> = {}) {
  await store.inbox.add(newTurn('1'));
  const claim = await store.inbox.claim();
  if (claim !== undefined) await store.inbox.settle(claim, 'answered');
  const asked: string[] = [];
  const forget = async () => {
    asked.push('channel');
    return { messages: 2 };
  };
  const wrapped = { ...store, forgetting: { ...store.forgetting, ...over } };
  const adapters = [{ name: 'console', forget }];
  const forgetter = createForgetter({
    store: wrapped,
    adapters,
    nameOwners: async () => undefined,
    clock,
    log: quiet,
  });
  const ended = new AbortController();
  const running = forgetter.run(ended.signal);
  const stop = async () => {
    ended.abort();
    await running;
  };
  return { asked, forgetter, stop };
}

const actions = async () =>
  (await store.audit.page({ from: 0, to: Number.MAX_SAFE_INTEGER }, 100)).map(
    ({ action, person }) => `${action} ${person}`,
  );

test.each([
  'erase',
  'anonymize',
  'finish',
] as const)('a failure of %s is tried again, and the receipt comes once', async (step) => {
  let failures = 1;
  const once = async (...args: readonly unknown[]): Promise<never> => {
    if (failures > 0) {
      failures -= 1;
      throw new Error('the disk is full');
    }
    return (store.forgetting[step] as (...given: readonly unknown[]) => Promise<never>)(...args);
  };
  const { asked, stop } = await open({ [step]: once });
  const id = await store.forgetting.request(ADA, true);
  await clock.pass(2_000);
  expect(await store.forgetting.receipt(id)).toBeUndefined();
  await clock.pass(10_000);
  const receipt = await store.forgetting.receipt(id);
  expect(receipt).toMatchObject({ outcome: 'done', removed: { messages: 2 } });
  expect(asked).toHaveLength(2);
  const pseudonym = receipt?.pseudonym;
  expect(await actions()).toEqual([`ask ${pseudonym}`, `forget ${pseudonym}`]);
  await stop();
});

test('an answer that does not stop within 30 s: nothing is deleted, and the cure is said', async () => {
  const { asked, stop } = await open();
  await store.inbox.add(newTurn('2', 'other lane', { message: { ...message('2') } }));
  const running = await store.inbox.claim();
  const id = await store.forgetting.request(ADA, true);
  await clock.pass(40_000);
  expect(await store.forgetting.receipt(id)).toMatchObject({
    ...{ outcome: 'refused', removed: {} },
    remaining: [{ what: 'everything', why: '1 answer did not stop within 30 s. Run the command again.' }],
  });
  expect(running && (await store.inbox.renew(running))).toMatchObject({ kind: 'stop' });
  expect(asked).toEqual([]);
  expect(await store.inbox.find(newTurn('1').id)).toBeDefined();
  await stop();
});

test('a removed app deletes at once, without waiting for running answers', async () => {
  const { forgetter, stop } = await open();
  await store.inbox.add(newTurn('2', '["console","local","general","t"]'));
  const running = await store.inbox.claim();
  await forgetter.forget({ kind: 'tenant', channel: 'console', tenant: 'local' });
  expect(running && (await store.inbox.settle(running, 'answered'))).toBe('lost');
  expect(await store.forgetting.next()).toBeUndefined();
  await stop();
});

test('records are anonymized until none is left, and all of them are counted', async () => {
  const batches = [1_000, 1_000, 5, 0];
  const { stop } = await open({ anonymize: async () => batches.shift() ?? 0 });
  const id = await store.forgetting.request(ADA, false);
  await clock.pass(2_000);
  expect(await store.forgetting.receipt(id)).toMatchObject({ removed: { auditRecords: 2_005 } });
  await stop();
});
