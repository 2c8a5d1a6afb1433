/** Tests how the page counts unread messages, for people whose ids resemble each other. */

import { describe, expect, it } from 'vitest';
import { goTo, withPerson } from '../../../adapters/console/page/state/changes.ts';
import { fold } from '../../../adapters/console/page/state/fold.ts';
import { emptyState, type PageState } from '../../../adapters/console/page/state/model.ts';
import { lastOwn } from '../../../adapters/console/page/state/select.ts';
import {
  unreadTotal,
  withHidden,
  withRead,
  withUnread,
} from '../../../adapters/console/page/state/unread.ts';
import type { ConsoleEvent, MessageView, RoomView, UnreadMessage } from '../../../adapters/console/wire.ts';

const rooms = ['general', 'support', 'mine', 'theirs'].map(
  (id): RoomView => ({
    ...{ id, name: id, topic: '', kind: id.length < 7 ? 'direct' : 'room' },
    ...(id === 'mine' && { person: 'ada' }),
    ...(id === 'theirs' && { person: 'ad' }),
  }),
);
const start: PageState = { ...emptyState, phase: 'ready', rooms, who: 'ada', place: { room: 'support' } };

const message = (seq: number, room: string, by = 'ad', more: Partial<MessageView> = {}): MessageView => ({
  ...{ id: `m${seq}`, room, thread: `m${seq}`, at: seq, text: 't', files: [], seq },
  author: { kind: 'person', id: by, name: by },
  ...more,
});
const arrive = (view: MessageView): ConsoleEvent => ({
  type: 'message',
  seq: view.seq,
  message: view,
  arrived: true,
});
const apply = (state: PageState, ...events: readonly ConsoleEvent[]) => events.reduce(fold, state);
const counts = ({ unread }: PageState) =>
  Object.fromEntries(Object.entries(unread).map(([room, all]) => [room, all.map(({ id }) => id).join(' ')]));

const some = apply(
  start,
  arrive(message(1, 'general')),
  arrive(message(2, 'general', 'ad', { thread: 'm1', mentions: ['ad', 'ada'] })),
  arrive(message(3, 'support', 'ad', { mentions: ['ad'] })),
  arrive(message(4, 'mine')),
);

describe('unread messages', () => {
  it('are those that arrived from others in rooms that the person may read, each once', () => {
    const more = [
      arrive(message(5, 'general', 'ada')),
      arrive(message(6, 'theirs')),
      arrive(message(7, 'nowhere')),
      { type: 'message', seq: 8, message: message(8, 'general') } as const,
      arrive(message(4, 'mine')),
    ];
    const state = apply(some, ...more);
    expect(counts(state)).toEqual({ general: 'm1 m2', support: 'm3', mine: 'm4' });
    expect(unreadTotal(state)).toBe(4);
    expect(state.unread.general?.map(({ mention }) => mention)).toEqual([false, true]);
    expect(state.unread.support?.map(({ mention }) => mention)).toEqual([false]);
  });

  it.each<[string, Partial<Extract<ConsoleEvent, { type: 'read' }>>, string | undefined]>([
    ['read up to a message', { message: 'm1' }, 'm2'],
    ['read in a thread', { thread: 'm1', message: 'm2' }, undefined],
    ['read in another thread', { thread: 'm9', message: 'm2' }, 'm1 m2'],
    ['read up to an unknown message', { message: 'm9' }, 'm1 m2'],
    ['read by another person', { message: 'm2', person: 'ad' }, 'm1 m2'],
  ])('%s elsewhere', (_, event, left) => {
    const read = { type: 'read', seq: 9, person: 'ada', room: 'general', message: '', ...event } as const;
    expect(counts(apply(some, read))).toEqual({ support: 'm3', mine: 'm4', ...(left && { general: left }) });
  });

  it('are fewer once one is removed, or the person has read the place', () => {
    const removed = apply(some, { type: 'removed', seq: 9, id: 'm1', room: 'general', thread: 'm1' });
    expect(counts(removed)).toMatchObject({ general: 'm2' });
    expect(counts(withRead(removed, { room: 'general' }))).toEqual({
      support: 'm3',
      mine: 'm4',
    });
  });

  it('are those of the server, and those that arrived after its count', () => {
    const messages: readonly UnreadMessage[] = [
      { id: 'm0', room: 'mine', thread: 'direct' },
      { id: 'm3', room: 'support', thread: 'm3', mention: true },
    ];
    const state = withUnread(some, { messages, seq: 2 });
    expect(counts(state)).toEqual({ mine: 'm0 m4', support: 'm3' });
    expect(state.fresh.map(({ id }) => id)).toEqual(['m3']);
    expect(counts(withPerson(state, 'ad'))).toEqual({});
  });

  it('are marked as new in the room that is opened, and in the open room when the tab is shown again', () => {
    const opened = goTo(some, { room: 'general' });
    const inThread = goTo(withRead(opened, { room: 'general' }), { room: 'general', thread: 'm1' });
    expect(inThread.fresh.map(({ id }) => id)).toEqual(['m1', 'm2']);
    const hidden = apply(withHidden(inThread, true), arrive(message(9, 'general')));
    expect(hidden.fresh.map(({ id }) => id)).toEqual(['m1', 'm2']);
    const shown = withHidden(hidden, false);
    expect(shown.fresh.map(({ id }) => id)).toEqual(['m9']);
  });
});

it('the last message of one’s own is the newest in the room or thread that can be edited', () => {
  const views = [
    message(1, 'general', 'ada'),
    message(2, 'general', 'ada', { thread: 'm1' }),
    message(3, 'general', 'ada', { deleted: true }),
    message(4, 'general'),
  ];
  const state = views.reduce(
    (now, view) => fold(now, { type: 'message', seq: view.seq, message: view }),
    start,
  );
  expect(lastOwn(state, { room: 'general' })?.id).toBe('m1');
  expect(lastOwn(state, { room: 'general', thread: 'm1' })?.id).toBe('m2');
  expect(lastOwn(state, { room: 'support' })).toBeUndefined();
});
