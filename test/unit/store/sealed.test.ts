import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Log } from '../../../src/core/log.ts';
import type { Keyed } from '../../../src/core/stores/keyed.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { sealKeyed } from '../../../src/store/sealed.ts';
import { keyedContract } from '../../contract/keyed-contract.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const told: string[] = [];
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (_, text) => void told.push(text),
};
const open = (clock = createVirtualClock()): Promise<Store> => openStore({ file: ':memory:', clock, log });
const seal = (keyed: Keyed, key: Uint8Array, namespace = 'replies') =>
  sealKeyed(keyed, { namespace, key: () => key, log });

keyedContract('sealed state', async () => {
  const clock = createVirtualClock();
  const store = await open(clock);
  const key = randomBytes(32);
  return {
    keyed: (namespace) => seal(store.keyed(namespace), key, namespace),
    advance: (ms) => clock.jump(ms),
    dispose: () => store.close(),
  };
});

let store: Store;
beforeEach(async () => {
  told.length = 0;
  store = await open();
});
afterEach(() => store.close());
const KEY = randomBytes(32);

it('sealed state contains nothing readable on disk, and equal values look different', async () => {
  const raw = store.keyed('raw');
  const sealed = seal(raw, KEY);
  await sealed.set('one', { token: 'xoxb-canary' }, 1_000, 'nobody');
  await sealed.set('two', { token: 'xoxb-canary' }, 1_000, 'nobody');
  const [one, two] = [await raw.get('one'), await raw.get('two')];
  expect(one).not.toBe(two);
  for (const value of [String(one), Buffer.from(String(one), 'base64').toString('latin1')]) {
    expect(value).not.toContain('canary');
  }
});

it('a value under another key, in another place, or with a changed bit counts as missing and is logged', async () => {
  const raw = store.keyed('raw');
  const sealed = seal(raw, KEY);
  await sealed.set('key', 'value', 1_000, 'nobody');
  const value = String(await raw.get('key'));
  expect(await seal(raw, randomBytes(32)).get('key')).toBeUndefined();
  expect(await seal(raw, KEY, 'elsewhere').get('key')).toBeUndefined();
  await raw.set('moved', value, 1_000, 'nobody');
  expect(await sealed.get('moved')).toBeUndefined();
  const bytes = Buffer.from(value, 'base64');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  await raw.set('key', bytes.toString('base64'), 1_000, 'nobody');
  expect(await sealed.get('key')).toBeUndefined();
  expect(told).toHaveLength(4);
  expect(told[0]).toContain('PARLEY_KEY');
});
