import { describe, expect, test } from 'vitest';
import { openScope } from '../../../../src/core/live-reply/scope.ts';
import type { Interruption } from '../../../../src/core/turn.ts';

const stop: Interruption = { kind: 'stop', by: 'ada' };

test('a turn is stalled until each of its parts goes on', () => {
  const scope = openScope();
  const [channelIsUp, signedIn] = [scope.stall(), scope.stall()];
  expect(scope.stalled).toBe(true);
  channelIsUp();
  channelIsUp();
  expect(scope.stalled).toBe(true);
  signedIn();
  expect(scope.stalled).toBe(false);
});

describe('the signals of a turn', () => {
  test.each<Interruption>([
    stop,
    { kind: 'deadline' },
    { kind: 'release' },
    { kind: 'gone' },
  ])('$kind aborts the asking; the reply may still be shown', (why) => {
    const scope = openScope();
    scope.interrupt(why);
    expect([scope.asking.aborted, scope.showing.aborted]).toEqual([true, false]);
    expect(scope.why()).toEqual(why);
  });

  test('only the end of the process is signalled as a shutdown', () => {
    for (const why of [stop, { kind: 'lost' }, { kind: 'release' }] as const) {
      const scope = openScope();
      scope.interrupt(why);
      expect(scope.shutdown.aborted).toBe(why.kind === 'release');
    }
  });

  test('lost aborts both', () => {
    const scope = openScope();
    scope.interrupt({ kind: 'lost' });
    expect([scope.asking.aborted, scope.showing.aborted]).toEqual([true, true]);
  });

  test('the first reason counts, except that gone and lost outrank it', () => {
    const scope = openScope();
    scope.interrupt(stop);
    scope.interrupt({ kind: 'deadline' });
    expect(scope.why()).toEqual(stop);
    scope.interrupt({ kind: 'lost' });
    expect(scope.why()).toEqual({ kind: 'lost' });
    scope.interrupt({ kind: 'release' });
    expect(scope.why()).toEqual({ kind: 'lost' });
  });

  test('without an interruption there is no reason and no abort', () => {
    const scope = openScope();
    expect([scope.why(), scope.asking.aborted, scope.showing.aborted]).toEqual([undefined, false, false]);
  });
});
