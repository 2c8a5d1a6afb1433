import { describe, expect, test } from 'vitest';
import { createCache, share } from '../../../src/kit/cache.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const open = () => {
  const clock = createVirtualClock();
  return { clock, cache: createCache<Promise<string>>({ clock, max: 2, ttlMs: 1_000 }) };
};

describe('a cache', () => {
  test('keeps an entry until its lifetime has passed', async () => {
    const { clock, cache } = open();
    const kept = Promise.resolve('a');
    cache.set('a', kept);
    await clock.pass(999);
    expect(cache.get('a')).toBe(kept);
    await clock.pass(1);
    expect(cache.get('a')).toBeUndefined();
  });

  test('drops the entry unused for longest', () => {
    const { cache } = open();
    for (const key of ['a', 'b']) cache.set(key, Promise.resolve(key));
    cache.get('a');
    cache.set('c', Promise.resolve('c'));
    expect([...cache.keys()].toSorted()).toEqual(['a', 'c']);
  });
});

describe('shared work', () => {
  test('that fails is forgotten', async () => {
    const { cache } = open();
    await expect(share(cache, 'a', Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(cache.has('a')).toBe(false);
  });

  test('that fails does not remove newer work', async () => {
    const { cache } = open();
    const [older, newer] = [Promise.withResolvers<string>(), Promise.resolve('new')];
    const failing = share(cache, 'a', older.promise);
    await share(cache, 'a', newer);
    older.reject(new Error('down'));
    await expect(failing).rejects.toThrow('down');
    expect(cache.get('a')).toBe(newer);
  });
});
