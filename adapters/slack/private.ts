/** Answers that only one person sees: their threads, and where the bridge delivers them. */

import { defined, plain, text } from '../../src/kit/json.ts';
import type { KeyValues, ThreadRef } from '../../src/kit.ts';

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

interface PrivateAct {
  readonly tenant: string;
  readonly room: string;
  /** The only person who sees the answer. */
  readonly user: string;
  /** Unique key of the press or command. Contains no space. */
  readonly act: string;
}

export function privateThread({ tenant, room, user, act }: PrivateAct): ThreadRef {
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

/** Where a private answer is shown. */
export interface PrivatePlace {
  /** The only person who sees the answer. */
  readonly user: string;
  /** Accepts messages to this person, for 30 min and at most 5 times; a secret. */
  readonly responseUrl?: string;
  /** The thread in which the person asked; absent for a slash command. */
  readonly threadTs?: string;
}

export type PrivatePlaces = ReturnType<typeof createPrivatePlaces>;

export function createPrivatePlaces(secrets: KeyValues) {
  const keyOf = ({ tenant, room, key }: ThreadRef) => `slack private ${tenant} ${room} ${key}`;
  return {
    keep: (thread: ThreadRef, place: PrivatePlace): Promise<void> =>
      secrets.set(keyOf(thread), place, RESPONSE_MS),
    /** Resolves with the stored place; with undefined once it has expired. */
    find: async (thread: ThreadRef): Promise<PrivatePlace | undefined> =>
      readPlace(await secrets.get(keyOf(thread))),
  };
}

function readPlace(value: unknown): PrivatePlace | undefined {
  const kept = plain(value);
  const user = text(kept.user);
  if (user === undefined) return undefined;
  return { user, ...defined({ responseUrl: text(kept.responseUrl), threadTs: text(kept.threadTs) }) };
}
