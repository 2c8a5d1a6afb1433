/** Assigns messages to the questions that they answer. */

import { doingOf } from './doing.ts';
import type { Called, History, Question, Shown } from './kept.ts';
import { canariesIn } from './saying.ts';

export interface Reply {
  readonly question: Question;
  /** Present messages, oldest first. */
  readonly messages: readonly Shown[];
  /** Messages that a person deleted. */
  readonly removed: readonly Shown[];
  /** Calls that created or changed its messages. */
  readonly calls: readonly Called[];
}

export const sameThread = (
  one: { team: string; channel: string; thread: string },
  other: { team: string; channel: string; thread: string },
): boolean => one.team === other.team && one.channel === other.channel && one.thread === other.thread;

/**
 * Identifies the question by the words of the answer, otherwise by its buttons, otherwise as the only question left.
 */
export function createReplies(history: History): readonly Reply[] {
  const { questions, shown, calls } = history;
  const own = new Map<Question, Shown[]>(questions.map((question) => [question, []]));
  const unclaimed: Shown[] = [];
  for (const message of shown) {
    const question = questionOf(message, history);
    if (question === undefined) unclaimed.push(message);
    else own.get(question)?.push(message);
  }
  for (const message of unclaimed) {
    const silent = questions.filter(
      (question) => sameThread(question, message) && (own.get(question)?.length ?? 0) === 0,
    );
    const [only] = silent;
    if (only !== undefined && silent.length === 1 && message.mark !== undefined) own.get(only)?.push(message);
  }
  return questions.map((question): Reply => {
    const all = (own.get(question) ?? []).toSorted((one, other) => Number(one.ts) - Number(other.ts));
    const ours = new Set(all.map(({ ts }) => ts));
    const its = calls.filter((call) => isThere(call, question) && ours.has(call.ts));
    return {
      question,
      messages: all.filter(({ deletedAt }) => deletedAt === undefined),
      removed: all.filter((each) => each.deletedAt !== undefined && !its.some((call) => took(call, each))),
      calls: its,
    };
  });
}

/** Rooms of two workspaces may have the same id. */
const isThere = (one: { team: string; channel: string }, other: { team: string; channel: string }): boolean =>
  one.team === other.team && one.channel === other.channel;

const took = (call: Called, { ts }: Shown): boolean =>
  doingOf(call.method) === 'takes' && call.ok && call.ts === ts;

function questionOf(message: Shown, { questions, calls }: History): Question | undefined {
  const near = questions.filter((question) => sameThread(question, message));
  const named = near.filter(({ ts }) => message.names.includes(ts));
  if (named.length === 1) return named[0];
  const said = calls.filter((call) => call.ok && isThere(call, message) && call.ts === message.ts);
  // An id that is split over two calls appears only in their combined text.
  const ids = new Set([message.words, ...said.map((call) => call.said)].flatMap(canariesIn));
  return near.find(({ sayings }) => sayings.some(({ id }) => ids.has(id)));
}
