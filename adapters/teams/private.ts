/**
 * Threads whose key tells how Teams shows their answers: to only one person in a chat or channel, or in a chat of
 * Microsoft 365 Copilot.
 */

import type { ThreadRef } from '../../src/kit.ts';
import type { ReplyPlace } from './activity.ts';
import { CHANNEL, conversationId } from './ids.ts';

const PRIVATE = 'private';
const BETWEEN = '|';
const COPILOT = 'copilot';

/** Returns the key of the thread in a chat of Microsoft 365 Copilot. It differs from the keys of other chats. */
export const copilotKey = (room: string): string => [COPILOT, encodeURIComponent(room)].join(BETWEEN);

export const isCopilot = ({ key }: Pick<ThreadRef, 'key'>): boolean => key.startsWith(`${COPILOT}${BETWEEN}`);

/**
 * Returns the thread for one question of one person. The thread exists only in the bridge; its key contains the
 * person's id.
 * @param thread in which the person asked
 * @param person id of the only person who sees the answer
 * @param act unique key of the press or message with which the person asked
 */
export function privateThread(thread: ThreadRef, person: string, act: string): ThreadRef {
  const { tenant, room, key } = thread;
  const root = thread.kind === 'room' ? key : '';
  const parts = [PRIVATE, ...[person, root, act].map(encodeURIComponent)];
  return { channel: CHANNEL, tenant, room, key: parts.join(BETWEEN), kind: 'direct' };
}

export function isPrivate({ key }: Pick<ThreadRef, 'key'>): boolean {
  return key.startsWith(`${PRIVATE}${BETWEEN}`);
}

/**
 * True if the asker's client can send a token there: in one-to-one chats and in group chats, but not in channels
 * (microsoft/teams.ts pull request 676) and not in Microsoft 365 Copilot (its "Known issues": no sign-in cards). In a
 * group chat, the asker gets the sign-in card in a private thread only.
 */
export function canSignIn({ kind, key }: Pick<ThreadRef, 'kind' | 'key'>): boolean {
  if (kind !== 'direct' || isCopilot({ key })) return false;
  return !isPrivate({ key }) || key.split(BETWEEN)[2] === '';
}

/** True if this person may see the thread (attack S17: use of another person's private answer). */
export function isFor(person: string, { key }: Pick<ThreadRef, 'key'>): boolean {
  return !isPrivate({ key }) || key.split(BETWEEN)[1] === encodeURIComponent(person);
}

/** Returns the conversation to which the thread's messages are sent. */
export function conversationOf({
  room,
  key,
  kind,
}: Pick<ThreadRef, 'room' | 'key' | 'kind'>): Pick<ReplyPlace, 'conversation' | 'targeted'> {
  if (isPrivate({ key })) {
    const root = key.split(BETWEEN)[2];
    return { conversation: conversationId({ room, ...(root && { root }) }), targeted: true };
  }
  // A message outside any thread has the room's id as its key.
  return { conversation: kind === 'room' && key !== room ? conversationId({ room, root: key }) : room };
}
