/**
 * Changes the record of a good run for each excuse of the history checker. An excuse is a deviation that the checker
 * accepts (docs/reference/reliability.md, "What the checker excuses"). The first change is just inside the excuse and
 * must be accepted. Each further change is just outside and must be reported.
 */

import { catalogue } from '../../src/errors.ts';
import { check, type Rule } from '../fakes/history/check.ts';
import type { Called, History, Shown } from '../fakes/history/history.ts';
import { STOPPED_STREAM, wordsOf } from '../fakes/history/kept.ts';
import { canaryOf, idOf, possibleAnswers } from '../fakes/history/saying.ts';
import { type Planting, question, shownFor, withQuestion, withShown } from './planted.ts';

const A = idOf(1);
const B = idOf(2);
const CUT = idOf(5);
/** The question in a personal chat of Teams. */
const PERSONAL = idOf(201);

type Plant = (planting: Planting) => History;

/**
 * The text of an excuse, its rule, a changed record that the checker must accept (`inside`), and changed records that
 * it must report (`outside`).
 */
type Excuse = readonly [
  what: string,
  rule: Rule,
  inside: Plant,
  outside: readonly (readonly [what: string, Plant])[],
];

const firstOf = (planting: Planting, id: string): Shown => {
  const [first] = shownFor(planting, id);
  if (first === undefined) throw new Error(`no reply to ${id}`);
  return first;
};

const plus = (history: History, shown: readonly Shown[], calls: readonly Called[]): History => ({
  ...history,
  shown: [...history.shown, ...shown],
  calls: [...history.calls, ...calls],
});

/** Returns a call that posted the message, and was answered 50 ms later. */
const callFor = ({ team, channel, thread, ts, postedAt: at }: Shown, more: Partial<Called> = {}): Called => ({
  ...{ team, channel, thread, ts, at, doneAt: at + 50, method: 'send', ok: true, error: '', said: '' },
  ...more,
});

/**
 * Plants an answer to A that ends only after the agent was asked B, the next question of the thread. The event of A was
 * accepted `acceptedMs` milliseconds after the agent was asked B.
 */
const answeredLate =
  (acceptedMs: number): Plant =>
  (to) => {
    const next = to.good.askings.find(({ id }) => id === B);
    if (next === undefined) throw new Error('not asked');
    const history = withQuestion(to, A, { acceptedAt: next.at + acceptedMs });
    const askings = history.askings.map((each) => (each.id === A ? { ...each, endedAt: next.at + 1 } : each));
    return { ...history, askings };
  };

/**
 * Plants a status for B, the second question of the thread. The events of all other questions are accepted `acceptedMs`
 * milliseconds after this status is set. The agent is asked B before its answer to A, the first question, ends.
 */
const afterStatus =
  (acceptedMs: number): Plant =>
  (to) => {
    const history = answeredLate(0)(to);
    const next = history.askings.find(({ id }) => id === B);
    if (next === undefined) throw new Error('not asked');
    const { acceptedAt = 0 } = question(to, B);
    const at = acceptedAt + 1;
    const said = JSON.stringify({ status: 'is thinking…' });
    const method = 'assistant.threads.setStatus';
    const status = callFor(firstOf(to, B), { ts: '', at, doneAt: at, method, said });
    const questions = history.questions.map((each) =>
      each.sayings[0]?.id === B ? each : { ...each, acceptedAt: at + acceptedMs },
    );
    return { ...history, questions, calls: [...history.calls, status] };
  };

/**
 * Plants a note without text as the first state of the answer to B, the second question of the thread. The event of A,
 * the first question, was accepted `acceptedMs` milliseconds after the note, and A was answered after B.
 */
const afterNote =
  (acceptedMs: number): Plant =>
  (to) => {
    const late = { ...to, good: answeredLate(-1_000)(to) };
    const good = withShown(late, B, (each) => [
      { ...each, versions: [{ until: each.postedAt + 1, words: '', notice: false }, ...each.versions] },
    ]);
    return withQuestion({ ...to, good }, A, { acceptedAt: firstOf(to, B).postedAt + acceptedMs });
  };

/**
 * Plants a refused sign-in for B, the second question of the thread, and a notice of this failure that was shown
 * before A was answered. The event of A was accepted `acceptedMs` milliseconds after the refusal.
 */
