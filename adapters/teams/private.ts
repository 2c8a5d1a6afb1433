/** Threads of answers in chats and channels that Teams shows to one person only. */

import type { ThreadRef } from '../../src/kit.ts';
import type { ReplyPlace } from './activity.ts';
import { CHANNEL, conversationId } from './ids.ts';

const PRIVATE = 'private';
const BETWEEN = '|';

interface PrivateAct {
  /** Thread of the question. */
  readonly thread: ThreadRef;
  /** Id of the person whom the answer is for. */
  readonly person: string;
  /** Unique key of the act. */
  readonly act: string;
}

/** Returns the thread for one act of one person. Its key contains the person's id; Teams has no such thread. */
export function privateThread({ thread, person, act }: PrivateAct): ThreadRef {
  const { tenant, room, key } = thread;
  const root = thread.kind === 'room' ? key : '';
  const parts = [PRIVATE, ...[person, root, act].map(encodeURIComponent)];
  return { channel: CHANNEL, tenant, room, key: parts.join(BETWEEN), kind: 'direct' };
}

export function isPrivate({ key }: Pick<ThreadRef, 'key'>): boolean {
  return key.startsWith(`${PRIVATE}${BETWEEN}`);
}

/** True if this person may see the thread (attack S17). */
export function isFor(person: string, { key }: Pick<ThreadRef, 'key'>): boolean {
  return !isPrivate({ key }) || key.split(BETWEEN)[1] === encodeURIComponent(person);
}

/** Returns the conversation in which messages of the thread are sent. */
export function conversationOf({
  room,
  key,
  kind,
}: Pick<ThreadRef, 'room' | 'key' | 'kind'>): Pick<ReplyPlace, 'conversation' | 'targeted'> {
  if (isPrivate({ key })) {
    const root = key.split(BETWEEN)[2];
    return { conversation: conversationId({ room, ...(root && { root }) }), targeted: true };
  }
  // The key of a message outside of any thread is the room.
  return { conversation: kind === 'room' && key !== room ? conversationId({ room, root: key }) : room };
}
