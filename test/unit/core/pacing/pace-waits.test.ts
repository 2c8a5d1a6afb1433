/**
 * Tests what ends the pacer's wait between two calls: a new document, a screen that expires, a live stream, a permit.
 */

import { describe, expect, it } from 'vitest';
import type { Part } from '../../../../src/core/screen.ts';
import type { Screen } from '../../../../src/kit/ladder.ts';
import type { Move } from '../../../../src/kit.ts';
import { aMove, BLANK, paceReply } from '../../../fakes/pacing/paced-reply.ts';

const part = (over: Partial<Part> = {}): Part => ({
  id: 'm1',
  from: 0,
  live: false,
  openedAt: 0,
  sure: true,
  ...over,
});
const showing = (length: number) => part({ shown: { version: 1, rewrites: 0, length } });

describe('a screen that fades', () => {
  const typing = (over: Partial<Screen> = {}) =>
    paceReply({
      writer: {
        next: ({ reviewAt = 0 }, { state }, now) =>
          state === 'thinking' && now >= reviewAt ? [aMove('typing')] : [],
        after: (screen, _, __, now) => ({ ...screen, reviewAt: now + 4_000 }),
      },
      from: { ...BLANK, ...over },
    });

  it('is checked again at that time, even without a new document', async () => {
    const { clock, finish, screen, times } = typing();
    await clock.pass(9_000);
    expect(times).toEqual([0, 4_000, 8_000]);
    finish();
    await clock.pass(10_000);
    await screen;
    expect(times).toHaveLength(3);
  });

  it('is not waited for after a new document', async () => {
    const { clock, finish, ended } = typing();
    await clock.pass(1_000);
    expect(clock.waiting).toBe(1);
    finish();
    await clock.pass(0);
    expect(ended()).toBe('shown');
    expect(clock.waiting).toBe(0);
  });

  it('is not checked again once it has faded', async () => {
    let looks = 0;
    const { clock, finish, ended } = paceReply({
      writer: {
        next: () => {
          looks += 1;
          return [];
        },
      },
      // The time of the check has already passed, because the virtual clock starts in 2026.
      from: { ...BLANK, reviewAt: 1 },
    });
    await clock.pass(60_000);
    expect(looks).toBe(1);
    expect(clock.waiting).toBe(0);
    finish();
    await clock.pass(0);
    expect(ended()).toBe('shown');
  });
});

describe('a live stream', () => {
  /** Shows a reply whose stream the writer closes `afterMs` milliseconds after the start. */
  const closing = (afterMs: number, from: Screen) => {
    let until: number | undefined;
    return paceReply({
      writer: {
        next: (screen, _, now) => {
          until ??= now + afterMs;
          return now >= until && !screen.finished ? [aMove('stop')] : [];
        },
      },
      from,
    });
  };

  it('is checked every five seconds, even without a new document', async () => {
    const { clock, times } = closing(12_000, { ...BLANK, parts: [part(), part({ live: true })] });
    await clock.pass(30_000);
    expect(times).toEqual([15_000]);
  });

  it('is not checked once it has ended', async () => {
    const { clock, times } = closing(12_000, { ...BLANK, parts: [part()] });
    await clock.pass(30_000);
    expect(times).toEqual([]);
  });

  it.each([
    [2_000, 2_000],
    [7_000, 5_000],
  ])('whose screen fades in %i ms is checked after %i ms', async (fadesMs, lookedMs) => {
    const clockStart = paceReply({ writer: {} }).clock.now();
    const parts = [part({ live: true })];
    const { clock, times } = closing(1_000, { ...BLANK, parts, reviewAt: clockStart + fadesMs });
    await clock.pass(8_000);
    expect(times).toEqual([lookedMs]);
  });
});

