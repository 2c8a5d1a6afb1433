/** Compares the feed of events with a naive model that keeps every event, and fills the event streams. */

import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Feed } from '../../../adapters/console/chat/feed.ts';
import { Streams } from '../../../adapters/console/http/streams.ts';
import { asRefusal } from '../../../adapters/console/refusal.ts';
import { BridgeError, catalogue, type ErrorCode } from '../../../src/errors.ts';

const ROOMS = ['r1', 'r12', 'general'];

describe('the feed', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ room: fc.constantFrom(...ROOMS) }) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  );

  it('replays exactly the later events of readable rooms, or says that some were forgotten', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(1_000), (steps, first) => {
        const feed = new Feed(first);
        const naive: { readonly seq: number; readonly room: string }[] = [];
        let forgotten = first;
        for (const one of steps) {
          if (one === 'clear') {
            feed.clear();
            forgotten = first + naive.length;
          } else {
            naive.push({ seq: feed.seq + 1, room: one.room });
            feed.publish({ type: 'removed', id: 'm', room: one.room, thread: 't' }, feed.seq + 1);
          }
        }
        const last = first + naive.length;
        expect(feed.seq).toBe(last);
        for (let since = first - 1; since <= last + 1; since += 1)
          for (const mine of [ROOMS, ['r1'], []]) {
            const found = feed.after(since, ({ room }) => mine.includes(room))?.map(String);
            const seqs = found?.map((frame) => Number(/^id: (\d+)/.exec(frame)?.[1]));
            const due = naive.filter(({ seq, room }) => seq > since && mine.includes(room));
            expect(seqs).toEqual(since < forgotten || since > last ? undefined : due.map(({ seq }) => seq));
          }
      }),
    );
  });
});

describe('event streams', () => {
  const MOST = 4_000;
  const MOST_OF_ONE = 20;

  it('that were refused because the console is full do not use up the share of their person', () => {
    const streams = new Streams(new Feed(0));
    const open = (person?: string) => {
      const response = Object.assign(new EventEmitter(), { writeHead: () => undefined, write: () => true });
      const subscription = { since: undefined, person, mayRead: () => true, isValid: () => true };
      streams.open(
        new EventEmitter() as IncomingMessage,
        response as unknown as ServerResponse,
        subscription,
      );
      return response;
    };
    const others = Array.from({ length: MOST }, () => open());
    for (let nth = 0; nth <= MOST_OF_ONE; nth += 1) expect(() => open('ada')).toThrow('Too many pages');
    for (const other of others.slice(0, MOST_OF_ONE + 1)) other.emit('close');
    const own = Array.from({ length: MOST_OF_ONE }, () => open('ada'));
    expect(() => open('ada')).toThrow('Too many pages');
    own[0]?.emit('close');
    open('ada');
  });
});

describe('an error of the bridge', () => {
  const STATUSES: Partial<Record<ErrorCode, number>> = {
    'access-denied': 403,
    usage: 409,
    'lane-full': 429,
    'too-many-questions': 429,
    'question-empty': 400,
    'question-too-long': 400,
    'sign-in-unavailable': 503,
    'store-unavailable': 503,
  };
  it.each(Object.keys(catalogue) as ErrorCode[])('with the code %s has its HTTP status', (code) => {
    const refusal = asRefusal(new BridgeError(code, 'for the operator'));
    const { tellUser } = catalogue[code];
    expect(refusal).toMatchObject({ status: STATUSES[code] ?? 500, code, message: tellUser });
  });
});
