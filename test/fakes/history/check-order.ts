/** Checks that the questions of a thread are answered one after another, in the order in which they were asked. */

import type { Breach } from './breach.ts';
import { lengthOf } from './check-changes.ts';
import { whereOf } from './check-replies.ts';
import { type Called, type History, wordsOf } from './kept.ts';
import { isVisible } from './look.ts';
import type { Asking } from './platform.ts';
import { type Reply, threadOf } from './replies.ts';
import { possibleAnswers } from './saying.ts';

/**
 * Time between the moment at which the bridge decides to begin with a question and the first sign of it, in milliseconds.
 * The bridge stores its decision first, and then connects to the platform. An earlier question that arrives in between
 * has come too late. Twenty busy processes on two cores were seen to need more than 100 ms.
 */
const DECIDED_MS = 250;

export function inOrder(history: History, replies: readonly Reply[]): readonly Breach[] {
  const { askings, machineFaults } = history;
  // Edited, deleted, stopped and repeated questions are exempt.
  const plain = replies.filter(
    ({ question, messages, acts }) =>
      question.sayings.length === 1 &&
      question.deletedAt === undefined &&
      acts.length === 0 &&
      !messages.some(({ beside }) => beside.includes('Stopped')),
  );
  const byId = Map.groupBy(askings, ({ id }) => id);
  const threads = Map.groupBy(plain, ({ question }) => threadOf(question));
  const whole = Map.groupBy(replies, ({ question }) => threadOf(question));
  const statuses = Map.groupBy(history.calls.filter(isStatus), threadOf);
  return [...threads].flatMap(([key, thread]) =>
    thread.flatMap((later) => {
      const others = (whole.get(key) ?? []).filter((each) => each !== later);
      const begins = beginOf(later, {
        asked: askingsOf(later, byId).map(({ at }) => at),
        signIns: history.signInsRefused,
        statuses: (statuses.get(key) ?? []).map(({ at }) => at),
        others,
      });
      return thread
        .filter(({ question }) => Number(question.ts) < Number(later.question.ts))
        .filter(({ question }) => acceptedAt(question) <= Math.min(begins - DECIDED_MS, notedAt(later)))
        .flatMap((before) => [...between(before, later), ...asked(before, later, { byId, machineFaults })]);
    }),
  );
}

type AskingsById = ReadonlyMap<string, History['askings']>;

const askingsOf = ({ question }: Reply, byId: AskingsById): History['askings'] =>
  question.sayings.flatMap(({ id }) => byId.get(id) ?? []);

const acceptedAt = ({ acceptedAt = Number.POSITIVE_INFINITY }: Reply['question']): number => acceptedAt;

/** True if the call shows in Slack that the app works. */
const isStatus = ({ method, ok, said }: Called): boolean =>
  method === 'assistant.threads.setStatus' && ok && /"status":"[^"]/.test(said);

/** Observations that show when a question began. All times are in milliseconds since the epoch. */
interface Signs {
  /** Requests for the question's answer. */
  readonly asked: readonly number[];
  /** Sign-ins that the platform refused. */
  readonly signIns: readonly number[];
  /** Statuses that were set in the thread. */
  readonly statuses: readonly number[];
  /** The other replies of the thread. */
  readonly others: readonly Reply[];
}

/**
 * Returns the time at which the bridge began with a question: when it first asked the platform or set the question's
 * status, whichever came first. A status belongs to the question if no other question of the thread was open. If the
 * bridge never asked the platform, the next sign-in that the platform refused also counts as a beginning. If an earlier
 * question of the thread was accepted before this time, it must be answered first.
 */
function beginOf({ question }: Reply, { asked, signIns, statuses, others }: Signs): number {
  const since = acceptedAt(question);
  const isOwn = (at: number) =>
    others.every((other) => acceptedAt(other.question) > at || lastShown(other) <= at);
  const status = statuses.filter((at) => at >= since).find(isOwn);
  const refused = asked.length === 0 ? signIns.find((at) => at >= since) : undefined;
  return Math.min(...asked, status ?? Number.POSITIVE_INFINITY, refused ?? Number.POSITIVE_INFINITY);
}

const showing = ({ calls, all }: Reply): readonly Called[] => calls.filter((call) => isVisible(call, all));

/** Returns the time of the last visible call for a reply; infinite if there was none. */
function lastShown(reply: Reply): number {
  const shown = showing(reply).map(({ at }) => at);
  return shown.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...shown);
}

/**
 * Returns the time at which the reply showed its first state, if that was a note without text of the answer, such as
 * that the question is kept; otherwise infinite. The bridge had begun with the question at that time.
 */
function notedAt({ all, question }: Reply): number {
  const answers = question.sayings.flatMap(possibleAnswers).map(wordsOf);
  const notes = all.filter(
    ({ versions: [first] }) => first !== undefined && !first.notice && lengthOf(first, answers) === 0,
  );
  return Math.min(...notes.map(({ postedAt }) => postedAt));
}

function between(before: Reply, later: Reply): readonly Breach[] {
  const begun = Math.min(...showing(later).map(({ at }) => at));
  const ended = Math.max(...showing(before).map(({ at }) => at));
  if (ended <= begun) return [];
  return [{ rule: 'order', where: whereOf(later), what: `it was shown before ${whereOf(before)} was` }];
}

/** Maximum time from the end of a fault of a process until the process has closed its requests, in milliseconds. */
const CLOSED_MS = 2_000;
const CUT = /^network of one replica/;

/**
 * Returns the time at which a request ended. While a process is paused, or does not reach PostgreSQL, its request stays
 * open, although another replica asks in its place. Such a request counts as ended when the fault began.
 */
function endOf({ at, endedAt = at }: Asking, machineFaults: History['machineFaults']): number {
  const fault = machineFaults.find(
    (each) =>
      each.at >= at &&
      (CUT.test(each.name) ? each.at : each.until) <= endedAt &&
      endedAt <= each.until + CLOSED_MS,
  );
  return fault?.at ?? endedAt;
}

interface Requests {
  readonly byId: AskingsById;
  readonly machineFaults: History['machineFaults'];
}

function asked(before: Reply, later: Reply, { byId, machineFaults }: Requests): readonly Breach[] {
  const begun = Math.min(...askingsOf(later, byId).map(({ at }) => at));
  const ended = Math.max(...askingsOf(before, byId).map((asking) => endOf(asking, machineFaults)));
  if (ended <= begun) return [];
  return [{ rule: 'order', where: whereOf(later), what: `it was asked while ${whereOf(before)} was` }];
}
