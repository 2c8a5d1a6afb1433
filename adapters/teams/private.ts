/** Answers in chats and channels that Teams shows to one person only: their threads. */

import type { ThreadRef } from '../../src/kit.ts';
import type { ReplyPlace, TeamsPlace } from './activity.ts';
import { CHANNEL, conversationId } from './ids.ts';
import type { Places } from './receive/places.ts';

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

/** Places in which private threads are known, too. */
export function withPrivate(places: Places): Places & {
  find(thread: Pick<ThreadRef, 'tenant' | 'room' | 'key' | 'kind'>): Promise<ReplyPlace | undefined>;
} {
  return {
    ...places,
    async find(thread) {
      if (!isPrivate(thread)) return places.find(thread);
      const { tenant, room, key } = thread;
      const place = await places.find({ tenant, room, key: room, kind: 'group' });
      return place && { ...place, conversation: conversationOf(room, key), targeted: true };
    },
  };
}

function conversationOf(room: string, key: string): TeamsPlace['conversation'] {
  const root = key.split(BETWEEN)[2];
  return conversationId({ room, ...(root && { root }) });
}
