/** Breaches of the delivery contract, each planted in the record of a good run. */

import type { Rule } from '../fakes/history/check.ts';
import type { History, Question, Shown } from '../fakes/history/history.ts';
import { idOf } from '../fakes/history/saying.ts';

/**
 * Questions of a good run. A and B are in one thread, and OTHER is in another place. The answer to LONG takes several
 * messages, and the answer to CUT is interrupted.
 */
const A = idOf(1);
const B = idOf(2);
const LONG = idOf(4);
const CUT = idOf(5);
const OTHER = idOf(101);

export interface Planting {
  readonly good: History;
  /** Name of the channel's call that opens a reply. */
  readonly opens: string;
}

export const question = ({ good }: Planting, id: string): Question => {
  const found = good.questions.find(({ sayings }) => sayings[0]?.id === id);
  if (found === undefined) throw new Error(`no question ${id}`);
  return found;
};

export function shownFor(planting: Planting, id: string): readonly Shown[] {
  const { shown, calls } = planting.good;
  const asked = question(planting, id);
  const said = calls.filter((call) => call.ok && call.said.includes(`canary=${id}`));
  return shown.filter(
    ({ names, team, channel, ts }) =>
      team === asked.team &&
      channel === asked.channel &&
      (names.includes(asked.ts) || said.some((call) => call.channel === channel && call.ts === ts)),
  );
}

/** Returns the record with each message of a reply changed. */
export function withShown(
  planting: Planting,
  id: string,
  change: (message: Shown, at: number) => readonly Shown[],
): History {
  const { good } = planting;
  const of = shownFor(planting, id);
  return {
    ...good,
    shown: good.shown.flatMap((each) => (of.includes(each) ? change(each, of.indexOf(each)) : [each])),
  };
}

/** Returns the record with this question changed. */
export const withQuestion = (planting: Planting, id: string, change: Partial<Question>): History => ({
  ...planting.good,
  questions: planting.good.questions.map((each) =>
    each === question(planting, id) ? { ...each, ...change } : each,
  ),
});

/** Returns the id of a message that comes after all others. */
const later = ({ good }: Planting): string => String(Math.max(...good.shown.map(({ ts }) => Number(ts))) + 1);

const lastWords = ({ words }: Shown) => words.slice(0, -10);

function afterTaken(planting: Planting): History {
  const { good, opens } = planting;
  const at = Math.max(...good.calls.map(({ doneAt }) => doneAt).filter(Number.isFinite));
  const ts = later(planting);
  const removed = withShown(planting, A, (each) => [
    { ...each, deletedAt: at },
    { ...each, ts },
  ]);
  const { channel, team, thread } = question(planting, A);
  const place = { channel, team, thread, ts, said: `canary=${A}` };
  const call = { at: at + 2_000, doneAt: at + 2_100, method: opens, ok: true, error: '', ...place };
  return { ...removed, calls: [...good.calls, call] };
}

/** Returns the record with earlier states of the reply's first message. */
const withStates = (planting: Planting, id: string, states: (message: Shown) => Partial<Shown>): History =>
  withShown(planting, id, (each, at) => [at === 0 ? { ...each, ...states(each) } : each]);

/** Returns the record with the requests for an answer moved by `ms` milliseconds. */
const withAskings = ({ good }: Planting, id: string, ms: number): History => ({
  ...good,
  askings: good.askings.map((each) => (each.id === id ? { ...each, at: each.at + ms } : each)),
});

const MINUTE_MS = 60_000;

const pressed = (planting: Planting, kind: string): History => {
  const { team, channel } = question(planting, CUT);
  const [message] = shownFor(planting, CUT);
  const act = { kind, team, channel, ts: message?.ts ?? '', at: Date.now(), isAccepted: true, answer: '' };
  return { ...planting.good, acts: [act] };
};

const replaced = ({ good }: Planting, by: string): History => ({
  ...good,
  calls: good.calls.map((each) => ({ ...each, said: each.said.replace(`canary=${A}`, `canary=${by}`) })),
});

