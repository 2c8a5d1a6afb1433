import { describe, expect, test } from 'vitest';
import { createBackground } from '../../../src/kit/background.ts';
import { createOnce } from '../../../src/kit/once.ts';
import { openRefusals, type RefusalDeps } from '../../../src/kit/refusals.ts';
import { quiet } from '../../fakes/quiet.ts';
import { message } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { never, sharedState } from './killable-state.ts';

/** Successive processes that share one store. */
function bridge() {
  const clock = createVirtualClock();
  const values = new Map<string, unknown>();
  const stateOfProcess = sharedState(values, clock);
  const told: string[] = [];
  const begin = async (tell: RefusalDeps['tell'] = async (_, words) => void told.push(words)) => {
    const { state, kill } = stateOfProcess();
    const host = { clock, state, log: quiet };
    const background = createBackground(quiet);
    const stopping = new AbortController();
    const { signal } = stopping;
    const once = createOnce({ host, background, signal });
    const refusals = await openRefusals({ host, background, once, tell, signal });
    return { ...refusals, kill, settle: background.settle, stop: () => stopping.abort() };
  };
  return { clock, values, told, begin, kept: () => values.get('refusals') };
}

describe('a refusal notice', () => {
  test('is sent once, however often the event is repeated, and then forgotten', async () => {
    const { told, kept, begin } = bridge();
    const { refuse, settle } = await begin();
    await Promise.all([refuse(message(), 'No.'), refuse(message(), 'No.')]);
    await settle();
    await refuse(message(), 'No.');
    await settle();
    expect(told).toEqual(['No.']);
    expect(kept()).toEqual([]);
    await refuse(message({ revision: 1 }), 'Not that either.');
    await settle();
    expect(told).toEqual(['No.', 'Not that either.']);
  });

  test('that a killed process left unsent is sent by the next one, once', async () => {
    const { clock, told, begin } = bridge();
    const killed = await begin(never);
    await killed.refuse(message(), 'No.');
    killed.kill();
    for (const _ of [1, 2]) {
      const next = await begin();
      await clock.pass(20_000);
      await next.settle();
    }
    expect(told).toEqual(['No.']);
  });

  test('that the stop of the bridge interrupted is sent by the next process', async () => {
    const { told, begin } = bridge();
    const cut = Promise.withResolvers<void>();
    const first = await begin(() => cut.promise);
    await first.refuse(message(), 'No.');
    first.stop();
    cut.reject(new Error('stopped'));
    await first.settle();
    await (await begin()).settle();
    expect(told).toEqual(['No.']);
  });

  test('that the channel refuses is dropped', async () => {
    const { told, kept, begin } = bridge();
    const { refuse, settle } = await begin(() => Promise.reject(new Error('not_in_channel')));
    await refuse(message(), 'No.');
    await settle();
    expect(kept()).toEqual([]);
    await (await begin()).settle();
    expect(told).toEqual([]);
  });

  test('stores no part of the question', async () => {
    const { kept, begin } = bridge();
    await (await begin(never)).refuse(message({ text: 'a secret' }), 'No.');
    expect(JSON.stringify(kept())).toContain('No.');
    expect(JSON.stringify(kept())).not.toContain('a secret');
  });

  test('is not acknowledged if it cannot be stored', async () => {
    const { values, told, begin } = bridge();
    const { refuse, settle } = await begin();
    values.set = () => {
      throw new Error('disk full');
    };
    await expect(refuse(message(), 'No.')).rejects.toThrow('disk full');
    await settle();
    expect(told).toEqual([]);
  });

  test('200 are stored in a flood, and all are sent', async () => {
    const { told, kept, begin } = bridge();
    const ended = Promise.withResolvers<void>();
    const { refuse, settle } = await begin(async (_, words) => {
      await ended.promise;
      told.push(words);
    });
    const ids = Array.from({ length: 250 }, (_, nth) => `m${nth}`);
    await Promise.all(ids.map((id) => refuse(message({ id }), id)));
    expect(kept()).toHaveLength(200);
    ended.resolve();
    await settle();
    expect(told.toSorted()).toEqual(ids.toSorted());
    expect(kept()).toEqual([]);
  });

  test('that is damaged on disk is dropped, and the others are sent', async () => {
    const { clock, values, told, begin } = bridge();
    const killed = await begin(never);
    await killed.refuse(message(), 'No.');
    killed.kill();
    values.set('refusals', [{ key: 'x' }, ...(values.get('refusals') as unknown[])]);
    const next = await begin();
    await clock.pass(20_000);
    await next.settle();
    expect(told).toEqual(['No.']);
  });
});

test('messages with one id in two rooms or workspaces get a notice each, and a repeated event is stored once', async () => {
  const { begin, kept } = bridge();
  const { refuse } = await begin(never);
  const places = [{}, { room: 'other' }, { tenant: 'acme2' }];
  for (const place of [...places, ...places])
    await refuse(message({ thread: { ...message().thread, ...place } }), 'No.');
  expect(kept()).toHaveLength(3);
});
