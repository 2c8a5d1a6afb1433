import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { begin, fold } from '../../../../src/core/live-reply/compose.ts';
import { Recorder } from '../../../../src/core/live-reply/recorder.ts';
import { change } from '../../../../src/core/reply.ts';
import type { Screen } from '../../../../src/core/screen.ts';
import type { Checkpoint } from '../../../../src/core/stores/inbox.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { claim, turn } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const blank = begin(turn().id);
const screen = (...ids: string[]): Screen => ({
  rung: 'edits',
  parts: ids.map((id) => ({ id, from: 0, live: false, openedAt: 0, sure: true })),
  finished: false,
});
const writing = (text: string) => change(blank, { text });

function disk(held: () => Promise<'held' | 'lost'> = async () => 'held', isShared = false) {
  const kept: Checkpoint[] = [];
  const failures: string[] = [];
  let lost = 0;
  const inbox = {
    isShared,
    checkpoint: async (_: unknown, checkpoint: Checkpoint) => {
      const answer = await held();
      kept.push(checkpoint);
      return answer;
    },
  };
  const clock = createVirtualClock();
  const recorder = (from = claim()) =>
    new Recorder({
      claim: from,
      inbox,
      clock,
      asking: new AbortController().signal,
      halt: new AbortController().signal,
      newest: () => blank,
      lost: () => {
        lost += 1;
      },
      failed: (error) => failures.push(error.code),
    });
  return { kept, clock, recorder, failures, lost: () => lost };
}

/** Returns the text that the next process reads. As in the store, each piece replaces everything from its offset on. */
const readBack = (kept: readonly Checkpoint[], from = '') =>
  kept.reduce((text, { text: piece }) => (piece ? text.slice(0, piece.at) + piece.text : text), from);

describe('the recorder', () => {
  test('records only the new end of the text, and the screen only if its messages changed', async () => {
    const { kept, recorder } = disk();
    const records = recorder();
    await records.recordShown(writing('Two'), screen());
    await records.recordShown(writing('Two years'), screen('m1'));
    await records.recordShown(writing('Two years'), screen('m1'));
    expect(kept).toEqual([
      { text: { at: 0, text: 'Two' }, screen: screen() },
      { text: { at: 3, text: ' years' }, screen: screen('m1') },
    ]);
  });

  test('records the end of a stream, so that the next process does not end it again', async () => {
    const { kept, recorder } = disk();
    const records = recorder();
    const ended = screen('m1');
    const live = { ...ended, parts: ended.parts.map((part) => ({ ...part, live: true })) };
    await records.recordShown(writing('Two'), live);
    await records.recordShown(writing('Two'), ended);
    expect(kept.at(-1)).toEqual({ screen: ended });
  });

  test('records each line of a chat in which it could not be found again', async () => {
    const { kept, recorder } = disk();
    const records = recorder();
    for (const posts of [1, 2, 2, 3]) await records.recordShown(writing('Two'), { ...screen('m1'), posts });
    expect(kept.map((each) => each.screen?.posts)).toEqual([1, 2, 3]);
  });

  test('records the screen if and only if its messages changed', async () => {
    const { kept, recorder } = disk();
    const records = recorder();
    const one = { id: 'm1', from: 0, live: false, openedAt: 0, sure: true };
    const shown = (over: Partial<Screen>): Screen => ({
      rung: 'edits',
      parts: [one],
      finished: false,
      ...over,
    });
    const changes = [
      shown({}),
      shown({ parts: [{ ...one, to: 9 }] }),
      shown({ parts: [{ ...one, from: 2 }] }),
      shown({ parts: [{ ...one, live: true }] }),
      shown({ parts: [one, { ...one, id: 'm2' }] }),
      shown({ beside: ['n1'] }),
      shown({ beside: ['n1', 'n2'] }),
      shown({ beside: ['n1', 'n2'], lost: { since: 0 } }),
      shown({ rung: 'once' }),
    ];
    for (const each of changes) await records.recordShown(blank, each);
    for (const same of [
      { status: 'thinks' },
      { finished: true },
      { reviewAt: 7 },
      { parts: [{ ...one, sure: false }] },
    ])
      await records.recordShown(blank, shown({ rung: 'once', ...same }));
    expect(kept).toEqual(changes.map((each) => ({ screen: each })));
  });

  test('records the first rewrite as a whole and the next ones from the first difference', async () => {
    const { kept, recorder } = disk();
    const records = recorder();
    let document = blank;
    for (const text of ['Three years', 'Two years', 'Two days', 'T']) {
      document = fold(document, { type: 'text', at: 0, text });
      await records.recordShown(document, screen());
    }
    expect(kept.map(({ text }) => text)).toEqual([
      { at: 0, text: 'Three years' },
      { at: 0, text: 'Two years' },
      { at: 4, text: 'days' },
      { at: 1, text: '' },
    ]);
  });

  test('does not shorten a newer record with an outdated document', async () => {
    const { kept, recorder } = disk();
    const records = recorder();
    const older = fold(blank, { type: 'text', at: 0, text: 'Two' });
    await records.recordEnding(fold(older, { type: 'text', at: 3, text: ' years' }));
    await records.recordShown(older, screen());
    expect(readBack(kept)).toBe('Two years');
  });

  test('does not repeat the record of an earlier attempt', async () => {
    const { kept, recorder } = disk();
    const records = recorder(claim({ text: 'Two', turn: turn({ screen: screen('m1') }) }));
    await records.recordShown(writing('Two'), screen('m1'));
    await records.recordShown(writing('Two years'), screen('m1'));
    expect(kept).toEqual([{ text: { at: 3, text: ' years' } }]);
  });

  test('property: the newest text is always on disk', async () => {
    const piece = fc.record({
      at: fc.nat(12),
      text: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.string(), async (pieces, first) => {
        const { kept, recorder } = disk();
        const records = recorder(claim({ text: first }));
        let document = writing(first);
        for (const { at, text } of pieces) {
          document = fold(document, { type: 'text', at, text });
          await records.recordShown(document, screen());
          expect(readBack(kept, first)).toBe(document.text);
        }
      }),
    );
  });
});