const afterRefusal =
  (acceptedMs: number): Plant =>
  (to) => {
    const at = (question(to, B).acceptedAt ?? 0) + 1;
    const history = withQuestion(to, A, { acceptedAt: at + acceptedMs });
    const calls = history.calls.map((each) =>
      each.said.includes(`canary=${B}`) ? { ...each, at: 1 } : each,
    );
    const askings = history.askings.filter(({ id }) => id !== B);
    return { ...history, calls, askings, signInsRefused: [at] };
  };

/**
 * Plants a fault of the process that asked, and a request that stays open until `afterMs` milliseconds after the fault,
 * while the next question is asked.
 */
const openRequest =
  (name: string) =>
  (afterMs: number): Plant =>
  ({ good }) => {
    const [before, next] = [A, B].map((id) => good.askings.find((each) => each.id === id));
    if (before === undefined || next === undefined) throw new Error('not asked');
    const until = next.at + 5_000;
    const askings = good.askings.map((each) =>
      each === before ? { ...each, endedAt: until + afterMs } : each,
    );
    return { ...good, askings, machineFaults: [{ name, at: before.at, until }] };
  };

const pausedRequest = openRequest('SIGSTOP');
const cutRequest = openRequest('network of one replica: cut');

/**
 * Plants a message with the first words of the answer above a whole answer. After Retry, a stopped stream stands above
 * the new answer in this way.
 */
const firstWords =
  ({ beside = JSON.stringify([STOPPED_STREAM]), words = '' } = {}): Plant =>
  (to) => {
    const whole = firstOf(to, PERSONAL);
    const { mark: _, ...place } = whole;
    const first = { ...place, ts: '77', beside, words: words || whole.words.slice(0, 20), versions: [] };
    return withShown(to, PERSONAL, (each) => (each === whole ? [first, each] : [each]));
  };

const DOUBT = 'Teams did not confirm my first message. It may nevertheless be visible above.';

/** Plants a message above a whole answer. Teams did not confirm the message, which shows the answer's first words. */
const unconfirmed =
  ({ fault = 'hang', doubt = DOUBT, id = PERSONAL } = {}): Plant =>
  (to) => {
    const whole = firstOf(to, id);
    const { mark: _, ...place } = whole;
    const first = { ...place, ts: '77', beside: '[]', words: whole.words.slice(0, 20), versions: [] };
    const answer = { ...whole, beside: `${whole.beside}${doubt}` };
    const history = withShown(to, id, (each) => (each === whole ? [first, answer] : [each]));
    return plus(history, [], [callFor(first, fault === '' ? {} : { fault })]);
  };

const NOTE = 'I have your question. I answer one other question first, then yours.';

/**
 * Plants a note about a waiting question. By default, the question is the one in the personal chat, and Teams did not
 * confirm the note.
 */
const waitingNote =
  ({ text = NOTE, fault = 'hang', late = 0, id = PERSONAL, closed = '' } = {}): Plant =>
  (to) => {
    const { acceptedAt = 0 } = question(to, id);
    const { mark: _, ...place } = firstOf(to, id);
    const note = { ...place, ts: '77', names: [], words: wordsOf(text), beside: '[]', versions: [] };
    const posted = { ...note, live: false, postedAt: acceptedAt + late };
    const rooms = closed === '' ? [] : [firstOf(to, closed)];
    const history = plus(to.good, [posted], [callFor(posted, fault === '' ? {} : { fault })]);
    return { ...history, closed: [...history.closed, ...rooms] };
  };

/**
 * Plants a press of Retry, and one note with a refusal for each number in `after`: the milliseconds between the press
 * and the note. With `killedMs`, a process is killed that many milliseconds after the press.
 */
const refusal =
  (after: readonly number[], { id = CUT, killedMs }: { id?: string; killedMs?: number } = {}): Plant =>
  (to) => {
    const pressed = firstOf(to, CUT);
    const { mark: _, ...place } = firstOf(to, id);
    const at = Date.now();
    const { team, channel, ts } = pressed;
    const text = catalogue['store-unavailable'].tellUser;
    const base = { ...place, names: [], words: wordsOf(text), beside: '[]', isNotice: false, live: false };
    const notes = after.map((ms, nth) => ({ ...base, ts: `${77 + nth}`, postedAt: at + ms, versions: [] }));
    const calls = notes.map((note) => callFor(note, { said: text }));
    const press = { kind: 'retry', team, channel, ts, at, isAccepted: true, answer: '' };
    const killedAt = at + (killedMs ?? 0);
    const kill = { name: 'SIGKILL', at: killedAt, until: killedAt + 1_000 };
    const machineFaults = killedMs === undefined ? to.good.machineFaults : [kill];
    return { ...plus(to.good, notes, calls), acts: [press], machineFaults };
  };