describe('while it waits for a permit', () => {
  /**
   * Shows a reply whose writer returns `moves` for each text. The family `edit` gives no permit for ten seconds, so a
   * move of this family waits.
   */
  const wanting = (moves: (text: string) => readonly Move[]) => {
    const paced = paceReply({
      writer: {
        next: (screen, { text }) => (text === '' || screen.finished ? [] : moves(text)),
      },
    });
    paced.budgets.close({ tenant: 'T', room: 'r', family: 'edit', ms: 10_000 });
    return paced;
  };

  it('a document that needs another call requests a new permit and is shown at once', async () => {
    const { clock, write, log, requests } = wanting((text) => [aMove(text.length > 3 ? 'post' : 'edit')]);
    write('Two');
    await clock.pass(2_000);
    write('Two years');
    await clock.pass(0);
    expect(log.filter((line) => line.includes(' at '))).toEqual(['post at 2000']);
    expect(requests.map(({ moves: [move], at }) => [move?.family, at])).toEqual([
      ['edit', 0],
      ['post', 2_000],
    ]);
    // Both requests state the time of the first text, because people have not seen that text yet.
    expect(requests.map(({ since }) => since)).toEqual([0, 0]);
  });

  it.each<[string, (isFirst: boolean) => readonly Move[]]>([
    ['becomes essential', (isFirst) => [aMove('edit', { essential: !isFirst })]],
    ['needs something', (isFirst) => [aMove('edit', isFirst ? {} : { needs: { post: 1 } })]],
    ['needs more', (isFirst) => [aMove('edit', { needs: { post: isFirst ? 1 : 2 } })]],
    ['gets an alternative', (isFirst) => [aMove('edit'), ...(isFirst ? [] : [aMove('edit')])]],
    [
      'needs something in one of its alternatives',
      (isFirst) => [aMove('edit'), aMove('edit', isFirst ? {} : { needs: { post: 1 } })],
    ],
    ['loses an alternative', (isFirst) => [aMove('edit'), ...(isFirst ? [aMove('edit')] : [])]],
  ])('a call that %s needs a new request', async (_, moves) => {
    const { clock, write, requests } = wanting((text) => moves(text === 'Two'));
    write('Two');
    await clock.pass(2_000);
    write('Two years');
    await clock.pass(0);
    expect(requests).toHaveLength(2);
  });

  it('a document that only grew keeps its place, and its newest text is shown', async () => {
    const { clock, write, log, requests } = wanting(() => [aMove('edit', { needs: { post: 1 } })]);
    write('Two');
    await clock.pass(2_000);
    for (const text of ['Two years', 'Two years of', 'Two years of warranty']) {
      write(text);
      await clock.pass(100);
    }
    expect(requests).toHaveLength(1);
    await clock.pass(10_000);
    expect(log).toEqual([
      'record "Two years of warranty" open',
      'edit at 10000',
      'record "Two years of warranty" finished',
    ]);
  });

  it('an ended reply waits for no call', async () => {
    const { clock, write, halt, ended } = wanting(() => [aMove('edit')]);
    write('Two');
    await clock.pass(0);
    halt.abort('released');
    await clock.pass(0);
    expect(ended()).toBe('released');
    expect(clock.waiting).toBe(0);
  });

  it('a permit for an unneeded call is returned', async () => {
    const { clock, write, finish, times, budgets, ended } = paceReply({
      writer: { next: (_, { text }) => (text === 'Two' ? [aMove('edit')] : []) },
      limits: { edit: { gapMs: 0, perMinute: 1 } },
      permit: (original, document) => async (request, signal) => {
        const permit = await original(request, signal);
        document.set({ ...document.get(), text: 'Three' });
        return permit;
      },
    });
    write('Two');
    await clock.pass(0);
    expect(times).toEqual([]);
    const call = { tenant: 'T', room: 'r', family: 'edit' };
    expect(await budgets.permitSideCall(call, 0, new AbortController().signal)).toBeDefined();
    finish();
    await clock.pass(0);
    expect(ended()).toBe('shown');
  });
});

