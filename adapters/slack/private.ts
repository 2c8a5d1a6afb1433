/** Answers that only one person sees: their threads, and how Slack lets the bridge reach that person. */

import { defined, plain, text } from '../../src/kit/json.ts';
import type { Keyed, ThreadRef } from '../../src/kit.ts';

/**
 * Time in which Slack takes answers at a response address, in milliseconds.
 * https://docs.slack.dev/interactivity/handling-user-interaction
 */
export const RESPONSE_MS = 30 * 60_000;

/** A private thread is one act of one person, whom its key names; Slack knows of no such thread. */
const PRIVATE = 'private-';

interface PrivateAct {
  readonly tenant: string;
  readonly room: string;
  /** Whom the answer is for. */
  readonly user: string;
  /** The act's unique key, without a space. */
  readonly act: string;
}

export function privateThread({ tenant, room, user, act }: PrivateAct): ThreadRef {
  return { channel: 'slack', tenant, room, key: `${PRIVATE}${user}-${act}`, kind: 'direct' };
}

export function isPrivate({ key }: Pick<ThreadRef, 'key'>): boolean {
  return key.startsWith(PRIVATE);
}

/** True if this person may see the thread: a private one is for one person only (attack S17). */
export function isFor(user: string, { key }: Pick<ThreadRef, 'key'>): boolean {
  return !isPrivate({ key }) || key.startsWith(`${PRIVATE}${user}-`);
}

/** Place of a private answer. */
export interface PrivatePlace {
  /** Whom it is for. */
  readonly user: string;
  /** Takes messages for them, for half an hour and 5 times; a secret. */
  readonly responseUrl?: string;
  /** The thread beside which it was asked; absent for a slash command. */
  readonly threadTs?: string;
}

export interface PrivatePlaces {
  keep(thread: ThreadRef, place: PrivatePlace): Promise<void>;
  /** Resolves with undefined once its time is over. */
  find(thread: ThreadRef): Promise<PrivatePlace | undefined>;
}

export function createPrivatePlaces(secrets: Keyed): PrivatePlaces {
  const keyOf = ({ tenant, room, key }: ThreadRef) => `slack private ${tenant} ${room} ${key}`;
  return {
    keep: (thread, place) => secrets.set(keyOf(thread), place, RESPONSE_MS),
    find: async (thread) => readPlace(await secrets.get(keyOf(thread))),
  };
}

function readPlace(value: unknown): PrivatePlace | undefined {
  const kept = plain(value);
  const user = text(kept.user);
  if (user === undefined) return undefined;
  return { user, ...defined({ responseUrl: text(kept.responseUrl), threadTs: text(kept.threadTs) }) };
}