/**
 * Plants a press of Retry. The platform refuses the sign-in `refusedMs` milliseconds after the press, and a notice of
 * the failure is shown `noticeMs` milliseconds after the press.
 */
const signInRefused =
  (refusedMs: number, noticeMs: number): Plant =>
  (to) => {
    const shown = firstOf(to, CUT);
    const { team, channel, ts } = shown;
    const at = Date.now();
    const said = 'The agent platform reported an error. Please try again. (Reference 0123abcd)';
    const told = callFor(shown, { method: 'update', at: at + noticeMs, doneAt: at + noticeMs + 50, said });
    const press = { kind: 'retry', team, channel, ts, at, isAccepted: true, answer: '' };
    return { ...plus(to.good, [], [told]), acts: [press], signInsRefused: [at + refusedMs] };
  };

/**
 * Plants an answer whose first attempt failed after one piece. After a press, the reply lost its notice, was blank, and
 * then showed the same piece again.
 */
const failedOnce =
  ({ kind = 'retry' } = {}): Plant =>
  (to) => {
    const [asked] = question(to, A).sayings;
    if (asked === undefined) throw new Error('not asked');
    const saying = { ...asked, fault: { code: 'F09', events: Number.POSITIVE_INFINITY } };
    const good = withQuestion(to, A, { sayings: [saying] });
    const [, words = ''] = possibleAnswers(saying).map(wordsOf);
    const { team, channel, ts, postedAt } = firstOf(to, A);
    const versions = [
      { until: postedAt + 1, words, notice: true },
      { until: postedAt + 2, words, notice: false },
      { until: postedAt + 3, words: '', notice: false },
      { until: postedAt + 4, words, notice: false },
    ];
    const press = { kind, team, channel, ts, at: postedAt, isAccepted: true, answer: '' };
    const history = withShown({ ...to, good }, A, (each) => [each.ts === ts ? { ...each, versions } : each]);
    return { ...history, acts: [press] };
  };

/**
 * Plants a pause that ends `beforeMs` milliseconds before a call takes the answer to A back for a moment.
 * @param last the words that the reply then shows; by default, the whole answer
 */
const pausedCall =
  (beforeMs: number, last?: string): Plant =>
  (to) => {
    const { words, postedAt } = firstOf(to, A);
    const at = postedAt + 2_000;
    const versions = [
      { until: at, words, notice: false },
      { until: at + 1_000, words: words.slice(0, 50), notice: false },
    ];
    const history = withShown(to, A, (each, nth) => [
      nth === 0 ? { ...each, words: last ?? each.words, versions } : each,
    ]);
    const machineFaults = [{ name: 'SIGSTOP', at: at - 10_000, until: at - beforeMs }];
    return { ...history, machineFaults };
  };

/** Plants a stream that a person stopped before the answer began. Retry was pressed afterwards, in another message. */
const stoppedStream =
  (beside: string): Plant =>
  (to) => {
    const { mark: _, ...place } = firstOf(to, PERSONAL);
    const stream = { ...place, ts: '77', names: [], words: '', beside, isNotice: true, versions: [] };
    const mark = { turn: 'the stream 77', part: 0 };
    return plus(to.good, [{ ...stream, mark, live: false }], []);
  };

/**
 * Plants a second request for an answer, and a fault of a process. The fault begins `afterMs` milliseconds after the
 * first words of the answer.
 */
const askedAgain =
  (afterMs: number, lastsMs = 1_000): Plant =>
  ({ good }) => {
    const [before] = good.askings.filter(({ id }) => id === A);
    if (before === undefined) throw new Error('not asked');
    const firstAt = before.at + 100;
    const at = firstAt + afterMs;
    const first = { ...before, firstAt };
    const askings = [first, { ...before, at: firstAt + 60_000 }];
    return { ...good, calls: [], askings, machineFaults: [{ name: 'kill -9', at, until: at + lastsMs }] };
  };

