/** Checks that the questions of a thread are answered one after another, in the order in which they were asked. */

import type { Breach } from './breach.ts';
import { whereOf } from './check-replies.ts';
import type { History } from './kept.ts';
import { isVisible } from './look.ts';
import type { Asking } from './platform.ts';
import { type Reply, threadOf } from './replies.ts';

export function inOrder({ askings, machineFaults }: History, replies: readonly Reply[]): readonly Breach[] {
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
  return [...threads.values()].flatMap((thread) =>
    thread.flatMap((later) =>
      thread
        .filter(({ question }) => Number(question.ts) < Number(later.question.ts))
        .filter((before) => arrivedBefore(before, later, byId))
        .flatMap((before) => [...between(before, later), ...asked(before, later, { byId, machineFaults })]),
    ),
  );
}

type AskingsById = ReadonlyMap<string, History['askings']>;

const askingsOf = ({ question }: Reply, byId: AskingsById): History['askings'] =>
  question.sayings.flatMap(({ id }) => byId.get(id) ?? []);

/** True if the earlier question was acknowledged before the platform was asked the later one. */
function arrivedBefore(before: Reply, later: Reply, byId: AskingsById): boolean {
  const begun = Math.min(...askingsOf(later, byId).map(({ at }) => at));
  return (before.question.acceptedAt ?? Number.POSITIVE_INFINITY) <= begun;
}

function between(before: Reply, later: Reply): readonly Breach[] {
  const showing = ({ calls, all }: Reply) => calls.filter((call) => isVisible(call, all));
  const begun = Math.min(...showing(later).map(({ at }) => at));
  const ended = Math.max(...showing(before).map(({ at }) => at));
  if (ended <= begun) return [];
  return [{ rule: 'order', where: whereOf(later), what: `it was shown before ${whereOf(before)} was` }];
}

/** Maximum time until a process that continues after a pause closes its requests, in milliseconds. */
const CLOSED_MS = 2_000;

/**
 * Returns the time at which a request ended. The request of a process that was paused stays open until the process
 * continues, although another replica asks in its place, so it counts as ended when the pause began.
 */
function endOf({ at, endedAt = at }: Asking, machineFaults: History['machineFaults']): number {
  const pause = machineFaults.find(
    (fault) => fault.at >= at && fault.until <= endedAt && endedAt <= fault.until + CLOSED_MS,
  );
  return pause?.at ?? endedAt;
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