test('with a shared store, waits for what another record has taken over', async () => {
  const calls: PromiseWithResolvers<'held'>[] = [];
  const { kept, clock, recorder } = disk(() => {
    const call = Promise.withResolvers<'held'>();
    calls.push(call);
    return call.promise;
  }, true);
  const records = recorder();
  let isAsked = false;
  const asked = records.recordAsking({ account: 'ada' }).then(() => {
    isAsked = true;
  });
  calls[0]?.reject(new Error('no connection'));
  await clock.pass(100);
  const shown = records.recordShown(blank, screen('m1'));
  await clock.pass(1_000);
  for (const call of calls.slice(2)) call.resolve('held');
  await clock.pass(5_000);
  expect([isAsked, kept.some(({ phase }) => phase === 'asking')]).toEqual([false, false]);
  for (const call of calls) call.resolve('held');
  await clock.pass(1_000);
  await Promise.all([asked, shown]);
  expect(kept).toContainEqual(expect.objectContaining({ phase: 'asking', account: 'ada' }));
});

describe('when the disk fails', () => {
  const failing = () => {
    const state = { broken: false };
    const down = new BridgeError('store-unavailable', 'disk full');
    return { state, ...disk(() => (state.broken ? Promise.reject(down) : Promise.resolve('held'))) };
  };

  test('a failed record is part of the next one, with the newest value of each member', async () => {
    const { state, kept, recorder, failures } = failing();
    const records = recorder();
    state.broken = true;
    await records.record({ phase: 'asking', session: 's1' });
    await records.record({ phase: 'answering' });
    state.broken = false;
    await records.recordShown(blank, screen());
    await records.recordShown(blank, screen());
    expect(kept).toEqual([{ phase: 'answering', session: 's1', screen: screen() }]);
    expect(failures).toEqual(['store-unavailable', 'store-unavailable']);
  });

  test('the newest of overlapping records counts, whichever of them fail', async () => {
    const outcomes = [true, false].flatMap((first) => [true, false].map((second) => ({ first, second })));
    for (const { first, second } of outcomes) {
      const calls: PromiseWithResolvers<'held'>[] = [];
      const { kept, recorder } = disk(() => {
        const call = Promise.withResolvers<'held'>();
        calls.push(call);
        return call.promise;
      });
      const records = recorder();
      const end = (nth: number, good: boolean) =>
        good ? calls[nth]?.resolve('held') : calls[nth]?.reject(new Error('disk full'));
      const overlapping = [
        records.record({ phase: 'answering' }),
        records.recordEnding(writing('All of it')),
      ];
      end(0, first);
      end(1, second);
      await Promise.all(overlapping);
      const last = records.record({ session: 's1' });
      end(2, true);
      await last;
      expect({ first, second, phase: kept.findLast(({ phase }) => phase)?.phase }).toEqual({
        first,
        second,
        phase: 'ending',
      });
    }
  });

  test('property: after the failure, the whole text is on disk', async () => {
    const piece = fc.record({
      at: fc.nat(12),
      text: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 5 }),
      broken: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        const { state, kept, recorder } = failing();
        const records = recorder();
        let document = blank;
        for (const { at, text, broken } of [...pieces, { at: 12, text: '.', broken: false }]) {
          document = fold(document, { type: 'text', at, text });
          state.broken = broken;
          await records.recordShown(document, screen());
          if (!broken) expect(readBack(kept)).toBe(document.text);
        }
      }),
    );
  });
});

