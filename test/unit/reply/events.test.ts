/** The events of a reply: each is reported once for each turn, and waits of subscribers end. */

import { expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { Screen } from '../../../src/kit/ladder.ts';
import type { Move, Outcome, ReplyDocument } from '../../../src/kit.ts';
import { type ReplyEvents, withEvents } from '../../../src/reply/events.ts';
import { turn } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { blank } from './markdown/documents.ts';

const SCREEN: Screen = { rung: 'edits', parts: [], finished: false };
const MOVE: Move = { family: 'post', essential: true, call: {} };

/** A reply whose next calls show text in these messages. */
function replying(before?: ReplyEvents['before']) {
  const clock = createVirtualClock();
  const told: string[] = [];
  const calls: Outcome[] = [];
  const subscriber: ReplyEvents = {
    began: () => void told.push('began'),
    ended: () => void told.push('ended'),
    documentChanged: (_, { version }) => void told.push(`document ${version}`),
    messageShown: (_, { id, document }) => void told.push(`${id} of ${document.turn}`),
    ...(before && { before }),
  };
  let document: ReplyDocument = blank;
  const writer = withEvents(
    turn(),
    {
      blank: () => SCREEN,
      next: () => [],
      after: (screen) => screen,
      resume: (screen) => screen,
      async perform() {
        calls.push({ kind: 'done', id: `m${calls.length}` });
        return { kind: 'done' };
      },
      shownBy: () => ({ id: 'm1', begin: { at: 0, fresh: true }, document }),
    },
    [subscriber],
    clock,
  );
  const show = (over: Partial<ReplyDocument>, signal = new AbortController().signal) => {
    document = { ...document, version: document.version + 1, ...over };
    writer.next(SCREEN, document, 0);
    writer.next(SCREEN, document, 0);
    return writer.perform(MOVE, signal);
  };
  return { clock, told, calls, show };
}

test('a document, an end and a message are reported once, and a message again for another turn', async () => {
  const { told, show } = replying();
  const [first, second] = [turnId('first'), turnId('second')];
  await show({ turn: first, version: 1, state: 'writing' });
  await show({ turn: first, version: 2, state: 'done' });
  await show({ turn: first, version: 3, state: 'done' });
  await show({ turn: second, version: 4, state: 'done' });
  await show({ turn: second, version: 5, state: 'done' });
  await show({ turn: first, version: 6, state: 'done' });
  expect(told).toEqual([
    ...['began', 'document 1', 'm1 of first', 'document 2', 'ended', 'document 3'],
    ...['document 4', 'm1 of second', 'document 5', 'document 6', 'm1 of first'],
  ]);
});

test('the first call waits for what stands above the answer, but at most 5 s', async () => {
  let asked = 0;
  const { clock, calls, show } = replying(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  const shown = show({});
  await clock.pass(4_999);
  expect(calls).toHaveLength(0);
  await clock.pass(1);
  await shown;
  await show({});
  expect([calls.length, asked]).toEqual([2, 1]);
});

test('the wait ends with the turn, and with a failure', async () => {
  const { calls, show } = replying(() => new Promise(() => undefined));
  const stop = new AbortController();
  const shown = show({}, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(shown).rejects.toThrow('stopped');
  expect(calls).toHaveLength(0);
});
