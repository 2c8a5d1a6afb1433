import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../../src/core/agents/agent.ts';
import { agentName, turnId } from '../../../../src/core/ids.ts';
import {
  addNotice,
  begin,
  breakOff,
  finish,
  fold,
  mergeSources,
  speak,
  stop,
  withAgent,
  withdraw,
} from '../../../../src/core/live-reply/compose.ts';
import { change, isFinal, type ReplyDocument, type Step } from '../../../../src/core/reply.ts';
import { BridgeError, catalogue, type ErrorCode } from '../../../../src/errors.ts';
import { source } from '../../../fakes/samples.ts';

const blank = begin(turnId('0123456789abcdef'));
const say = (at: number, text: string): AgentEvent => ({ type: 'text', at, text });
const foldAll = (events: readonly AgentEvent[], from: ReplyDocument = blank) => events.reduce(fold, from);

describe('text', () => {
  test('is appended, and the state is writing from the first word', () => {
    const document = foldAll([say(0, 'Two'), say(3, ' years.')]);
    expect(document).toMatchObject({ text: 'Two years.', state: 'writing', rewrites: 0 });
  });

  test('replaces everything from its offset and counts as a rewrite', () => {
    const document = foldAll([say(0, 'Three years.'), say(0, 'Two'), say(3, ' years.')]);
    expect(document).toMatchObject({ text: 'Two years.', rewrites: 1 });
  });

  test('that adds nothing returns the same document', () => {
    expect(fold(blank, say(0, ''))).toBe(blank);
  });

  test('property: equal rewrites mean that the text only grew, and any change increases the version', () => {
    const events = fc.array(fc.record({ at: fc.nat(30), text: fc.string({ maxLength: 6 }) }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(events, (pieces) => {
        let document = blank;
        for (const { at, text } of pieces) {
          const next = fold(document, say(at, text));
          if (next.rewrites === document.rewrites) expect(next.text.startsWith(document.text)).toBe(true);
          if (next === document) expect(text).toBe('');
          else expect(next.version).toBe(document.version + 1);
          expect(next.text).toBe(document.text.slice(0, at) + text);
          document = next;
        }
      }),
    );
  });
});

describe('steps', () => {
  const step = (id: string, state: Step['state']): AgentEvent => ({
    type: 'step',
    step: { id, name: id, state },
  });

  test('are updated in place by their id', () => {
    const document = foldAll([step('a', 'running'), step('b', 'running'), step('a', 'done')]);
    expect(document.steps.map(({ id, state }) => `${id} ${state}`)).toEqual(['a done', 'b running']);
  });

  test('beyond a hundred are not shown, but shown ones are still updated', () => {
    const many = Array.from({ length: 150 }, (_, at) => step(`s${at}`, 'running'));
    const document = foldAll([...many, step('s7', 'failed')]);
    expect(document.steps).toHaveLength(100);
    expect(document.steps[7]?.state).toBe('failed');
  });

  test.each([
    ['finished', finish],
    ['stopped', stop],
    ['broken off', (document: ReplyDocument) => breakOff(document, new BridgeError('platform-idle', 'x'))],
  ])('do not stay running when the answer is %s', (_, end) => {
    const document = end(foldAll([step('a', 'running'), step('b', 'failed')]));
    expect(document.steps.map(({ state }) => state)).toEqual(['done', 'failed']);
  });
});

describe('media, sources, suggestions', () => {
  test('a medium is shown once, and at most fifty are shown', () => {
    const media = (id: string): AgentEvent => ({
      type: 'media',
      media: { id, kind: 'image', name: id, ref: { kind: 'file-id', id } },
    });
    const many = Array.from({ length: 60 }, (_, at) => media(`m${at}`));
    expect(foldAll([media('m1'), media('m1')]).media).toHaveLength(1);
    expect(foldAll(many).media).toHaveLength(50);
  });

  test('a repeated source is replaced in its place', () => {
    const told = (...sources: ReturnType<typeof source>[]): AgentEvent => ({ type: 'sources', sources });
    const document = foldAll([
      told(source({ key: 'a', title: 'A' }), source({ key: 'b' })),
      told(source({ key: 'c' }), source({ key: 'a', title: 'A, newer' })),
    ]);
    expect(document.sources.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    expect(document.sources[0]?.title).toBe('A, newer');
  });

  test('at most five suggestions are shown', () => {
    const suggestions = ['1', '2', '3', '4', '5', '6', '7'];
    expect(fold(blank, { type: 'suggestions', suggestions }).suggestions).toEqual(suggestions.slice(0, 5));
  });

  test('an invisible change returns the same document', () => {
    expect(fold(blank, { type: 'session', session: 's' })).toBe(blank);
    expect(fold(blank, { type: 'record', chatRecord: 'r' })).toBe(blank);
    expect(fold(blank, { type: 'end' })).toBe(blank);
  });

  test('an equal notice is shown once', () => {
    const lost: AgentEvent = { type: 'remark', remark: 'context-lost' };
    expect(foldAll([lost, lost]).notices).toHaveLength(1);
  });

  test('a remark is shown under the answer', () => {
    const document = foldAll([
      { type: 'remark', remark: 'context-lost' },
      { type: 'remark', remark: 'answer-cut' },
    ]);
    expect(document.notices.map(({ text }) => text)).toEqual([
      expect.stringContaining('answered without it'),
      expect.stringContaining('was cut'),
    ]);
  });
});

describe('the end', () => {
  const written = foldAll([say(0, 'Two years')]);

  test('finished: done, without Retry', () => {
    expect(finish(written)).toMatchObject({ state: 'done', text: 'Two years', retry: false, notices: [] });
  });

  test('stopped: keeps the text so far, with Retry', () => {
    expect(stop(written)).toMatchObject({ state: 'stopped', text: 'Two years', retry: true });
    expect(stop(written).notices[0]?.text).toContain('The text so far is kept');
    expect(stop(blank).notices[0]?.text).toContain('before the agent answered');
  });

  test('broken off with text: partial, a warning with the reference, always Retry', () => {
    const document = breakOff(written, new BridgeError('platform-permission', 'operator text'));
    expect(document).toMatchObject({ state: 'partial', text: 'Two years', retry: true });
    expect(document.notices).toEqual([
      {
        tone: 'warning',
        text: 'The answer was interrupted because the agent platform did not allow this account to continue. The text so far is kept. Press Retry to ask again. (Reference 01234567)',
      },
    ]);
  });

  test('broken off with text by a refusal: the notice does not say that the question was refused', () => {
    const sentence = 'The agent platform refused the question: "the model went away"';
    const error = new BridgeError('platform-refused', 'x', {
      tellUser: sentence,
      said: 'the model went away',
    });
    expect(breakOff(written, error).notices[0]?.text).toBe(
      'The answer was interrupted because the agent platform reported an error ("the model went away"). The text so far is kept. Press Retry to ask again. (Reference 01234567)',
    );
    expect(breakOff(blank, error).notices[0]?.text).toContain(sentence);
  });

  test.each(
    Object.keys(catalogue) as ErrorCode[],
  )('broken off with text by %s: why, what stays, Retry', (code) => {
    expect(breakOff(written, new BridgeError(code, 'x')).notices[0]?.text).toMatch(
      /^The answer was interrupted because [a-z -]+\. The text so far is kept\. Press Retry to ask again\. \(Reference/,
    );
  });

  test('broken off without text: failed, Retry only if it may help', () => {
    const busy = breakOff(blank, new BridgeError('platform-busy', 'x'));
    const denied = breakOff(blank, new BridgeError('access-denied', 'x'));
    expect(busy).toMatchObject({ state: 'failed', retry: true });
    expect(denied).toMatchObject({ state: 'failed', retry: false });
    expect(denied.notices[0]).toMatchObject({ tone: 'error' });
  });

  test('only an ended document is final', () => {
    expect([blank, written].map(isFinal)).toEqual([false, false]);
    const ends = [finish(written), stop(written), breakOff(blank, new BridgeError('internal', 'x'))];
    expect(ends.map(isFinal)).toEqual([true, true, true]);
  });

  test('change increases the version', () => {
    expect(change(written, { suggestions: ['x'] }).version).toBe(written.version + 1);
  });
});

describe('the author', () => {
  const books = agentName('books');

  test('is the agent, with the account if there is one', () => {
    expect(withAgent(blank, books, 'ada')).toMatchObject({ agent: 'books', account: 'ada', version: 2 });
    expect(withAgent(blank, books, undefined)).not.toHaveProperty('account');
    // An account that is already known stays if the next event names none.
    expect(withAgent(withAgent(blank, books, 'ada'), books, undefined)).toMatchObject({ account: 'ada' });
  });

  test('is no agent for the bridge’s own texts, which are done and have their sources', () => {
    const sources = [source({ key: 'a' })];
    const spoken = speak(withAgent(blank, books, 'ada'), 'Write "agents".', sources);
    expect(spoken).toMatchObject({ state: 'done', text: 'Write "agents".', sources });
    expect(spoken).not.toHaveProperty('agent');
    expect(spoken).not.toHaveProperty('account');
  });

  test('is no agent for a refused question', () => {
    const named = withAgent(blank, books, 'ada');
    expect(breakOff(named, new BridgeError('access-denied', 'x'))).not.toHaveProperty('agent');
    expect(breakOff(named, new BridgeError('platform-busy', 'x'))).toMatchObject({ agent: 'books' });
  });
});

describe('an answer whose question was deleted', () => {
  test('shows nothing and counts as a rewrite', () => {
    const written = stop(withAgent(foldAll([say(0, 'Two'), say(0, 'Ten')]), agentName('books'), 'ada'));
    expect(withdraw(written)).toEqual({
      ...blank,
      state: 'withdrawn',
      version: written.version + 1,
      rewrites: 2,
    });
  });
});

describe('a repeated end', () => {
  test('is finished once', () => {
    const finished = finish(foldAll([say(0, 'Two')]));
    expect(finish(finished)).toBe(finished);
  });

  test('shows an equal notice once, and other notices as well', () => {
    const once = addNotice(blank, { tone: 'info', text: 'a' });
    expect(addNotice(once, { tone: 'warning', text: 'a' })).toBe(once);
    expect(addNotice(once, { tone: 'info', text: 'b' }).notices.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(stop(once).notices.map(({ tone }) => tone)).toEqual(['info', 'info']);
    expect(breakOff(once, new BridgeError('internal', 'x')).notices.map(({ tone }) => tone)).toEqual([
      'info',
      'error',
    ]);
  });
});

test('a remark that the end was not marked sets a member; other remarks do not', () => {
  const remark = (name: 'end-unmarked' | 'answer-cut') => fold(blank, { type: 'remark', remark: name });
  expect(remark('end-unmarked')).toMatchObject({ endedWithoutMarker: true, notices: [{ tone: 'info' }] });
  expect(remark('answer-cut')).not.toHaveProperty('endedWithoutMarker');
});

test('text beyond the current end is appended', () => {
  const document = foldAll([say(0, 'Two'), say(9, ' years')]);
  expect(document).toMatchObject({ text: 'Two years', rewrites: 0 });
  expect(fold(document, say(9, ''))).toBe(document);
  expect(fold(document, say(3, ''))).toMatchObject({ text: 'Two', rewrites: 1 });
});

test('the newer source wins, in the order of first mention', () => {
  const [a, b, newer] = [source({ key: 'a' }), source({ key: 'b' }), source({ key: 'a', title: 'New' })];
  expect(mergeSources([a, b], [newer])).toEqual([newer, b]);
  expect(mergeSources([], [a, newer])).toEqual([newer]);
});
