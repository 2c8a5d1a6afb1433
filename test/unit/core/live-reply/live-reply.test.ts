/** Tests the live reply of a turn, which passes the growing answer on to the channel. */

import { describe, expect, test } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import { finish } from '../../../../src/core/live-reply/compose.ts';
import type { TurnDeps } from '../../../../src/core/live-reply/deps.ts';
import { openLiveReply } from '../../../../src/core/live-reply/live-reply.ts';
import { openScope } from '../../../../src/core/live-reply/scope.ts';
import type { ThreadRef } from '../../../../src/core/message.ts';
import type { Budgets } from '../../../../src/core/pacing/budgets.ts';
import { change } from '../../../../src/core/reply.ts';
import type { Claim } from '../../../../src/core/stores/inbox.ts';
import type { CoreEvent } from '../../../../src/core/turn-events.ts';
import { BridgeError } from '../../../../src/errors.ts';
import type { Screen } from '../../../../src/kit/ladder.ts';
import type { Outcome, ReplyWriter } from '../../../../src/kit.ts';
import { aMove, BLANK } from '../../../fakes/pacing/paced-reply.ts';
import { claim, message, thread, turn } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

interface Options {
  readonly from?: Partial<Claim>;
  readonly perform?: ReplyWriter['perform'];
  readonly checkpoint?: () => Promise<'held' | 'lost'>;
  /** True if the channel may deliver messages out of order. */
  readonly unordered?: boolean;
  readonly place?: Partial<ThreadRef>;
}

function open({ from, perform, checkpoint, unordered, place }: Options = {}) {
  const clock = createVirtualClock();
  const said = message({ thread: thread(place) });
  const held = claim({ turn: turn({ message: said, keptAt: clock.now() }), ...from });
  const scope = openScope();
  const events: CoreEvent[] = [];
  const freed: string[] = [];
  const requests: { readonly room: string; readonly thread?: string }[] = [];
  const shownFrom: Screen[] = [];
  const budgets: Partial<Budgets> = {
    begin: () => undefined,
    async permit({ moves: [move = aMove('none')], room, thread: key }) {
      requests.push({ room, ...(key !== undefined && { thread: key }) });
      return { move, answered: () => undefined, giveBack: () => undefined };
    },
    free: (reply) => void freed.push(reply),
  };
  const writer: ReplyWriter = {
    blank: () => BLANK,
    resume: (screen) => ({ ...screen, status: 'resumed' }),
    next: (screen, { state }) => {
      shownFrom.push(screen);
      return state === 'done' && !screen.finished ? [aMove('send', { essential: true })] : [];
    },
    after: (screen, _, { kind }) => ({ ...screen, finished: kind === 'done' }),
    perform: perform ?? (async () => ({ kind: 'done', id: 'm1' })),
  };
  const deps: Partial<TurnDeps> = {
    clock,
    turnEvents: { record: (event) => events.push(event), trouble: () => undefined },
    inbox: {
      checkpoint: checkpoint ?? (async () => 'held'),
      holdsLease: () => true,
    } as unknown as TurnDeps['inbox'],
    adapter: () => ({
      writer: () => writer,
      abilities: unordered ? { lookup: { complete: async (each) => each } } : {},
      openFile: () => Promise.reject(new Error('no file')),
    }),
    budgets: () => budgets as Budgets,
  };
  const liveReply = openLiveReply(held, scope, deps as TurnDeps);
  let ended: unknown;
  const end = () =>
    liveReply.end().then(
      () => {
        ended = 'shown';
      },
      (thrown: unknown) => {
        ended = thrown;
      },
    );
  return { clock, liveReply, scope, events, freed, requests, shownFrom, end, ended: () => ended };
}

const only = (events: readonly CoreEvent[], name: CoreEvent['name']) =>
  events.filter((event) => event.name === name).map(({ detail }) => detail);

describe('a reply', () => {
  test('shows its updates and ends once its last state is shown', async () => {
    const { clock, liveReply, freed, end, ended } = open();
    expect(liveReply.document().state).toBe('thinking');
    liveReply.update((document) => change(document, { text: 'Two years.' }));
    liveReply.update(finish);
    expect(liveReply.document()).toMatchObject({ text: 'Two years.', state: 'done' });
    await clock.pass(0);
    expect([freed, ended()]).toEqual([[], undefined]);
    await end();
    expect([freed, ended()]).toEqual([['turn-1'], 'shown']);
  });

  test('starts at once if the channel keeps the order, or else 100 ms later', async () => {
    for (const unordered of [false, true]) {
      const { clock, liveReply, shownFrom } = open({ unordered });
      let isBegun = false;
      void liveReply.begun.then(() => {
        isBegun = true;
      });
      await clock.pass(unordered ? 99 : 0);
      expect([isBegun, shownFrom.length > 0]).toEqual([!unordered, !unordered]);
      await clock.pass(1);
      expect([isBegun, shownFrom.length > 0]).toEqual([true, true]);
    }
  });

  test('continues with the screen of an earlier attempt', async () => {
    const fresh = open();
    await fresh.clock.pass(0);
    expect(fresh.shownFrom[0]).toEqual(BLANK);
    const left: Screen = { ...BLANK, rung: 'edits' };
    const resumed = open({ from: { turn: turn({ screen: left }) } });
    await resumed.clock.pass(0);
    expect(resumed.shownFrom[0]).toEqual({ ...left, status: 'resumed' });
  });

  test('requests permits for its thread in a room, and for the whole conversation in a chat', async () => {
    for (const [kind, expected] of [
      ['room', [{ room: 'general', thread: '["general","t1"]' }]],
      ['direct', [{ room: 'general' }]],
    ] as const) {
      const { clock, liveReply, requests } = open({ place: { kind } });
      liveReply.update(finish);
      await clock.pass(0);
      expect(requests).toEqual(expected);
    }
  });
});

