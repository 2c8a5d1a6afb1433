/** Checks that the questions of a thread are answered one after another, in the order in which they were asked. */

import type { Breach } from './breach.ts';
import { whereOf } from './check-replies.ts';
import { shows } from './doing.ts';
import type { History } from './kept.ts';
import { type Reply, sameThread } from './replies.ts';

export function inOrder({ askings }: History, replies: readonly Reply[]): readonly Breach[] {
  // Edited, deleted and stopped questions are exempt.
  const plain = replies.filter(
    ({ question, messages }) =>
      question.sayings.length === 1 &&
      question.deletedAt === undefined &&
      !messages.some(({ beside }) => beside.includes('Stopped')),
  );
  return plain.flatMap((later) => {
    const earlier = plain.filter(
      ({ question }) =>
        sameThread(question, later.question) && Number(question.ts) < Number(later.question.ts),
    );
    return earlier.flatMap((before) => [...between(before, later), ...asked(before, later, askings)]);
  });
}

function between(before: Reply, later: Reply): readonly Breach[] {
  const showing = ({ calls }: Reply) => calls.filter(({ ok, method }) => ok && shows(method));
  const begun = Math.min(...showing(later).map(({ at }) => at));
  const ended = Math.max(...showing(before).map(({ at }) => at));
  if (ended <= begun) return [];
  return [{ rule: 'order', where: whereOf(later), what: `it was shown before ${whereOf(before)} was` }];
}

function asked(before: Reply, later: Reply, askings: History['askings']): readonly Breach[] {
  const of = ({ question }: Reply) =>
    askings.filter(({ id }) => question.sayings.some((each) => each.id === id));
  const begun = Math.min(...of(later).map(({ at }) => at));
  const ended = Math.max(...of(before).map(({ endedAt, at }) => endedAt ?? at));
  if (ended <= begun) return [];
  return [{ rule: 'order', where: whereOf(later), what: `it was asked while ${whereOf(before)} was` }];
}
