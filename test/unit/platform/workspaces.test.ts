/** Tests the look-up of knowledge workspaces by several accounts, and how long its list is used. */

import { describe, expect, it } from 'vitest';
import type { CallOptions, PlatformClient } from '../../../src/platform/caller.ts';
import { workspaceFinder } from '../../../src/platform/tasks/workspaces.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const FRESH_MS = 300_000;

/** Returns a finder for workspaces that depend on the account. */
function open(lists: Record<string, readonly (readonly [id: string, name: string])[]>) {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const call = async (_operation: unknown, _request: unknown, { account = '' }: CallOptions = {}) => {
    calls.push(account);
    return [{ workspaces: (lists[account] ?? []).map(([id, name]) => ({ id, name })) }];
  };
  const finder = workspaceFinder({ clock, call } as unknown as PlatformClient);
  const idOf = async (nameOrId: string, account?: string) =>
    (await finder.find(nameOrId, account === undefined ? {} : { account }).catch(() => undefined))?.id;
  return { clock, calls, idOf };
}

describe('a knowledge workspace', () => {
  it('is one that the account sees, although another account sees one of the same name', async () => {
    const { calls, idOf } = open({
      '': [['1', 'handbook']],
      U1: [
        ['2', 'handbook'],
        ['3', 'secret'],
      ],
      U12: [['4', 'handbook']],
    });
    for (let round = 0; round < 2; round += 1) {
      expect(await Promise.all([undefined, 'U1', 'U12'].map((account) => idOf('handbook', account)))).toEqual(
        [...['1', '2', '4']],
      );
      expect(await idOf('secret', 'U1')).toBe('3');
    }
    expect(calls).toEqual(['', 'U1', 'U12']);
    expect(await idOf('secret', 'U12')).toBeUndefined();
  });

  it('is found by its name before another one is by its id', async () => {
    const { idOf } = open({
      '': [
        ['handbook', 'a'],
        ['2', 'handbook'],
        ['3', '2'],
      ],
    });
    expect([await idOf('handbook'), await idOf('2'), await idOf('a')]).toEqual(['2', '3', 'handbook']);
  });

  it('is looked for in a list of at most 5 minutes, unless the list lacks it', async () => {
    const list: (readonly [string, string])[] = [['1', 'a']];
    const { clock, calls, idOf } = open({ '': list });
    expect(await idOf('a')).toBe('1');
    list.push(['2', 'new']);
    expect(await idOf('new')).toBe('2');
    expect(calls).toHaveLength(2);
    await clock.pass(FRESH_MS - 1);
    expect(await idOf('a')).toBe('1');
    expect(calls).toHaveLength(2);
    await clock.pass(1);
    list.splice(0, 1, ['9', 'a']);
    expect(await idOf('a')).toBe('9');
    expect(calls).toHaveLength(3);
  });
});