test('data does not count as recorded while its write is in progress', async () => {
  const arrival = Promise.withResolvers<void>();
  const { kept, recorder } = disk(async () => {
    await arrival.promise;
    return 'held';
  });
  const records = recorder();
  const ending = records.recordEnding(writing('All of it'));
  let ready = false;
  const shown = records.recordShown(writing('All of it'), screen()).then(() => {
    ready = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(ready).toBe(false);
  arrival.resolve();
  await Promise.all([ending, shown]);
  expect(readBack(kept)).toBe('All of it');
});

test('the ending contains the whole text and the phase', async () => {
  const { kept, recorder } = disk();
  const records = recorder();
  await records.recordShown(writing('Two'), screen());
  await records.recordEnding(writing('Two years'));
  expect(kept[1]).toEqual({ phase: 'ending', text: { at: 3, text: ' years' } });
});

test('a lost lease is reported', async () => {
  const { recorder, lost } = disk(async () => 'lost');
  await recorder().record({ phase: 'asking' });
  expect(lost()).toBe(1);
});

test('the whole text is on disk after overlapping records, whichever of them fail', async () => {
  const fails = fc.array(fc.boolean(), { minLength: 3, maxLength: 3 });
  const property = fc.asyncProperty(fails, async (failing) => {
    const calls: PromiseWithResolvers<'held'>[] = [];
    const { kept, recorder } = disk(() => {
      const call = Promise.withResolvers<'held'>();
      calls.push(call);
      return call.promise;
    });
    const records = recorder();
    const texts = ['Two', 'Two years', 'Two years from'];
    const documents = texts.map((text, nth) => ({ ...blank, text, version: nth + 1 }));
    const shown = documents.map((document) => records.recordShown(document, screen()));
    for (const [nth, isFailing] of failing.entries()) {
      if (isFailing) calls[nth]?.reject(new Error('disk full'));
      else calls[nth]?.resolve('held');
    }
    await Promise.all(shown);
    const last = records.recordShown({ ...blank, text: 'Two years from now', version: 4 }, screen());
    calls.at(-1)?.resolve('held');
    await last;
    // A document that is older than the recorded one changes nothing.
    const stale = records.recordShown(documents[0] ?? blank, screen());
    for (const call of calls) call.resolve('held');
    await stale;
    expect(readBack(kept)).toBe('Two years from now');
  });
  await fc.assert(property);
});