/** Plants a second request for an answer. The process was killed `killedMs` milliseconds before the first request. */
const readLate =
  (killedMs: number): Plant =>
  ({ good }) => {
    const [before] = good.askings.filter(({ id }) => id === A);
    if (before === undefined) throw new Error('not asked');
    const askings = [before, { ...before, at: before.at + 60_000 }];
    return { ...good, calls: [], askings, breaks: [before.at - killedMs], machineFaults: [] };
  };

/**
 * Plants the deletion of a question, and a message of its answer in a thread. The message was posted `ms` milliseconds
 * after the deletion.
 */
const stoodAlone =
  (ms: number, thread = '77'): Plant =>
  (to) => {
    const message = { ...firstOf(to, A), ts: '77', thread, postedAt: Date.now() };
    const call = callFor(message, { method: to.opens, said: canaryOf(A) });
    return plus(withQuestion(to, A, { deletedAt: call.doneAt - ms }), [], [call]);
  };

/**
 * Returns the rules that a changed record breaks. Leaves out breaches that the good run has under the same bounds,
 * because a busy machine answers late.
 */
export function brokenRules(history: History, good: History): readonly Rule[] {
  const textOf = (breach: object) => JSON.stringify(breach);
  const before = new Set(check({ ...good, bounds: history.bounds }).map(textOf));
  return check(history)
    .filter((breach) => !before.has(textOf(breach)))
    .map(({ rule }) => rule);
}

interface Wait {
  readonly replicas: number;
  /** Beginning and end of the fault, each in milliseconds before the room first showed something of the question. */
  readonly fault: readonly [at: number, until: number];
  readonly name?: string;
}

/** Plants a question that waited 40 s for its first sign, with a fault of a process. */
const waited =
  ({ replicas, fault: [from, to], name = 'kill -9' }: Wait): Plant =>
  (planting) => {
    const shownAt = firstSign(planting);
    const span = { at: shownAt - from, until: shownAt - to };
    return {
      ...withQuestion(planting, A, { acceptedAt: shownAt - 40_000 }),
      bounds: { noticeMs: replicas > 1 ? 15_000 : 5_000, endMs: 600_000 },
      ...{ replicas, excused: [span], machineFaults: [{ name, ...span }] },
    };
  };

/**
 * Plants a question that waited 40 s for its first sign. `ms` milliseconds before that sign, a fault hit another call
 * in the question's room.
 */
const delayed =
  (ms: number): Plant =>
  (planting) => {
    const at = firstSign(planting) - ms;
    const hit = callFor(
      { ...firstOf(planting, A), postedAt: at },
      { ok: false, error: 'x', fault: 'status' },
    );
    const bounds = { noticeMs: 5_000, endMs: 600_000 };
    const acceptedAt = firstSign(planting) - 40_000;
    const planted = withQuestion(planting, A, { acceptedAt, sentAt: acceptedAt });
    return { ...plus(planted, [], [{ ...hit, ts: '' }]), bounds };
  };

/** Returns the time at which the room first showed something of the question. */
function firstSign(planting: Planting): number {
  const { channel, thread, sentAt } = question(planting, A);
  const signs = planting.good.calls.filter(
    (call) => call.ok && call.channel === channel && call.thread === thread && call.at >= sentAt,
  );
  return Math.min(...signs.map(({ doneAt }) => doneAt));
}

/**
 * Plants a second copy of the reply in the personal chat, and a kill of the process `afterMs` milliseconds after the
 * response to the call that posted the copy. If `fault` is `hang`, the call got no response.
 */
const sentTwice =
  (afterMs: number, fault = ''): Plant =>
  (to) => {
    const first = firstOf(to, PERSONAL);
    const copy = { ...first, ts: '77', postedAt: Date.now(), versions: [] };
    const { good } = to;
    const call = callFor(copy, fault === '' ? {} : { fault });
    return { ...plus(good, [copy], [call]), breaks: [copy.postedAt + 50 + afterMs] };
  };

/**
 * Plants an edit of a reply after the next answer of the thread. `look` is the fingerprint of the reply before the
 * edit; by default, the edit does not change the fingerprint.
 */