describe('an event', () => {
  test('names the turn and the time', () => {
    const { liveReply, events, clock } = open();
    liveReply.emit('answering');
    liveReply.emit('routed', { agent: 'books' });
    expect(events).toEqual([
      { turn: 'turn-1', at: clock.now(), name: 'answering', detail: {} },
      { turn: 'turn-1', at: clock.now(), name: 'routed', detail: { agent: 'books' } },
    ]);
  });

  test('reports each call with its outcome and the reason of a refusal', async () => {
    const outcomes: Outcome[] = [{ kind: 'refused', why: 'busy' }, { kind: 'unknown' }, { kind: 'done' }];
    const { clock, liveReply, events } = open({ perform: async () => outcomes.shift() ?? { kind: 'done' } });
    liveReply.update(finish);
    await clock.pass(10_000);
    const call = { family: 'send', essential: true, ms: 0 };
    expect(only(events, 'move')).toStrictEqual([
      { ...call, outcome: 'refused', why: 'busy' },
      { ...call, outcome: 'unknown' },
      { ...call, outcome: 'done' },
    ]);
  });

  test('reports a failed checkpoint, which does not end the reply', async () => {
    const down = () => Promise.reject(new BridgeError('store-unavailable', 'disk full'));
    const { clock, liveReply, scope, events, end, ended } = open({ checkpoint: down });
    liveReply.update((document) => finish(change(document, { text: 'Two' })));
    await clock.pass(0);
    await end();
    expect(only(events, 'trouble')[0]).toEqual({ code: 'store-unavailable', what: 'checkpoint' });
    expect([scope.why(), ended()]).toEqual([undefined, 'shown']);
  });
});

describe('a reply that may not be shown', () => {
  test('because it is gone from the channel interrupts its turn', async () => {
    const gone: Outcome[] = [{ kind: 'refused', why: 'gone' }];
    const { clock, liveReply, scope } = open({ perform: async () => gone.shift() ?? { kind: 'done' } });
    liveReply.update(finish);
    await clock.pass(1_000);
    expect(scope.why()).toEqual({ kind: 'gone' });
  });

  test('in this form or at this moment continues', async () => {
    for (const why of ['busy', 'rate', 'invalid', 'not-live'] as const) {
      const refusals: Outcome[] = [{ kind: 'refused', why }];
      const { clock, liveReply, scope } = open({ perform: async () => refusals.shift() ?? { kind: 'done' } });
      liveReply.update(finish);
      await clock.pass(2_000);
      expect(scope.why()).toBeUndefined();
    }
  });

  test('because the lease was lost ends without a further call', async () => {
    let calls = 0;
    const { clock, liveReply, scope, freed, end, ended } = open({
      checkpoint: async () => 'lost',
      perform: async () => {
        calls += 1;
        return { kind: 'done' };
      },
    });
    liveReply.update((document) => finish(change(document, { text: 'Two' })));
    await clock.pass(0);
    expect([scope.why(), calls]).toEqual([{ kind: 'lost' }, 0]);
    await end();
    expect([ended(), freed]).toEqual([{ kind: 'lost' }, ['turn-1']]);
  });

  test('at all fails at its end and not before', async () => {
    const { clock, liveReply, freed, end, ended } = open({
      perform: async () => ({ kind: 'refused', why: 'busy' }),
    });
    liveReply.update(finish);
    await clock.pass(120_000);
    await end();
    expect(ended()).toMatchObject({ code: 'channel-unavailable' });
    expect(freed).toEqual([turnId('turn-1')]);
  });

  test('is left to the next process once the call in flight has ended', async () => {
    const answer = Promise.withResolvers<Outcome>();
    let calls = 0;
    const { clock, liveReply, freed, events } = open({
      perform: () => {
        calls += 1;
        return answer.promise;
      },
    });
    liveReply.update(finish);
    await clock.pass(0);
    let hasLeft = false;
    const leaving = liveReply.detach().then(() => {
      hasLeft = true;
    });
    await clock.pass(10);
    expect([hasLeft, freed]).toEqual([false, []]);
    answer.resolve({ kind: 'refused', why: 'busy' });
    await leaving;
    await clock.pass(10_000);
    expect([calls, freed, only(events, 'move').length]).toEqual([1, ['turn-1'], 1]);
    expect(clock.waiting).toBe(0);
  });
});
