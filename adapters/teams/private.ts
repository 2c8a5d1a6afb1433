/** Answers in chats and channels that Teams shows to one person only: their threads. */

import type { ThreadRef } from '../../src/kit.ts';
import type { ReplyPlace } from './activity.ts';
import { CHANNEL, conversationId } from './ids.ts';

const PRIVATE = 'private';
const BETWEEN = '|';

interface PrivateAct {
  /** Where it was asked. */
  readonly thread: ThreadRef;
  /** Whom the answer is for. */
  readonly person: string;
  /** The act's unique key. */
  readonly act: string;
}

/** A private thread is one act of one person, whom its key names; Teams knows of no such thread. */
export function privateThread({ thread, person, act }: PrivateAct): ThreadRef {
  const { tenant, room, key } = thread;
  const root = thread.kind === 'room' ? key : '';
  const parts = [PRIVATE, ...[person, root, act].map(encodeURIComponent)];
  return { channel: CHANNEL, tenant, room, key: parts.join(BETWEEN), kind: 'direct' };
}

export function isPrivate({ key }: Pick<ThreadRef, 'key'>): boolean {
  return key.startsWith(`${PRIVATE}${BETWEEN}`);
}

/** Whether a thread is for this person's eyes (attack S17). */
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
  // A message outside of a thread has the room for its key.
  return { conversation: kind === 'room' && key !== room ? conversationId({ room, root: key }) : room };
}