describe('the urgency of a request', () => {
  const requestOf = async (parts: readonly Part[]) => {
    const { clock, finish, requests } = paceReply({ writer: {}, from: { ...BLANK, parts } });
    await clock.pass(700);
    finish();
    await clock.pass(0);
    return requests[0];
  };

  it('is that of first words while the reply shows no text anywhere', async () => {
    expect(await requestOf([])).toMatchObject({ first: true });
    expect(await requestOf([part()])).toMatchObject({ first: true });
    expect(await requestOf([showing(0)])).toMatchObject({ first: true });
    expect(await requestOf([showing(1)])).toMatchObject({ first: false });
    expect(await requestOf([showing(5), part()])).toMatchObject({ first: false });
  });

  it('counts from the arrival of the text', async () => {
    expect(await requestOf([])).toMatchObject({ since: 700, reply: 't', tenant: 'T', room: 'r' });
  });

  it('counts text that arrives during a call from the request of that call', async () => {
    const { clock, write, requests } = paceReply({
      writer: {
        next: (screen, { text }) =>
          (screen.parts[0]?.shown?.length ?? 0) < text.length ? [aMove('edit')] : [],
        async perform() {
          await clock.wait(1_000);
          return { kind: 'done' };
        },
        after: (screen, _, __, now) => ({ ...screen, parts: [showing(now > begun + 1_500 ? 100 : 3)] }),
      },
    });
    const begun = clock.now();
    await clock.pass(200);
    write('Two');
    await clock.pass(500);
    write('Two years');
    await clock.pass(5_000);
    expect(requests.map(({ since, at }) => [since, at])).toEqual([
      [200, 200],
      [200, 1_200],
    ]);
  });
});

describe('a call that waits for its permit while the text grows', () => {
  const waiting = (length: number) => {
    let comparisons = 0;
    const reply = paceReply({
      writer: {
        next: (_, { text, state }) => {
          comparisons += 1;
          return state === 'done' ? [] : [aMove(text.length < 1_000 ? 'append' : 'stop')];
        },
      },
      // Grants no permit.
      permit: () => (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
      from: { ...BLANK, parts: [showing(length)] },
    });
    return { ...reply, comparisons: () => comparisons };
  };
  const grow = (write: (text: string) => void, chars: number) => {
    for (let length = 1; length <= chars; length += 1) write('a'.repeat(length));
  };

  it('is compared with the needed calls once for every 256 characters', async () => {
    const { clock, write, comparisons } = waiting(10);
    await clock.pass(0);
    const before = comparisons();
    grow(write, 900);
    expect(comparisons() - before).toBeLessThanOrEqual(4);
  });

  it('is compared ever less often while a long text grows', async () => {
    const { clock, write, comparisons } = waiting(10);
    await clock.pass(0);
    const before = comparisons();
    for (let length = 100; length <= 100_000; length += 100) write('a'.repeat(length));
    await clock.pass(0);
    // One comparison for every 256 characters would make 390 comparisons.
    expect(comparisons() - before).toBeLessThanOrEqual(60);
  });

  it('is compared after each change while the reply shows no text', async () => {
    const { clock, write, comparisons } = waiting(0);
    await clock.pass(0);
    const before = comparisons();
    grow(write, 100);
    expect(comparisons() - before).toBe(100);
  });

  it('gives way to the call that the longer text needs', async () => {
    const { clock, write, requests } = waiting(10);
    await clock.pass(0);
    grow(write, 1_300);
    await clock.pass(0);
    expect(requests.map(({ moves: [first] }) => first?.family)).toEqual(['append', 'stop']);
  });

  it('is compared at once when the answer ends', async () => {
    const { clock, write, finish, ended } = waiting(10);
    await clock.pass(0);
    grow(write, 5);
    finish();
    await clock.pass(0);
    expect(ended()).toBe('shown');
  });
});