const repaired =
  (look?: string): Plant =>
  (to) => {
    const at = Date.now();
    const first = firstOf(to, A);
    const { words, isNotice: notice } = first;
    const before = { until: at, words, notice, look: look ?? first.look ?? '' };
    const history = withShown(to, A, (each) =>
      each === first ? [{ ...each, versions: [...each.versions, before] }] : [each],
    );
    const method = to.opens === 'send' ? 'update' : 'chat.update';
    return plus(history, [], [callFor({ ...first, postedAt: at }, { method })]);
  };

export const excuses: readonly Excuse[] = [
  [
    'a message stands alone because its question was deleted before it was posted',
    'crossing',
    stoodAlone(1),
    [
      ['the question was deleted afterwards', stoodAlone(-1)],
      ['it stands in another thread', stoodAlone(1, '76')],
    ],
  ],
  [
    'an earlier question is answered later because its event was accepted 0.24 s before the next one was asked',
    'order',
    answeredLate(-240),
    [['its event was accepted 0.26 s before', answeredLate(-260)]],
  ],
  [
    'an earlier question is answered later because its event was accepted after the status of the next one',
    'order',
    afterStatus(1),
    [['its event was accepted when the status was set', afterStatus(0)]],
  ],
  [
    'an earlier question is answered later because its event was accepted after a note for the next one',
    'order',
    afterNote(1),
    [['its event was accepted before the note', afterNote(-2_000)]],
  ],
  [
    'an earlier question is answered later because its event was accepted 0.24 s before the next one failed to sign in',
    'order',
    afterRefusal(-240),
    [['its event was accepted 0.26 s before', afterRefusal(-260)]],
  ],
  [
    'a question is asked again because its request was read 0.9 s after its process was killed',
    'asked-again',
    readLate(900),
    [['the request was read 1.1 s after the kill', readLate(1_100)]],
  ],
  [
    'a question is asked again because its process was killed within 1 s of the first words',
    'asked-again',
    askedAgain(900),
    [
      ['the kill came 1.5 s after them', askedAgain(1_500)],
      ['the fault ended 2.5 s before the question was asked', askedAgain(-4_000, 1_400)],
    ],
  ],
  [
    'one process: the wait is measured again when the process runs again',
    'notice',
    waited({ replicas: 1, fault: [30_000, 4_000] }),
    [['it ran again 6 s before the first sign', waited({ replicas: 1, fault: [30_000, 6_000] })]],
  ],
  [
    'several replicas: the wait is measured again when a replica fails',
    'notice',
    waited({ replicas: 4, fault: [14_000, 1_000] }),
    [
      ['it failed 16 s before the first sign', waited({ replicas: 4, fault: [16_000, 1_000] })],
      [
        'another replica ended its pause 1 s before the first sign',
        waited({ replicas: 4, fault: [39_000, 1_000], name: 'SIGSTOP' }),
      ],
    ],
  ],
  [
    'several replicas: the wait is measured again when PostgreSQL runs again',
    'notice',
    waited({ replicas: 4, fault: [39_000, 14_000], name: 'PostgreSQL SIGSTOP' }),
    [
      [
        'it ran again 16 s before the first sign',
        waited({ replicas: 4, fault: [39_000, 16_000], name: 'PostgreSQL SIGSTOP' }),
      ],
    ],
  ],
  [
    'the request of a paused process stays open while another replica asks the next question',
    'order',
    pausedRequest(1_000),
    [['it stays open for 3 s after the pause', pausedRequest(3_000)]],
  ],
  [
    'the request of a replica that is cut off from PostgreSQL stays open while another one asks the next question',
    'order',
    cutRequest(-4_000),
    [['it was closed 3 s after the cut', cutRequest(3_000)]],
  ],
  [
    'the wait is measured again after a call in the room that a planted fault hit',
    'notice',
    delayed(4_000),
    [['the hit was 6 s before the first sign', delayed(6_000)]],
  ],
  [
    'Retry fails because the platform refuses the sign-in',
    'retry',
    signInRefused(1_000, 2_000),
    [
      ['the refusal came before the press', signInRefused(-1_000, 2_000)],
      ['the notice came before the refusal', signInRefused(2_000, 1_000)],
    ],
  ],
  [
    'a call that a process began before its pause takes text back, until the reply is repaired',
    'taken-back',
    pausedCall(400),
    [
      ['the pause ended 0.6 s before the call', pausedCall(600)],
      ['the reply is not repaired', pausedCall(400, 'Point1')],
    ],
  ],
  [
    'the answer of Retry begins with all words of the attempt that failed',
    'changed',
    failedOnce(),
    [['the press does not ask again', failedOnce({ kind: 'up' })]],
  ],
  [
    'an earlier reply is written again, and shows the same',
    'order',
    repaired(),
    [['it shows something new', repaired('other')]],
  ],
];

