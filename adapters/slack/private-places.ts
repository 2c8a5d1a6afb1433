/** Answers that only one person sees: their threads, and where the bridge delivers them. */

import { z } from 'zod';
import { type KeyValues, ownerIn } from '../../src/kit/ladder.ts';
import type { ThreadRef } from '../../src/kit.ts';

/**
 * Time for which Slack accepts messages at a response URL, in milliseconds.
 * https://docs.slack.dev/interactivity/handling-user-interaction
 */
export const RESPONSE_MS = 30 * 60_000;

/**
 * Prefix of the key of a private thread. Such a thread exists only in the bridge; its key contains the ids of the
 * person and of one press or command.
 */
const PRIVATE = 'private-';

/**
 * Returns the thread of an answer that only this person sees.
 * @param act unique key of the press or command; contains no space
 */
export function privateThread(tenant: string, room: string, user: string, act: string): ThreadRef {
  return { channel: 'slack', tenant, room, key: `${PRIVATE}${user}-${act}`, kind: 'direct' };
}

export function isPrivate({ key }: Pick<ThreadRef, 'key'>): boolean {
  return key.startsWith(PRIVATE);
}

/**
 * True if this person may see the thread. A private thread is for one person only (attack S17: use of another person's
 * private answer).
 */
export function isFor(user: string, { key }: Pick<ThreadRef, 'key'>): boolean {
  return !isPrivate({ key }) || key.startsWith(`${PRIVATE}${user}-`);
}

const filled = z.string().min(1);

/** Where a private answer is shown. */
const place = z.object({
  /** The only person who sees the answer. */
  user: filled,
  /** Accepts messages to this person, for 30 min and at most 5 times; a secret. */
  responseUrl: filled.exactOptional(),
  /** The thread in which the person asked; absent for a slash command. */
  threadTs: filled.exactOptional(),
});

export type PrivatePlace = z.output<typeof place>;

export type PrivatePlaces = ReturnType<typeof createPrivatePlaces>;

export function createPrivatePlaces(secrets: KeyValues) {
  const keyOf = ({ tenant, room, key }: ThreadRef) => `slack private ${tenant} ${room} ${key}`;
  return {
    keep: (thread: ThreadRef, stored: PrivatePlace): Promise<void> =>
      secrets.set(keyOf(thread), stored, RESPONSE_MS, ownerIn(thread, stored.user)),
    /** Resolves with the stored place; with undefined once it has expired. */
    find: async (thread: ThreadRef): Promise<PrivatePlace | undefined> =>
      place.safeParse(await secrets.get(keyOf(thread))).data,
  };
}
