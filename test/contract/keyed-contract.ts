import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Keyed } from '../../src/core/stores/keyed.ts';

export interface OpenKeyed {
  keyed(namespace: string): Keyed;
  advance(ms: number): void;
  dispose(): Promise<void>;
}

const TTL_MS = 60_000;

/** Defines the tests that every engine of keyed state must pass. */
export function keyedContract(name: string, open: () => Promise<OpenKeyed>): void {
  describe(`${name} keeps the keyed contract`, () => {
    let opened: OpenKeyed;
    let keyed: Keyed;

    beforeEach(async () => {
      opened = await open();
      keyed = opened.keyed('one');
    });
    afterEach(() => opened.dispose());

    it('is empty at first', async () => {
      expect(await keyed.get('key')).toBeUndefined();
      await keyed.delete('key');
    });

    it.each([
      ['text', 'with "quotes", \u0000, \ud83d\ude00, :base64: and a half \ud83d'],
      ['a number', 0],
      ['a boolean', false],
      ['an object', { a: [1, { b: 'c' }], d: null }],
      ['an empty list', []],
    ])('returns %s as it was set', async (_, value) => {
      await keyed.set('key', value, TTL_MS, 'nobody');
      expect(await keyed.get('key')).toEqual(value);
    });

    it('replaces and deletes values', async () => {
      await keyed.set('key', 1, TTL_MS, 'nobody');
      await keyed.set('key', 2, TTL_MS, 'nobody');
      expect(await keyed.get('key')).toBe(2);
      await keyed.delete('key');
      expect(await keyed.get('key')).toBeUndefined();
    });

    it('keeps the order of calls that nobody waits for', async () => {
      const calls = [
        keyed.set('key', 1, TTL_MS, 'nobody'),
        keyed.delete('key'),
        keyed.set('other', 1, TTL_MS, 'nobody'),
        keyed.delete('other'),
        keyed.set('other', 2, TTL_MS, 'nobody'),
      ];
      await Promise.all(calls);
      expect([await keyed.get('key'), await keyed.get('other')]).toEqual([undefined, 2]);
    });

    it('separates namespaces, whatever their names', async () => {
      await opened.keyed('a').set('b::c', 1, TTL_MS, 'nobody');
      await opened.keyed('a::b').set('c', 2, TTL_MS, 'nobody');
      expect(await opened.keyed('a').get('b::c')).toBe(1);
      expect(await opened.keyed('a::b').get('c')).toBe(2);
      expect(await keyed.get('b::c')).toBeUndefined();
    });

    it('changes a value atomically, however many changes run at once', async () => {
      const again = opened.keyed('one');
      const grow = (list: unknown) => [...(Array.isArray(list) ? list : []), 1];
      const changes = Array.from({ length: 40 }, (_, nth) =>
        (nth % 2 ? keyed : again).change('key', grow, TTL_MS, 'nobody'),
      );
      expect(new Set(await Promise.all(changes))).toEqual(new Set([true]));
      expect(await keyed.get('key')).toHaveLength(40);
    });

    it('lets one of many claim a key', async () => {
      const claims = Array.from({ length: 10 }, (_, nth) => {
        const { change } = nth % 2 ? keyed : opened.keyed('one');
        return change('key', (taken) => (taken === undefined ? nth : undefined), TTL_MS, 'nobody');
      });
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      opened.advance(TTL_MS + 1);
      expect(await keyed.change('key', (taken) => taken ?? 'free', TTL_MS, 'nobody')).toBe(true);
      expect(await keyed.get('key')).toBe('free');
    });

    it('keeps the value if a change throws, and carries out the others', async () => {
      await keyed.set('key', 1, TTL_MS, 'nobody');
      const fail = () => {
        throw new Error('broken');
      };
      const failing = keyed.change('key', fail, TTL_MS, 'nobody');
      const adding = keyed.change('key', (value) => Number(value) + 1, TTL_MS, 'nobody');
      await expect(failing).rejects.toThrow();
      expect(await adding).toBe(true);
      expect(await keyed.get('key')).toBe(2);
    });

    it('keeps a value for its time to live, counted from the last set', async () => {
      await keyed.set('key', 1, TTL_MS, 'nobody');
      opened.advance(TTL_MS / 2);
      await keyed.set('key', 2, TTL_MS, 'nobody');
      opened.advance(TTL_MS * 0.9);
      expect(await keyed.get('key')).toBe(2);
      opened.advance(TTL_MS * 0.2);
      expect(await keyed.get('key')).toBeUndefined();
    });
  });
}
