/**
 * Checks that no word of one thread or workspace appears in another, neither in the channel nor in requests to the
 * platform.
 */

import type { Breach } from './breach.ts';
import type { Called, History, Place, Question } from './kept.ts';
import { sameThread } from './replies.ts';
import { canariesIn, sayingsIn } from './saying.ts';

export function crossings({ questions, calls, askings }: History): readonly Breach[] {
  const owners = new Map<string, Question>(
    questions.flatMap((question) => question.sayings.map(({ id }) => [id, question] as const)),
  );
  const breach = (where: string, what: string): Breach => ({ rule: 'crossing', where, what });
  // Leaves out calls with a refused token, because they belong to no workspace.
  const inChannel = calls
    .filter(({ team }) => team !== '')
    .flatMap((call) =>
      canariesIn(call.said)
        .filter((id) => !isOf(owners.get(id), call) && !standsAlone(owners.get(id), call))
        .map((id) => breach(`${call.team} ${call.channel}/${call.thread}`, `${call.method} carried ${id}`)),
    );
  const atPlatform = askings.flatMap(({ id, request }) => {
    const own = owners.get(id);
    const others = [
      ...canariesIn(request),
      ...sayingsIn(request.replaceAll('\\"', '"')).map((each) => each.id),
    ];
    return others
      .filter((other) => own === undefined || !isOf(owners.get(other), own))
      .map((other) => breach(id, `the platform was told of ${other}`));
  });
  return [...inChannel, ...atPlatform];
}

/**
 * True if the message stands alone in its room because its question was deleted before the message was posted: a
 * deleted thread takes no messages.
 */
const standsAlone = (owner: Question | undefined, { team, channel, thread, ts, doneAt }: Called): boolean =>
  owner?.deletedAt !== undefined &&
  owner.deletedAt <= doneAt &&
  thread === ts &&
  sameThread(owner, { team, channel, thread: owner.thread });

/**
 * True if the question belongs to the place. Also true without a question, because an id that names no question is a
 * fragment of another id, from a damaged stream.
 */
const isOf = (owner: Question | undefined, place: Place): boolean =>
  owner === undefined || sameThread(owner, place);
