/** Uses the calls that the fake Teams received to find the times at which text became visible. */

import type { CallRecord } from '../../fakes/teams/index.ts';
import type { Seen } from '../channel/runs.ts';

export interface TeamsSeen extends Seen {
  /** Final text of the reply's messages and cards. */
  readonly text: string;
}

export interface Asked {
  readonly conversation: string;
  /** Id of the question's message, if the question begins a thread. */
  readonly root?: string;
  /** The question's own id; its answer ends with a mark that contains it. */
  readonly id: string;
}

const SHOWING = ['send', 'stream', 'final', 'update'];

/** Returns the reply to the only question of a thread. */
export function seenOf(calls: readonly CallRecord[], { conversation, root, id }: Asked): TeamsSeen {
  const messages = new Map<string, string>();
  const growth: { at: number; chars: number }[] = [];
  let lastAt: number | undefined;
  let closedAt = 0;
  const its = calls.filter(
    (call) =>
      call.conversation === conversation &&
      call.root === root &&
      SHOWING.includes(call.method) &&
      isDone(call),
  );
  for (const { asked, activityId = '', doneAt = 0 } of its) {
    closedAt = Math.max(closedAt, doneAt);
    if (isInformative(asked)) continue;
    messages.set(activityId, wordsOf(asked));
    const text = [...messages.values()].join('\n');
    if (text.trim() !== '') growth.push({ at: doneAt, chars: text.length });
    if (lastAt === undefined && text.includes(`END-${id}`)) lastAt = doneAt;
  }
  const first = growth[0]?.at;
  return {
    ...(first !== undefined && { firstAt: first }),
    ...(lastAt !== undefined && { lastAt }),
    ...{ closedAt, growth, text: [...messages.values()].join('\n') },
  };
}

/** True if the call succeeded. Teams ignores a call out of order, and answers with status 202 and an error. */
const isDone = ({ doneAt, status, answer }: CallRecord): boolean =>
  doneAt !== undefined && status > 0 && status < 300 && answer?.error === undefined;

const isInformative = ({ entities }: CallRecord['asked']): boolean =>
  /"streamType":"informative"/.test(JSON.stringify(entities ?? []));

/** Returns the text of a message and of its cards, because the cards contain the tables. */
const wordsOf = ({ text, attachments }: CallRecord['asked']): string =>
  `${String(text ?? '')}${attachments === undefined ? '' : JSON.stringify(attachments)}`;
