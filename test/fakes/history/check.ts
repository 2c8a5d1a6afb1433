/**
 * Checks the delivery contract over the history of a run as the servers recorded it, never from the bridge's own
 * reports. Each breach names the rule, the question and the observation.
 */

import type { Breach } from './breach.ts';
import { askedOnce, cancelled, foundAgain } from './check-askings.ts';
import { unchanged } from './check-changes.ts';
import { crossings } from './check-crossing.ts';
import { inOrder } from './check-order.ts';
import { ends, strays } from './check-replies.ts';
import { inTime } from './check-times.ts';
import type { History } from './kept.ts';
import { createReplies } from './replies.ts';

export type { Breach, Rule } from './breach.ts';

export function check(history: History): readonly Breach[] {
  const replies = createReplies(history);
  return [
    ...ends(history, replies),
    ...strays(history, replies),
    ...unchanged(history, replies),
    ...inTime(history, replies),
    ...askedOnce(history, replies),
    ...foundAgain(history, replies),
    ...cancelled(history, replies),
    ...inOrder(history, replies),
    ...crossings(history),
    ...history.violations.map((what): Breach => ({ rule: 'schema', where: '', what })),
  ];
}
