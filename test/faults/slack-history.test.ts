/** The history checker finds nothing in a good run, and each breach of the delivery contract that is planted in its record. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { check, type Rule } from '../fakes/history/check.ts';
import type { History, Question, Shown } from '../fakes/history/history.ts';
import { recordOf } from '../fakes/history/history.ts';
import { type House, openHouse } from '../fakes/history/house.ts';
import { idOf, questionOf } from '../fakes/history/saying.ts';
import { settled } from '../fakes/history/settled.ts';

const RUN_MS = 120_000;

let house: House;
let good: History;

/** In one room a thread with three questions, a long answer, and one that breaks off; the same in another workspace. */
beforeAll(async () => {
  house = await openHouse({ tenants: 2 });
  for (const which of [0, 1]) {
    const workspace = house.slack.workspace(which);
    const room = workspace.channel();
    const person = workspace.person();
    const ask = (nth: number, chars: number, more = {}) =>
      questionOf({ id: idOf(which * 100 + nth), ms: 300, everyMs: 50, chars, ...more });
    const { ts: thread } = person.mentions(room, ask(1, 600));
    person.mentions(room, ask(2, 400), { thread });
    person.mentions(room, ask(3, 500), { thread });
    person.mentions(room, ask(4, 14_000));
    person.mentions(room, ask(5, 2_000, { cutAt: 900 }));
  }
  await settled(house, 90_000);
  good = recordOf(house);
}, RUN_MS);
afterAll(() => house?.close());

test('a good run breaks nothing', () => {
  expect(check(good)).toEqual([]);
  expect(good.questions).toHaveLength(10);
  expect(good.askings).toHaveLength(10);
});

const question = (id: string): Question => {
  const found = good.questions.find(({ sayings }) => sayings[0]?.id === id);
  if (found === undefined) throw new Error(`no question ${id}`);
  return found;
};
const shownFor = (id: string): readonly Shown[] =>
  good.shown.filter(({ names, ts }) => names.includes(question(id).ts) || firstOf(id).includes(ts));
const firstOf = (id: string): readonly string[] =>
  good.calls.filter(({ said, ok }) => ok && said.includes(`canary=${id}`)).map(({ ts }) => ts);

/** The record with each message of a reply changed. */
const withShown = (id: string, change: (message: Shown, at: number) => readonly Shown[]): History => {
  const of = shownFor(id);
  return {
    ...good,
    shown: good.shown.flatMap((each) => (of.includes(each) ? change(each, of.indexOf(each)) : [each])),
  };
};

const [A, B, LONG, CUT, OTHER] = [idOf(1), idOf(2), idOf(4), idOf(5), idOf(101)];
const lastWords = ({ words }: Shown) => words.slice(0, -10);

const planted: readonly (readonly [string, Rule, () => History])[] = [
  ['a reply that is missing', 'terminal', () => withShown(A, () => [])],
  ['a stream that is left open', 'thinking', () => withShown(A, (each) => [{ ...each, live: true }])],
  ['a status that stays', 'thinking', () => ({ ...good, thinking: [question(A)] })],
  [
    'a question that waits for ever',
    'thinking',
    () => ({
      ...good,
      questions: good.questions.map((each) => (each === question(A) ? { ...each, waits: true } : each)),
    }),
  ],
  ['an end that is lost', 'text', () => withShown(A, (each) => [{ ...each, words: lastWords(each) }])],
  [
    'words that the platform never said',
    'text',
    () => withShown(CUT, (each) => [{ ...each, words: `${each.words}more` }]),
  ],
  ['a beginning that is lost', 'text', () => withShown(LONG, (each, at) => (at === 0 ? [] : [each]))],
  [
    'parts in the wrong order',
    'text',
    () => withShown(LONG, (each, at) => [{ ...each, ts: at === 0 ? '9999999999.000000' : each.ts }]),
  ],
  ['a failure without a word', 'text', () => withShown(CUT, (each) => [{ ...each, beside: '[]' }])],
  ['an answer that came twice', 'text', () => withShown(A, (each) => [each, { ...each, ts: `${each.ts}1` }])],
  [
    'a message that is there twice',
    'duplicate',
    () => withShown(A, (each) => [each, { ...each, ts: `${each.ts}1`, words: '' }]),
  ],
  [
    'a message that answers nothing',
    'stray',
    () => withShown(A, (each) => [each, { ...each, ts: '1.1', names: [], words: 'Hello.' }]),
  ],
  [
    'a reply that stays though its question went',
    'terminal',
    () => ({
      ...good,
      questions: good.questions.map((each) => (each === question(A) ? { ...each, deletedAt: 1 } : each)),
    }),
  ],
  [
    'a message after a person took the reply away',
    'reposted',
    () => {
      const at = Math.max(...good.calls.map((call) => call.doneAt));
      const removed = withShown(A, (each) => [
        { ...each, deletedAt: at },
        { ...each, ts: '9999999999.1' },
      ]);
      const { channel, team, thread } = question(A);
      const said = `canary=${A}`;
      const place = { channel, team, thread, ts: '9999999999.1', said };
      const call = {
        at: at + 2_000,
        doneAt: at + 2_100,
        method: 'chat.postMessage',
        ok: true,
        error: '',
        ...place,
      };
      return { ...removed, calls: [...good.calls, call] };
    },
  ],
  [
    'a platform that goes on after that',
    'not-cancelled',
    () => ({
      ...withShown(A, (each) => [{ ...each, deletedAt: 1 }]),
    }),
  ],
  [
    'a question that was asked again after words of its answer were shown',
    'asked-again',
    () => ({
      ...good,
      askings: [
        ...good.askings,
        ...good.askings.filter(({ id }) => id === A).map((each) => ({ ...each, at: Date.now() })),
      ],
    }),
  ],
  [
    'a question that was asked again after some of its answer had come',
    'asked-again',
    () => ({
      ...good,
      calls: [],
      askings: [...good.askings, ...good.askings.filter(({ id }) => id === A)],
    }),
  ],
  [
    'a question that was asked too early',
    'order',
    () => ({
      ...good,
      askings: good.askings.map((each) => (each.id === B ? { ...each, at: each.at - 10_000 } : each)),
    }),
  ],
  [
    'an answer that was shown too early',
    'order',
    () => ({
      ...good,
      calls: good.calls.map((each) => (each.said.includes(`canary=${B}`) ? { ...each, at: 1 } : each)),
    }),
  ],
  [
    'words of another workspace',
    'crossing',
    () => ({
      ...good,
      calls: good.calls.map((each) => ({
        ...each,
        said: each.said.replace(`canary=${A}`, `canary=${OTHER}`),
      })),
    }),
  ],
  [
    'words of another thread',
    'crossing',
    () => ({
      ...good,
      calls: good.calls.map((each) => ({
        ...each,
        said: each.said.replace(`canary=${A}`, `canary=${LONG}`),
      })),
    }),
  ],
  [
    'a platform that is told of another thread',
    'crossing',
    () => ({
      ...good,
      askings: good.askings.map((each) => ({ ...each, request: each.request.replace(A, OTHER) })),
    }),
  ],
  ['arguments that Slack does not know', 'schema', () => ({ ...good, violations: ['chat.update'] })],
];

test.each(planted)('finds %s', (_, rule, history) => {
  expect(check(history()).map((breach) => breach.rule)).toContain(rule);
});
