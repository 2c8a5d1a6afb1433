import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withKept, withLoaded, withPage, withRenewed } from '../../../adapters/console/page/state/changes.ts';
import { fold } from '../../../adapters/console/page/state/fold.ts';
import { emptyState, type PageState } from '../../../adapters/console/page/state/model.ts';
import type { ConsoleEvent, MessageView, ReplyView, RoomView } from '../../../adapters/console/wire.ts';

const room: RoomView = { id: 'general', name: 'general', topic: '', kind: 'room' };
const start: PageState = {
  ...emptyState,
  phase: 'ready',
  rooms: [room],
  who: 'ada',
  place: { room: 'general' },
};

function replyWith(text: string, state: ReplyView['state'] = 'writing'): ReplyView {
  return {
    ...{ turn: 't1', question: 'q1', agent: 'knowledge', state, text },
    ...{ steps: [], media: [], sources: [], suggestions: [], notices: [], retry: false },
  };
}

function answer(seq: number, text = ''): MessageView {
  return {
    ...{ id: 'a1', room: 'general', thread: 'q1', at: 20, text: '', files: [], seq },
    ...{ author: { kind: 'agent', id: 'knowledge', name: 'knowledge' }, reply: replyWith(text) },
  };
}

function question(id = 'q1', at = 10): MessageView {
  return {
    ...{ id, room: 'general', thread: id, at, text: 'why?', files: [], seq: 1 },
    author: { kind: 'person', id: 'ben', name: 'Ben' },
  };
}

function piece(seq: number, at: number, text: string): ConsoleEvent {
  return { type: 'reply', seq, id: 'a1', room: 'general', thread: 'q1', text: { at, text } };
}

function textOf(state: PageState): string | undefined {
  return state.messages.general?.find((one) => one.id === 'a1')?.reply?.text;
}

const fresh = {
  ...{ people: [], rooms: [room], agents: [], botName: 'parley', defaultAgent: 'knowledge', seq: 3 },
  limits: { textChars: 1, files: 1, fileBytes: 1 },
};

