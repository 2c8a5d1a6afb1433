/**
 * Tests what the page shows to people whose ids resemble each other, in each state of a reply, and after the connection
 * was lost.
 */

import { describe, expect, it } from 'vitest';
import { withLink, withoutFailures, withPage } from '../../../adapters/console/page/state/changes.ts';
import { fold } from '../../../adapters/console/page/state/fold.ts';
import { isLive } from '../../../adapters/console/page/state/messages.ts';
import { emptyState, type PageState } from '../../../adapters/console/page/state/model.ts';
import { openRoom, roomsFor } from '../../../adapters/console/page/state/select.ts';
import type { MessageView, ReplyView, RoomView } from '../../../adapters/console/wire.ts';

const IDS = ['U1', 'U12', 'xU1', 'u1'];
const base = { topic: '', name: 'r' };
const general: RoomView = { ...base, id: 'general', kind: 'room' };
const directs = IDS.map((person): RoomView => ({ ...base, id: `direct~${person}`, kind: 'direct', person }));
const stateOf = (who: string, place = 'elsewhere'): PageState => ({
  ...emptyState,
  ...{ phase: 'ready', rooms: [general, ...directs], who, place: { room: place } },
});

const asked = (by: string): MessageView => ({
  ...{ id: 'q', room: 'general', thread: 'q', at: 1, text: 'why?', files: [], seq: 1 },
  author: { kind: 'person', id: by, name: by },
});
const replied = (seq: number, state: ReplyView['state'], more: Partial<ReplyView> = {}): MessageView => ({
  ...{ id: 'a', room: 'general', thread: 'q', at: 2, text: '', files: [], seq },
  author: { kind: 'agent', id: 'knowledge', name: 'knowledge' },
  reply: {
    ...{ turn: 't1', question: 'q', agent: 'knowledge', state, text: 'Text.' },
    ...{ steps: [], media: [], sources: [], suggestions: [], notices: [], retry: false, ...more },
  },
});
const show = (state: PageState, ...messages: readonly MessageView[]) =>
  messages.reduce((now, message) => fold(now, { type: 'message', seq: message.seq, message }), state);

describe.each(IDS)('%s', (who) => {
  it('sees their own direct rooms only', () => {
    expect(roomsFor(stateOf(who)).directs.map(({ person }) => person)).toEqual([who]);
    const open = directs.filter(({ id }) => openRoom(stateOf(who, id)) !== undefined);
    expect(open.map(({ person }) => person)).toEqual([who]);
  });

  it('hears in other rooms of answers to their own questions only', () => {
    const told = IDS.filter((by) => {
      const state = show(stateOf(who), asked(by), replied(2, 'writing'), replied(3, 'done'));
      return state.announcements.length > 0;
    });
    expect(told).toEqual([who]);
  });
});

describe('a reply', () => {
  const STATES: readonly (readonly [ReplyView['state'], isOver: boolean, isUrgent: boolean])[] = [
    ['waiting', false, false],
    ['thinking', false, false],
    ['writing', false, false],
    ['done', true, false],
    ['partial', true, false],
    ['withdrawn', true, false],
    ['stopped', true, true],
    ['failed', true, true],
  ];
  it.each(STATES)('that is %s is over: %s, and urgent: %s', (end, isOver, isUrgent) => {
    expect(isLive(replied(1, end).reply as ReplyView)).toBe(!isOver);
    const state = show(stateOf('U1', 'general'), asked('U1'), replied(2, 'thinking'), replied(3, end));
    expect(state.announcements.map(({ urgent }) => urgent)).toEqual(isOver ? [isUrgent] : []);
    expect(state.running).toEqual(isOver ? [] : ['a']);
  });

  it('keeps its ratings while its text grows, and loses them with its version', () => {
    const rated = show(
      stateOf('U1', 'general'),
      asked('U1'),
      replied(2, 'writing', { thumbs: { U12: 'up' } }),
    );
    const { text: _, ...rest } = replied(3, 'writing').reply as ReplyView;
    const event = { type: 'reply', id: 'a', room: 'general', thread: 'q' } as const;
    const same = fold(rated, { ...event, seq: 3, rest });
    expect(same.messages.general?.at(-1)?.reply?.thumbs).toEqual({ U12: 'up' });
    const next = fold(rated, { ...event, seq: 3, rest: { ...rest, turn: 't2' } });
    expect(next.messages.general?.at(-1)?.reply?.thumbs).toBeUndefined();
  });
});

describe('after the connection was lost', () => {
  it('failed loads are tried again, but not of what is gone, and errors disappear', () => {
    const loaded = {
      a: 'known',
      b: 'asked',
      c: { failed: 'x', gone: false },
      d: { failed: 'x', gone: true },
    } as const;
    const lost: PageState = { ...stateOf('U1'), link: 'lost', loaded, toast: { tone: 'error', text: 'x' } };
    for (const state of [withoutFailures(lost), withLink(lost, 'open')]) {
      expect([Object.keys(state.loaded), state.toast]).toEqual([['a', 'b', 'd'], undefined]);
    }
    const toast = { tone: 'info', text: 'x' } as const;
    expect(withoutFailures({ ...lost, toast }).toast).toEqual(toast);
  });

  it('a reload drops the events that waited, because the pages that it loads contain them', () => {
    const event = { type: 'message', seq: 2, message: asked('U1') } as const;
    const state = fold({ ...stateOf('U1'), waiting: [event] }, { type: 'reload', seq: 9 });
    expect([state.waiting, state.stale, state.seq]).toEqual([[], true, 9]);
  });

  it.each(['general', 'general/q'])('a change of a reply waits while %s is loaded', (key) => {
    const state: PageState = { ...stateOf('U1', 'general'), loaded: { [key]: 'asked' } };
    const event = {
      type: 'reply',
      seq: 3,
      id: 'a',
      room: 'general',
      thread: 'q',
      text: { at: 5, text: '!' },
    } as const;
    const held = fold(state, event);
    expect(held.waiting).toEqual([event]);
    const messages = [asked('U1'), replied(2, 'writing')];
    const page = key === 'general' ? { room: general, messages } : { room: general, thread: 'q', messages };
    const arrived = withPage(held, page);
    expect(arrived.messages.general?.at(-1)?.reply?.text).toBe('Text.!');
    expect(arrived.waiting).toEqual([]);
  });

  it('a page that arrives late replaces no newer message, and drops none', () => {
    const newer = show(stateOf('U1', 'general'), asked('U1'), replied(5, 'done'));
    const late = withPage(newer, { room: general, messages: [replied(2, 'writing')] });
    expect(late.messages.general?.map(({ id, seq }) => [id, seq])).toEqual([
      ['q', 1],
      ['a', 5],
    ]);
  });

  it('a new room is added, and a known one replaced', () => {
    const renamed = { ...general, name: 'renamed' };
    const added = { ...general, id: 'new' };
    const state = [renamed, added].reduce(
      (now, room) => fold(now, { type: 'room', seq: 3, room }),
      stateOf('U1'),
    );
    expect(state.rooms).toEqual([renamed, ...directs, added]);
  });

  it('a number of an event never goes back', () => {
    const later = fold(stateOf('U1'), { type: 'hello', seq: 7 });
    expect(fold(later, { type: 'hello', seq: 5 }).seq).toBe(7);
  });
});
