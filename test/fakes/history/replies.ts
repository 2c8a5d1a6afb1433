/** Assigns messages to the questions that they answer. */

import { doingOf } from './doing.ts';
import {
  type Act,
  type Called,
  type History,
  type Place,
  type Question,
  type Shown,
  STOPPED_STREAM,
  wordsOf,
} from './kept.ts';
import { answerOf, canariesIn } from './saying.ts';
import { isUnknown } from './unknown.ts';
import { isWaitingNote } from './waiting-note.ts';

export interface Reply {
  readonly question: Question;
  /** Present messages, oldest first. */
  readonly messages: readonly Shown[];
  /** Messages that a person deleted. */
  readonly removed: readonly Shown[];
  /** All messages of the reply, including those that the app deleted. */
  readonly all: readonly Shown[];
  /**
   * Messages that may be unknown to every process, because the process that posted them was killed before it could
   * record them.
   */
  readonly unknown: readonly Shown[];
  /** Calls that created or changed messages of the reply. */
  readonly calls: readonly Called[];
  /** Presses on messages of the reply. */
  readonly acts: readonly Act[];
}

export const sameThread = (one: Place, other: Place): boolean => threadOf(one) === threadOf(other);

export const threadOf = ({ team, channel, thread }: Place): string => `${team} ${channel} ${thread}`;

/** Identifies a message. Rooms of two workspaces may have the same id. */
const messageOf = ({ team, channel, ts = '' }: { team: string; channel: string; ts?: string }): string =>
  `${team} ${channel} ${ts}`;

interface Index {
  readonly questions: ReadonlyMap<string, readonly Question[]>;
  readonly calls: ReadonlyMap<string, readonly Called[]>;
  /** Times of the first request for each answer. */
  readonly askedAt: ReadonlyMap<string, number>;
}

/**
 * Finds the question of each message: by the message's buttons, or else by the words of the answer, or else by the
 * turn that wrote it. A message without any of these belongs to a question in its thread that has no other message.
 */
export function createReplies(history: History): readonly Reply[] {
  const { questions, shown } = history;
  const index = {
    questions: Map.groupBy(questions, threadOf),
    calls: Map.groupBy(history.calls, messageOf),
    askedAt: new Map(history.askings.toReversed().map(({ id, at }) => [id, at])),
  };
  const acts = Map.groupBy(history.acts, messageOf);
  const own = new Map<Question, Shown[]>(questions.map((question) => [question, []]));
  const unclaimed: Shown[] = [];
  for (const message of shown) {
    if (isPastNote(message)) continue;
    const question = questionOf(message, index);
    if (question === undefined) unclaimed.push(message);
    else own.get(question)?.push(message);
  }
  const turns = new Map<string | undefined, Question>();
  for (const [question, messages] of own) for (const { mark } of messages) turns.set(mark?.turn, question);
  for (const message of unclaimed) {
    const near = index.questions.get(threadOf(message)) ?? [];
    const silent = near.filter(
      (question) => question.sentAt <= message.postedAt && own.get(question)?.length === 0,
    );
    const question =
      message.mark === undefined
        ? refused(message, silent)
        : (turns.get(message.mark.turn) ??
          askedLast(message, isStoppedEmpty(message) ? near : silent, index));
    if (question !== undefined) own.get(question)?.push(message);
  }
  return questions.map((question): Reply => {
    const all = (own.get(question) ?? []).toSorted((one, other) => Number(one.ts) - Number(other.ts));
    const calls = all.flatMap((each) => index.calls.get(messageOf(each)) ?? []);
    return {
      question,
      all,
      unknown: all.filter((each) => isUnknown(each, index.calls.get(messageOf(each)) ?? [], history)),
      messages: all.filter(({ deletedAt }) => deletedAt === undefined),
      removed: all.filter((each) => each.deletedAt !== undefined && !calls.some((call) => took(call, each))),
      calls: calls.toSorted((one, other) => one.at - other.at),
      acts: all.flatMap((each) => acts.get(messageOf(each)) ?? []),
    };
  });
}

/**
 * Returns the question that was refused. A refusal has no buttons that name the question, so returns the newest
 * question that has no message and was asked before the refusal.
 */
const refused = ({ isNotice, postedAt }: Shown, silent: readonly Question[]): Question | undefined =>
  isNotice ? silent.findLast(({ sentAt }) => sentAt <= postedAt) : undefined;

/**
 * Returns the question to which the message belongs. If several questions are possible, leaves out those whose answer
 * does not begin with the message's words, and returns the one that the platform was asked last before the post.
 */
function askedLast(
  { postedAt, words }: Shown,
  silent: readonly Question[],
  { askedAt }: Index,
): Question | undefined {
  if (silent.length < 2) return silent[0];
  const before = silent
    .map((question) => ({
      question,
      at: Math.min(...question.sayings.map(({ id }) => askedAt.get(id) ?? Number.POSITIVE_INFINITY)),
    }))
    .filter(({ at }) => at <= postedAt + SOON_MS)
    .filter(({ question }) => question.sayings.some((saying) => wordsOf(answerOf(saying)).startsWith(words)));
  return before.toSorted((one, other) => other.at - one.at)[0]?.question;
}

/** True for a stream in Teams that a person stopped before the answer began. Its text names no question. */
const isStoppedEmpty = ({ words, beside }: Shown): boolean => words === '' && beside.includes(STOPPED_STREAM);

/** True for a deleted note about a waiting question. The app deletes such a note when the wait is over. */
const isPastNote = (message: Shown): boolean => message.deletedAt !== undefined && isWaitingNote(message);

/** Maximum time by which the request to the platform may follow the post of the message, in milliseconds. */
const SOON_MS = 1_000;

const took = (call: Called, { ts }: Shown): boolean =>
  doingOf(call.method) === 'takes' && call.ok && call.ts === ts;

function questionOf(message: Shown, { questions, calls }: Index): Question | undefined {
  const near = questions.get(threadOf(message)) ?? [];
  const named = near.filter(({ ts }) => message.names.includes(ts));
  if (named.length === 1) return named[0];
  const said = (calls.get(messageOf(message)) ?? []).filter(({ ok }) => ok);
  // An id that is split over two calls appears only in their combined text.
  const ids = new Set([message.words, ...said.map((call) => call.said)].flatMap(canariesIn));
  return near.find(({ sayings }) => sayings.some(({ id }) => ids.has(id)));
}
