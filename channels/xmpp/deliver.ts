/** Sends messages and waits until the server has accepted them. */

import { type Log, type ThreadRef, timeLimit } from 'parley/kit';
import type { LadderResult } from 'parley/kit/ladder';
import { bareOf, NS, resourceOf } from './protocol.ts';
import type { Rooms } from './rooms.ts';
import { type Connection, errorIn, LostSession } from './stream/connection.ts';
import { childOf, childrenOf, type Element } from './stream/xml.ts';

/** Maximum milliseconds until the server confirms a message. A slow server needs seconds to read a long message. */
const CONFIRM_MS = 20_000;
/** Pause before a message is sent again that the server refused for a moment, in milliseconds. */
const BUSY_MS = 1_000;
const RATE_MS = 2_000;

/**
 * Errors with which ejabberd returns a message that must not be stored, if the recipient is offline; prosody returns
 * none. They count as success, so that the answer goes on: its end is stored in the archive.
 */
const OFFLINE: ReadonlySet<string> = new Set(['service-unavailable', 'recipient-unavailable']);

/** The outcome of sending a message. `stanzaId`: the id that the room gave the message. */
export type Delivered = LadderResult & { readonly stanzaId?: string };

export type Deliver = ReturnType<typeof createDeliver>;

interface DeliverDeps {
  readonly connection: () => Connection;
  readonly rooms: Rooms;
  readonly log: Log;
}

interface WaitingMessage {
  readonly to: string;
  /** True if the server must not store the message (XEP-0334), so that only a person who is online gets it. */
  readonly isTransient: boolean;
  readonly answer: PromiseWithResolvers<Delivered>;
}

type Waiting = Map<string, WaitingMessage>;

export function createDeliver(deps: DeliverDeps) {
  const { connection, rooms } = deps;
  const waiting: Waiting = new Map();
  return {
    async send(message: Element, { kind, room }: ThreadRef, signal: AbortSignal): Promise<Delivered> {
      const id = message.attrs.id ?? '';
      const inside = kind === 'direct' ? undefined : rooms.find(room);
      if (kind !== 'direct' && (inside === undefined || inside.state === 'closed'))
        return { kind: 'refused', why: 'gone', detail: 'not in the room' };
      const isOpen = connection().isOnline() && (inside === undefined || inside.state === 'joined');
      if (!isOpen) return { kind: 'refused', why: 'busy', retryAfterMs: BUSY_MS };
      const answer = Promise.withResolvers<Delivered>();
      const isTransient = kind === 'direct' && childOf(message, 'no-store', NS.hints) !== undefined;
      waiting.set(id, { to: room, isTransient, answer });
      const late = AbortSignal.any([signal, timeLimit(CONFIRM_MS)]);
      const unknown = (): void => answer.resolve({ kind: 'unknown' });
      late.addEventListener('abort', unknown, { once: true });
      try {
        connection().send(message);
        // A room confirms a message by sending it back. A direct message is confirmed when the server has handled it.
        const handled = connection().handled(late);
        handled.then(() => kind === 'direct' && answer.resolve({ kind: 'done', id }), unknown);
        const delivered = await answer.promise;
        signal.throwIfAborted();
        return delivered;
      } catch (thrown) {
        if (!(thrown instanceof LostSession)) throw thrown;
        return { kind: 'refused', why: 'busy', retryAfterMs: BUSY_MS };
      } finally {
        late.removeEventListener('abort', unknown);
        waiting.delete(id);
      }
    },
    /**
     * Handles a message from the server about a message that the bridge sent: the copy that a room sends back, or an
     * error. Returns false for any other message.
     */
    take(message: Element) {
      const { id = '', from = '', type } = message.attrs;
      const found = waiting.get(id);
      if (found === undefined || bareOf(from) !== found.to) return type === 'error';
      if (type === 'error') {
        const isOffline = found.isTransient && OFFLINE.has(errorIn(message).condition);
        found.answer.resolve(isOffline ? { kind: 'done', id } : refusalOf(found.to, message, deps));
        return true;
      }
      if (type !== 'groupchat' || resourceOf(from) !== rooms.find(found.to)?.nick) return false;
      const stanzaId = childrenOf(message, 'stanza-id', NS.stanzaId).find(
        ({ attrs }) => attrs.by === found.to,
      )?.attrs.id;
      found.answer.resolve({ kind: 'done', id, ...(stanzaId !== undefined && { stanzaId }) });
      return true;
    },
  };
}

/** Translates the server's refusal of a message. Joins a room again that no longer knows the account. */
function refusalOf(room: string, message: Element, { rooms, log }: DeliverDeps): Delivered {
  const { condition } = errorIn(message);
  log.debug({ room, condition }, 'the XMPP server refused a message');
  const inside = rooms.find(room);
  if (condition === 'not-acceptable' && inside !== undefined) {
    rooms.rejoin(inside);
    return { kind: 'refused', why: 'busy', retryAfterMs: BUSY_MS };
  }
  if (/^(?:resource-constraint|policy-violation)$/.test(condition))
    return { kind: 'refused', why: 'rate', retryAfterMs: RATE_MS };
  if (/^(?:internal-server-error|remote-server-timeout|undefined-condition)$/.test(condition))
    return { kind: 'refused', why: 'busy', retryAfterMs: BUSY_MS };
  return { kind: 'refused', why: 'gone', detail: condition };
}
