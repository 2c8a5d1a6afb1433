import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  findMention,
  personIn,
  readAsked,
  readMentioned,
  type ThreadContext,
  withoutMention,
} from '../../../adapters/console/chat/inbound.ts';
import { endOf, waitingReply, withEarlier } from '../../../adapters/console/chat/reply-record.ts';
import { viewRest } from '../../../adapters/console/chat/views.ts';
import { viewSources } from '../../../adapters/console/sources-view.ts';
import type { Source } from '../../../src/kit.ts';

const context: ThreadContext = {
  botName: 'parley',
  agents: ['knowledge', 'knowledge-base', 'vision'],
  people: [{ id: 'newcomer', name: 'New colleague', title: '' }],
};

describe('the question in a message', () => {
  it.each([
    ['@knowledge what?', { agent: 'knowledge', text: 'what?' }],
    ['@Knowledge: what?', { agent: 'knowledge', text: 'what?' }],
    ['@knowledge-base what?', { agent: 'knowledge-base', text: 'what?' }],
    ['@knowledge你好', { agent: 'knowledge', text: '你好' }],
    ['what, @vision?', { agent: 'vision', text: 'what,?' }],
    ['@parley knowledge: what?', { agent: 'knowledge', text: 'what?' }],
    ['@vision @knowledge what?', { agent: 'vision', text: '@knowledge what?' }],
    ['line\n\n@parley   second\n    code', { text: 'line\n\nsecond\n    code' }],
    ['@parley', { text: '' }],
    ['@parley @nope: hi', { agent: 'nope', text: 'hi' }],
    ['@parley knowlege: hi', { agent: 'knowlege', text: 'hi' }],
    ['@parley @newcomer: hi', { text: '@newcomer: hi' }],
    ['@parley note: the meeting is at 3', { text: 'note: the meeting is at 3' }],
    ['@nope: hi', { agent: 'nope', text: 'hi' }],
    [' @nope:\nhi', { agent: 'nope', text: 'hi' }],
    ['@knowlege how?', { agent: 'knowlege', text: 'how?' }],
    ['@newcomer: hi', undefined],
    ['@New: hi', undefined],
    ['@newcomers: hi', { agent: 'newcomers', text: 'hi' }],
    ['@everyone: lunch?', undefined],
    ['@nope hi', undefined],
    ['nope: hi', undefined],
    ['see @nope: hi', undefined],
    ['hello', undefined],
    ['mail me@parley or x@knowledge', undefined],
    ['@knowledgeable @parley.example @vision-two', undefined],
    ['see a/@parley', undefined],
  ])('is read from %j in a room', (text, asked) => {
    expect(readMentioned(text, context)).toEqual(asked);
  });

  it('is the whole text of a message without a mention', () => {
    expect(readAsked('vision: hello', 'direct', context)).toEqual({ text: 'vision: hello' });
    expect(readAsked('and then?', 'room', context)).toEqual({ text: 'and then?' });
    expect(readAsked('vision: and this?', 'room', context)).toEqual({ agent: 'vision', text: 'and this?' });
    expect(readAsked('ask @New colleague', 'room', context)).toEqual({ text: 'ask @New colleague' });
    expect(readAsked('@vision hi', 'room', context)).toEqual({ agent: 'vision', text: 'hi' });
  });

  it('may mention a person at the beginning, or later', () => {
    expect(
      ['hi', '@new colleague hi', 'ask @New colleague'].map((text) => personIn(text, context.people)),
    ).toEqual([undefined, 'first', 'later']);
  });

  it('has every word of the message but the mention', () => {
    const words = fc.array(fc.constantFrom('a', 'b,', '@parley', '@vision', '\n', 'mail@parley', 'é'));
    fc.assert(
      fc.property(words, (list) => {
        const text = list.join(' ');
        const mention = findMention(text, ['parley', 'vision']);
        if (!mention) return;
        const left = withoutMention(text, mention).split(/\s+/).filter(Boolean);
        const all = text.split(/\s+/).filter(Boolean);
        expect(left).toEqual(all.toSpliced(all.indexOf(text.slice(mention.from, mention.to)), 1));
      }),
    );
  });
});

test('a reply offers to ask in private only if other platform rights apply there', () => {
  const place = { turn: 't', attempt: 1, root: 't', question: 'q', room: 'r', thread: 'q' };
  const record = { ...waitingReply(place, 0), agent: 'knowledge', account: 'a@p' };
  const asked: unknown[] = [];
  for (const others of [true, false]) {
    const extras = {
      link: () => undefined,
      otherRights: (reply: object) => asked.push(reply) > 0 && others,
      offersCorrection: () => false,
    };
    expect(viewRest(record, extras, { room: 'general', thread: 't' }).asMe).toBe(others || undefined);
  }
  expect(asked).toEqual([record, record]);
});

describe('the numbers of sources', () => {
  const source = (mark: number | undefined, key = `k${mark}`): Source => ({
    key,
    title: key,
    kind: 'document',
    ...(mark === undefined ? {} : { mark }),
    fragments: [],
  });
  const numbers = (sources: readonly Source[], text: string) =>
    viewSources(sources, text).map((one) => `${one.number}:${one.key}:${one.mark ?? ''}`);

  it('follow the first marks in the text; unmarked sources come last', () => {
    const sources = [source(undefined, 'x'), source(1), source(2), source(7)];
    expect(numbers(sources, 'a [7] b [2][7] c')).toEqual(['1:k7:7', '2:k2:', '3:x:', '4:k1:1']);
  });

  it('ignore the labels of links and definitions', () => {
    expect(numbers([source(1), source(2)], '[2](http://x) [1]')).toEqual(['1:k1:', '2:k2:']);
  });

  it('are unique for each source, whatever the text', () => {
    const marks = fc.uniqueArray(fc.integer({ min: 1, max: 9 }));
    const text = fc.array(fc.constantFrom('[1]', '[3]', '[9]', ' ', 'x', '[', ']('));
    fc.assert(
      fc.property(marks, text, (list, parts) => {
        const views = viewSources(
          list.map((mark) => source(mark)),
          parts.join(''),
        );
        expect(views.map((one) => one.number)).toEqual(list.map((_, index) => index + 1));
        expect(views.map((one) => one.key).toSorted()).toEqual(list.map((mark) => `k${mark}`).toSorted());
      }),
    );
  });
});

test('a reply returns how each turn that wrote to it has ended', () => {
  const place = { turn: 'first', attempt: 1, root: 'first', question: 'q', room: 'general', thread: 'q' };
  const waiting = waitingReply(place, 0);
  expect(endOf(waiting, 'first')).toBeUndefined();
  expect(endOf({ ...waiting, state: 'writing' }, 'first')).toBeUndefined();
  const stopped = { ...waiting, state: 'stopped' as const };
  expect(endOf(stopped, 'first')).toBe('stopped');
  expect(endOf(stopped, 'second')).toBeUndefined();
  const second = withEarlier(stopped, waitingReply({ ...place, turn: 'second' }, 0));
  const grown = withEarlier(second, { ...waiting, turn: 'second', state: 'writing' });
  expect([endOf(grown, 'first'), endOf(grown, 'second'), endOf(grown, 'third')]).toEqual([
    'done',
    undefined,
    undefined,
  ]);
});