export const planted: readonly (readonly [
  what: string,
  rule: Rule,
  plant: (planting: Planting) => History,
])[] = [
  ['a reply that is missing', 'terminal', (to) => withShown(to, A, () => [])],
  ['a stream that is left open', 'thinking', (to) => withShown(to, A, (each) => [{ ...each, live: true }])],
  ['a status that stays', 'thinking', (to) => ({ ...to.good, thinking: [question(to, A)] })],
  ['a question that waits for ever', 'thinking', (to) => withQuestion(to, A, { waits: true })],
  ['an end that is lost', 'text', (to) => withShown(to, A, (each) => [{ ...each, words: lastWords(each) }])],
  [
    'words that the platform never said',
    'text',
    (to) => withShown(to, CUT, (each) => [{ ...each, words: `${each.words}more` }]),
  ],
  ['a beginning that is lost', 'text', (to) => withShown(to, LONG, (each, at) => (at === 0 ? [] : [each]))],
  [
    'parts in the wrong order',
    'text',
    (to) => withShown(to, LONG, (each, at) => [{ ...each, ts: at === 0 ? later(to) : each.ts }]),
  ],
  ['a failure without a word', 'text', (to) => withShown(to, CUT, (each) => [{ ...each, beside: '[]' }])],
  [
    'an answer that came twice',
    'text',
    (to) => withShown(to, A, (each) => [each, { ...each, ts: `${each.ts}1` }]),
  ],
  [
    'a message that is there twice',
    'duplicate',
    (to) => withShown(to, A, (each) => [each, { ...each, ts: `${each.ts}1`, words: '' }]),
  ],
  [
    'a message that answers nothing',
    'stray',
    (to) =>
      withShown(to, A, (each) => {
        const { mark: _, ...message } = each;
        return [each, { ...message, ts: '1.1', names: [], words: 'Hello.' }];
      }),
  ],
  [
    'a reply that stays though its question went',
    'terminal',
    (to) => withQuestion(to, A, { deletedAt: 1, isDeletionHeard: true }),
  ],
  ['a message after a person took the reply away', 'reposted', afterTaken],
  [
    'a platform that goes on after that',
    'not-cancelled',
    (to) => withShown(to, A, (each) => [{ ...each, deletedAt: 1 }]),
  ],
  [
    'a question that was asked again after words of its answer were shown',
    'asked-again',
    ({ good }) => ({
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
    ({ good }) => ({
      ...good,
      calls: [],
      askings: [...good.askings, ...good.askings.filter(({ id }) => id === A)],
    }),
  ],
  [
    'a question that was asked too early',
    'order',
    ({ good }) => ({
      ...good,
      askings: good.askings.map((each) =>
        each.id === A ? { ...each, endedAt: (each.endedAt ?? 0) + 10_000 } : each,
      ),
    }),
  ],
  [
    'an answer that was shown too early',
    'order',
    ({ good }) => ({
      ...good,
      calls: good.calls.map((each) => (each.said.includes(`canary=${B}`) ? { ...each, at: 1 } : each)),
    }),
  ],
  ['words of another place', 'crossing', (to) => replaced(to, OTHER)],
  ['words of another thread', 'crossing', (to) => replaced(to, LONG)],
  [
    'a platform that is told of another thread',
    'crossing',
    ({ good }) => ({
      ...good,
      askings: good.askings.map((each) => ({ ...each, request: each.request.replace(A, OTHER) })),
    }),
  ],
  [
    'shown text that is taken back and comes again',
    'taken-back',
    (to) =>
      withStates(to, A, ({ words, postedAt }) => ({
        versions: [
          { until: postedAt + 1, words, notice: false },
          { until: postedAt + 2, words: words.slice(0, 50), notice: false },
        ],
      })),
  ],
  [
    'a part of a long answer that disappears for a moment',
    'taken-back',
    (to) =>
      withStates(to, LONG, ({ words }) => ({
        versions: [
          { until: Date.now() - 1, words, notice: false },
          { until: Date.now(), words: '', notice: false },
        ],
      })),
  ],
  [
    'an interrupted answer that goes on by itself',
    'changed',
    (to) =>
      withStates(to, CUT, ({ words, postedAt }) => ({
        versions: [{ until: postedAt + 1, words: words.slice(0, 50), notice: true }],
      })),
  ],
  [
    'a whole answer that gets more words',
    'changed',
    (to) =>
      withStates(to, A, ({ words, postedAt }) => ({
        words: `${words}more`,
        versions: [{ until: postedAt + 1, words, notice: false }],
      })),
  ],
  [
    'a question of which nothing is shown for two minutes',
    'notice',
    (to) => withQuestion(to, A, { acceptedAt: (question(to, A).acceptedAt ?? 0) - 2 * MINUTE_MS }),
  ],
  ['an answer that takes twelve minutes', 'late', (to) => withAskings(to, A, -12 * MINUTE_MS)],
  ['Retry without effect', 'retry', (to) => pressed(to, 'retry')],
  ['arguments that the channel does not know', 'schema', ({ good }) => ({ ...good, violations: ['x'] })],
];