/** Excuses of the history checker that apply only to Teams. */
/**
 * Plants a person's deletion of the answer to A, and an edit to which Teams answers that the message is missing.
 * @param deletedMs milliseconds from the deletion to the end of the platform's stream
 * @param editedMs milliseconds from the edit to that end
 */
const deletion =
  (deletedMs: number, editedMs: number, error = 'ActivityNotFoundInConversation'): Plant =>
  (to) => {
    const endedAt = to.good.askings.find(({ id }) => id === A)?.endedAt ?? 0;
    const edit = callFor(firstOf(to, A), { at: endedAt - editedMs, method: 'update', ok: false, error });
    const deleted = withShown(to, A, (each) => [{ ...each, deletedAt: endedAt - deletedMs }]);
    return plus(deleted, [], [edit]);
  };

export const teamsExcuses: readonly Excuse[] = [
  [
    'the bridge learns of a deletion from its next edit, which waits for a permit',
    'not-cancelled',
    deletion(9_000, 1_000),
    [
      ['it goes on for 6 s after the edit', deletion(9_000, 6_000)],
      ['the edit comes 15 s after the deletion', deletion(16_000, 1_000)],
      ['the edit was refused for another reason', deletion(9_000, 1_000, 'ServiceError')],
    ],
  ],
  [
    'an unconfirmed waiting note stays in a personal chat',
    'stray',
    waitingNote(),
    [
      ['Teams confirmed it', waitingNote({ fault: '' })],
      ['its text does not stay true', waitingNote({ text: 'Your question is waiting.' })],
      ['the app may read the place', waitingNote({ id: A })],
      ['no question waited any more', waitingNote({ late: 60_000 })],
    ],
  ],
  [
    'a waiting note stays in a room that is closed to the app',
    'stray',
    waitingNote({ fault: '', closed: PERSONAL }),
    [
      ['another room is closed', waitingNote({ fault: '', closed: A })],
      ['it is no waiting note', waitingNote({ text: 'Hello.', fault: '', closed: PERSONAL })],
    ],
  ],
  [
    'a note refuses a press',
    'stray',
    refusal([9_000]),
    [
      ['it comes 11 s after the press', refusal([11_000])],
      ['a second note for one press', refusal([2_000, 3_000])],
      ['it is in another thread', refusal([2_000], { id: A })],
    ],
  ],
  [
    'another process refuses the press of a killed process',
    'stray',
    refusal([29_000], { killedMs: 9_000 }),
    [
      ['it comes 31 s after the press', refusal([31_000], { killedMs: 9_000 })],
      ['the process is killed 11 s after the press', refusal([29_000], { killedMs: 11_000 })],
    ],
  ],
  [
    'a stream that a person stopped before the answer began stays beside the reply',
    'stray',
    stoppedStream(JSON.stringify([STOPPED_STREAM])),
    [['nobody stopped it', stoppedStream('[]')]],
  ],
  [
    'a message that Teams did not confirm stays above the answer that repeats it',
    'text',
    unconfirmed(),
    [
      ['Teams confirmed it', unconfirmed({ fault: '' })],
      ['the reply does not say so', unconfirmed({ doubt: '' })],
      ['the app may read the place', unconfirmed({ id: A })],
    ],
  ],
  [
    'a stream that a person stopped stays above the answer of Retry',
    'text',
    firstWords(),
    [
      ['nobody stopped it', firstWords({ beside: '[]' })],
      ['the answer does not begin with its words', firstWords({ words: 'Otherwords' })],
    ],
  ],
  [
    'a process that was killed while it posted in a personal chat leaves a message twice',
    'text',
    sentTwice(1_900),
    [['the kill came 2.1 s after the answer to the call', sentTwice(2_100)]],
  ],
  [
    'a process that was killed while Teams did not answer its post in a personal chat leaves a message twice',
    'text',
    sentTwice(16_900, 'hang'),
    [['the kill came 2.1 s after the longest wait for the answer', sentTwice(17_100, 'hang')]],
  ],
];
