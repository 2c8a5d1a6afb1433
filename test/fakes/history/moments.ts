/** The text of a reply that people could read, before and after each change of a message. */

import type { Shown } from './kept.ts';
import type { Reply } from './replies.ts';

export interface Seen {
  readonly words: string;
  /** True if the reply said that the answer failed or was stopped. */
  readonly notice: boolean;
}

export interface Moment {
  readonly at: number;
  readonly before: Seen;
  readonly after: Seen;
}

/** Returns the changes of a reply in order: edits and deletions. A stream only grows, so it has no changes. */
export function momentsOf({ all }: Reply): readonly Moment[] {
  const times = all.flatMap(({ versions, deletedAt }) => [
    ...versions.map(({ until }) => until),
    ...(deletedAt === undefined ? [] : [deletedAt]),
  ]);
  return [...new Set(times)]
    .toSorted((one, other) => one - other)
    .map((at) => ({
      at,
      before: seen(all, (until) => until >= at, at - 1),
      after: seen(all, (until) => until > at, at),
    }));
}

/** @param isLater returns true if a state that lasts until the given time is still visible */
function seen(all: readonly Shown[], isLater: (until: number) => boolean, at: number): Seen {
  const states = all
    .filter(({ postedAt, deletedAt = Number.POSITIVE_INFINITY }) => postedAt <= at && isLater(deletedAt))
    .map((message) => message.versions.find(({ until }) => isLater(until)) ?? newestOf(message));
  return { words: states.map(({ words }) => words).join(''), notice: states.some(({ notice }) => notice) };
}

const newestOf = ({ words, isNotice: notice }: Shown): Seen => ({ words, notice });
