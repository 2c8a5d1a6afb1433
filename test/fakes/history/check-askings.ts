/** Checks that the platform is asked once, and again only if no part of its answer could have been stored. */

import type { Breach } from './breach.ts';
import { whereOf } from './check-replies.ts';
import type { History } from './kept.ts';
import type { Asking } from './platform.ts';
import type { Reply } from './replies.ts';
import { canariesIn } from './saying.ts';

/**
 * Maximum time until the platform's stream ends after a person deleted the reply, in milliseconds, without time in
 * which the machine was overloaded.
 */
const CANCELLED_MS = 5_000;

export function askedOnce(history: History): readonly Breach[] {
  const byId = Map.groupBy(history.askings, ({ id }) => id);
  return [...byId].flatMap(([id, askings]) =>
    askings.slice(1).flatMap((again, at): readonly Breach[] => {
      const before = askings[at];
      const why = before === undefined ? undefined : whyNot(before, again, history);
      return why === undefined ? [] : [{ rule: 'asked-again', where: id, what: why }];
    }),
  );
}

function whyNot(before: Asking, again: Asking, { calls, breaks }: History): string | undefined {
  const shown = calls.some(({ ok, at, said }) => ok && at < again.at && canariesIn(said).includes(before.id));
  if (shown) return 'people could read some of its answer already';
  const broke = breaks.some((at) => at >= before.at && at <= again.at);
  return before.sent > 0 && !broke ? 'the bridge had some of its answer already' : undefined;
}

/**
 * Returns how long the stream continued after `since`, in milliseconds, without the pauses that took too
 * long.
 */
function lastedMs({ endedAt = Number.POSITIVE_INFINITY, lates }: Asking, since: number): number {
  const late = lates.filter(({ at }) => at > since && at <= endedAt).reduce((sum, { ms }) => sum + ms, 0);
  return endedAt - since - late;
}

export function cancelled(history: History, replies: readonly Reply[]): readonly Breach[] {
  return replies.flatMap((reply) => {
    const [removed] = reply.removed
      .map(({ deletedAt = 0 }) => deletedAt)
      .toSorted((one, other) => one - other);
    if (removed === undefined) return [];
    const ids = reply.question.sayings.map(({ id }) => id);
    const late = history.askings.filter(
      (asking) => ids.includes(asking.id) && lastedMs(asking, removed) > CANCELLED_MS,
    );
    return late.map(
      (): Breach => ({
        rule: 'not-cancelled',
        where: whereOf(reply),
        what: 'the platform went on though a person had taken the reply away',
      }),
    );
  });
}
