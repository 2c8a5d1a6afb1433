/** A note in the thread that a question waits, until its turn begins or ends. */

import type { Background } from '../../../src/kit/background.ts';
import {
  createWaitingSigns,
  type Put,
  type Taken,
  type WaitingSigns,
} from '../../../src/kit/waiting-sign.ts';
import type { AdapterHost, ThreadRef } from '../../../src/kit.ts';
import { neverCame, type Sent } from '../api/connector.ts';
import { activityOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import type { Places } from '../receive/places.ts';
import type { Posts } from './posts.ts';
import { words } from './words.ts';

/** Far fewer than Teams lets be deleted of one app and organisation. */
const PER_MINUTE = 60;

export interface WaitingParts {
  readonly posts: Posts;
  readonly places: Pick<Places, 'find'>;
  readonly host: Pick<AdapterHost, 'state' | 'waits' | 'clock' | 'log'>;
  readonly background: Background;
  /** Aborts when the adapter stops; the next process takes away what stands then. */
  readonly signal: AbortSignal;
}

/** Teams lets nobody look for a note whose sending had an unknown outcome: such a one may stay. */
export function createWaiting(parts: WaitingParts): Promise<WaitingSigns> {
  const { posts, places, host, background, signal } = parts;
  return createWaitingSigns({
    ...{ host, background, signal },
    key: 'waiting notes',
    perMinute: PER_MINUTE,
    placeOf({ message: { id, thread } }) {
      if (isPrivate(thread)) return undefined;
      return { tenant: thread.tenant, room: thread.room, on: activityOf(id) };
    },
    async put(_sign, { message: { thread } }, ahead) {
      const place = await places.find(thread).catch(() => undefined);
      if (place === undefined) return { kind: 'refused' };
      const note = { type: 'message', text: words.waiting(ahead), textFormat: 'plain' };
      return putBy(await posts.send(place, note).catch(stopped));
    },
    async take({ tenant, room, id }) {
      if (id === undefined) return { kind: 'gone' };
      const place = await places.find(roomOf(tenant, room)).catch(() => 'unknown' as const);
      if (place === 'unknown') return { kind: 'retry' };
      return place === undefined ? { kind: 'gone' } : takenBy(await posts.remove(place, id).catch(stopped));
    },
  });
}

/** Deleting needs the room alone. */
const roomOf = (tenant: string, room: string): Pick<ThreadRef, 'tenant' | 'room' | 'key' | 'kind'> => ({
  ...{ tenant, room },
  key: room,
  kind: 'group',
});

const stopped = (): Sent => ({ kind: 'unknown', reason: 'stopped' });

function putBy(sent: Sent): Put {
  if (sent.kind === 'done') return { kind: 'done', ...(sent.id !== undefined && { id: sent.id }) };
  return { kind: neverCame(sent) ? 'refused' : 'unknown' };
}

function takenBy(sent: Sent): Taken {
  if (sent.kind === 'done') return { kind: 'gone' };
  if (sent.kind !== 'refused') return { kind: 'retry' };
  const { meaning, retryAfterMs: afterMs } = sent;
  if (meaning === 'gone' || meaning === 'invalid') return { kind: 'gone' };
  return { kind: 'retry', ...(afterMs !== undefined && { afterMs }) };
}