describe('a growing reply', () => {
  it('becomes the whole text however it is split, even if each event arrives twice', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 12 }), { maxLength: 30 }), (pieces) => {
        let state = fold(start, { type: 'message', seq: 1, message: answer(1) });
        let at = 0;
        for (const [index, text] of pieces.entries()) {
          const event = piece(index + 2, at, text);
          state = fold(fold(state, event), event);
          at += text.length;
        }
        expect(textOf(state)).toBe(pieces.join(''));
      }),
    );
  });

  it('replaces its text from an offset on, and keeps it if only other members change', () => {
    let state = fold(start, { type: 'message', seq: 1, message: answer(1, 'one two three') });
    state = fold(state, piece(2, 4, 'four'));
    const { text: _, ...rest } = replyWith('', 'done');
    state = fold(state, { type: 'reply', seq: 3, id: 'a1', room: 'general', thread: 'q1', rest });
    expect(textOf(state)).toBe('one four');
    expect(state.messages.general?.[0]?.reply?.state).toBe('done');
  });

  it('holds events while its page loads, and skips those that the page contains', () => {
    let state = withLoaded(start, 'general/q1', 'asked');
    state = fold(state, piece(5, 3, 'def'));
    state = fold(state, piece(6, 6, 'ghi'));
    const messages = [question(), answer(5, 'abcdef')];
    state = withPage(state, { room, thread: 'q1', messages });
    expect(textOf(state)).toBe('abcdefghi');
    expect(state.waiting).toEqual([]);
  });

  it('has its thread fetched again if text is missing', () => {
    let state = withPage(start, { room, thread: 'q1', messages: [answer(1, 'ab')] });
    state = fold(state, piece(9, 7, 'h'));
    expect(textOf(state)).toBeUndefined();
    expect(state.loaded['general/q1']).toBeUndefined();
  });

  const inState = (seq: number, state: ReplyView['state'], id = 'a1'): MessageView => {
    const reply = { ...replyWith('**Six** months [1]', state), turn: `turn of ${id}` };
    return { ...answer(seq), id, reply };
  };
  const ended = (seq: number, state: ReplyView['state'], id = 'a1'): ConsoleEvent => ({
    ...{ type: 'message', seq, message: inState(seq, state, id) },
  });
  const endedAnswer = (seq: number) => inState(seq, 'done');
  const heard = (state: PageState) => state.announcements.map((one) => [one.urgent, one.text]);

  it('is announced once when it ends, in plain words', () => {
    let state = fold(start, { type: 'message', seq: 1, message: answer(1, '**Six** months [1]') });
    expect(heard(state)).toEqual([]);
    state = [ended(2, 'done'), ended(2, 'done'), ended(3, 'done')].reduce(fold, state);
    expect(heard(state)).toEqual([[false, 'knowledge answered: Six months']]);
  });

  it('is announced together with others that end at the same moment', () => {
    const both = [
      ended(1, 'writing'),
      ended(2, 'writing', 'a2'),
      ended(3, 'stopped'),
      ended(4, 'done', 'a2'),
    ];
    expect(heard(both.reduce(fold, start))).toEqual([
      [true, 'knowledge was stopped.'],
      [false, 'knowledge answered: Six months'],
    ]);
  });

  it('is announced if it ended while the page was disconnected', () => {
    const before = [
      { type: 'message' as const, seq: 1, message: question() },
      ended(2, 'writing'),
      { type: 'reload' as const, seq: 3 },
    ].reduce(fold, start);
    const page = { room, thread: 'q1', messages: [question(), endedAnswer(9)] };
    const after = withRenewed(before, fresh, [page]);
    expect(heard(after)).toEqual([[false, 'knowledge answered: Six months']]);
    expect(heard(withPage(after, page))).toHaveLength(1);
  });

  it('is announced if its thread is fetched before its event arrives', () => {
    const asked = withKept({ ...start, seq: 5 }, { ...question(), seq: 6 });
    const page = { room, thread: 'q1', messages: [{ ...question(), seq: 6 }, endedAnswer(9)] };
    const fetched = withPage(asked, page);
    expect(heard(fetched)).toEqual([[false, 'knowledge answered: Six months']]);
    const late = [ended(7, 'thinking'), ended(8, 'writing'), ended(9, 'done')];
    expect(heard(late.reduce(fold, fetched))).toHaveLength(1);
  });

  it('is not announced if it ended long ago and changes or loads now', () => {
    const root = { ...question(), answers: 1, lastAt: 50 };
    const state = fold(start, { type: 'message', seq: 1, message: root });
    expect(heard(fold(state, ended(2, 'done')))).toEqual([]);
    const page = { room, thread: 'q1', messages: [root, endedAnswer(2)] };
    expect(heard(withPage({ ...state, seq: 2 }, page))).toEqual([]);
  });
});

describe('messages', () => {
  it('are sorted by time in whatever order they arrive, each in its newest version', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 8 }), (times) => {
        const events = times.map(
          (at): ConsoleEvent => ({
            ...{ type: 'message', seq: at },
            message: { ...question(`m${at}`, at), seq: at },
          }),
        );
        const state = [...events, ...events].reduce(fold, start);
        expect(state.messages.general?.map((one) => one.at)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      }),
    );
  });
});

describe('a reload', () => {
  it('replaces all messages, then applies the events since', () => {
    let state = fold(start, { type: 'message', seq: 90, message: { ...answer(90, 'old'), seq: 90 } });
    state = fold(state, { type: 'reload', seq: 3 });
    expect(state.seq).toBe(3);
    state = fold(state, piece(4, 3, ' and more'));
    state = fold(state, { type: 'message', seq: 5, message: { ...question('m5', 50), seq: 5 } });
    expect(textOf(state)).toBe('old');
    const pages = [{ room, thread: 'q1', messages: [question(), answer(3, 'new')] }];
    state = withRenewed(state, fresh, pages);
    expect(textOf(state)).toBe('new and more');
    expect(state.messages.general?.map((one) => one.id)).toEqual(['q1', 'a1', 'm5']);
    expect(state.stale).toBe(false);
  });
});
