/** Checks that the platform is asked once, and again only if no part of its answer could have been stored. */

import type { Breach } from './breach.ts';
import { whereOf } from './check-replies.ts';
import type { Act, Called, History, Shown } from './kept.ts';
import { isSoonAfter, refusesPress } from './notes.ts';
import type { Asking } from './platform.ts';
import { type Reply, threadOf } from './replies.ts';
import { canariesIn } from './saying.ts';

/**
 * Maximum time from the deletion of a reply by a person to the end of the platform's stream, in milliseconds. Pauses
 * of an overloaded machine do not count.
 */
const CANCELLED_MS = 5_000;
/**
 * Maximum time from the deletion to the call by which the bridge learns of it in Teams, in milliseconds. Teams sends no
 * event, so the bridge learns of it only from this answer to its next edit, which may wait for the organization's limit.
 */
const LEARNED_MS = 10_000;
const DELETED = 'ActivityNotFoundInConversation';

/** Presses after which the platform is asked again. */
const ASKS_AGAIN = ['retry', 'regenerate'];

export function askedOnce(history: History, replies: readonly Reply[]): readonly Breach[] {
  const byId = Map.groupBy(history.askings, ({ id }) => id);
  return replies.flatMap((reply) => {
    const shown = shownTimes(reply);
    return reply.question.sayings.flatMap(({ id }) =>
      (byId.get(id) ?? []).slice(1).flatMap((again, at): readonly Breach[] => {
        const before = byId.get(id)?.[at];
        if (before === undefined || isWanted(reply, before, again)) return [];
        const why = whyNot(before, again, { shown: shown.get(id) ?? [], history });
        return why === undefined ? [] : [{ rule: 'asked-again', where: id, what: why }];
      }),
    );
  });
}

/** Returns the times at which words of each answer were shown. */
function shownTimes({ calls }: Reply): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { ok, at, said } of calls)
    if (ok) for (const id of canariesIn(said)) times.set(id, [...(times.get(id) ?? []), at]);
  return times;
}

/** True if a person pressed Retry or Regenerate between the two requests. */
const isWanted = ({ acts }: Reply, before: Asking, again: Asking): boolean =>
  acts.some(({ kind, at }) => ASKS_AGAIN.includes(kind) && at >= before.at && at <= again.at);

/** Maximum time until received text is recorded, in milliseconds. */
const RECORD_MS = 1_000;
/** Maximum time until the platform's server reads a request whose process was killed meanwhile, in milliseconds. */
const READ_MS = 1_000;
/** Maximum time until a replica that continues after a pause notices that it lost its lease, in milliseconds. */
const NOTICED_MS = 2_000;

interface Around {
  /** Times at which words of the answer were shown. */
  readonly shown: readonly number[];
  readonly history: Pick<History, 'breaks' | 'machineFaults'>;
}

function whyNot(
  before: Asking,
  again: Asking,
  { shown, history: { breaks, machineFaults } }: Around,
): string | undefined {
  if (shown.some((at) => at >= before.at && at < again.at))
    return 'people could read some of its answer already';
  // From this time on, the text is recorded, even if the process is killed.
  const recordedAt = Math.min(again.at, (before.firstAt ?? again.at) + RECORD_MS);
  const broke =
    breaks.some((at) => at + READ_MS >= before.at && at <= recordedAt) ||
    machineFaults.some(({ at, until }) => at <= recordedAt && until + NOTICED_MS >= before.at);
  return before.sent > 0 && !broke ? 'the bridge had some of its answer already' : undefined;
}

/** True if the response to the press or a note told the person why the press had no effect. */
const isRefused = (press: Act, notes: readonly Called[], history: History): boolean =>
  refusesPress(press.answer) || notes.some(({ at }) => isSoonAfter(press, at, history));

/** Matches the end of a notice about a failure, also in Markdown, where brackets are escaped. */
const REFERENCE = /Reference [0-9a-f]{8}/;

/** True if, after the press, the platform refused a sign-in, and the reply then said that the answer failed. */
const couldNotSignIn = (press: Act, { calls }: Reply, { signInsRefused }: History): boolean =>
  signInsRefused.some(
    (refusedAt) =>
      refusedAt >= press.at &&
      calls.some(({ ok, at, said }) => ok && at >= refusedAt && REFERENCE.test(said)),
  );

/** Finds acknowledged presses of Retry after which neither the question was asked again nor a reason was shown. */
export function foundAgain(history: History, replies: readonly Reply[]): readonly Breach[] {
  const byId = Map.groupBy(history.askings, ({ id }) => id);
  const notes = Map.groupBy(
    history.calls.filter(({ ok, said }) => ok && refusesPress(said)),
    threadOf,
  );
  return replies.flatMap((reply) => {
    const { question, acts } = reply;
    const presses = acts.filter(({ kind, isAccepted }) => kind === 'retry' && isAccepted);
    if (presses.length === 0 || question.deletedAt !== undefined || reply.removed.length > 0) return [];
    const [press] = presses;
    const askings = question.sayings.flatMap(({ id }) => byId.get(id) ?? []);
    const found = askings.some(({ at }) => press !== undefined && at >= press.at);
    if (found || (press !== undefined && isRefused(press, notes.get(threadOf(question)) ?? [], history)))
      return [];
    if (press !== undefined && couldNotSignIn(press, reply, history)) return [];
    return [{ rule: 'retry', where: whereOf(reply), what: 'Retry did not ask the question again' }];
  });
}

/**
 * Returns how long the stream continued after `since`, in milliseconds. The excess of pauses that lasted longer than
 * planned does not count.
 */
function lastedMs({ endedAt = Number.POSITIVE_INFINITY, lates }: Asking, since: number): number {
  const late = lates.filter(({ at }) => at > since && at <= endedAt).reduce((sum, { ms }) => sum + ms, 0);
  return endedAt - since - late;
}

/** Returns when the bridge could know that the message was deleted. */
function learnedAt({ deletedAt = 0 }: Shown, { calls }: Reply): number {
  const learns = calls.find((call) => call.error === DELETED && call.at >= deletedAt);
  return Math.min(learns?.at ?? deletedAt, deletedAt + LEARNED_MS);
}

export function cancelled(history: History, replies: readonly Reply[]): readonly Breach[] {
  const byId = Map.groupBy(history.askings, ({ id }) => id);
  return replies.flatMap((reply) => {
    const [removed] = reply.removed
      .map((message) => learnedAt(message, reply))
      .toSorted((one, other) => one - other);
    if (removed === undefined) return [];
    const askings = reply.question.sayings.flatMap(({ id }) => byId.get(id) ?? []);
    const late = askings.filter((asking) => lastedMs(asking, removed) > CANCELLED_MS);
    return late.map(
      (): Breach => ({
        rule: 'not-cancelled',
        where: whereOf(reply),
        what: 'the platform went on though a person had taken the reply away',
      }),
    );
  });
}
