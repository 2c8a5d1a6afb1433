/** Sends messages and waits until the server has accepted them. */

import { defined, type Log, type ThreadRef } from 'parley/kit';
import { type LadderResult, orAborted, timeLimit } from 'parley/kit/ladder';
import { bareOf, NS, resourceOf } from './protocol.ts';
import type { Rooms } from './rooms.ts';
import { type Connection, errorIn } from './stream/connection.ts';
import { childOf, childrenOf, type Element } from './stream/xml.ts';

/** Maximum milliseconds until the server confirms a message. A slow server needs seconds to read a long message. */
const CONFIRM_MS = 20_000;
/** Pause before a message is sent again that the server refused for a moment, in milliseconds. */
export const BUSY = { kind: 'refused', why: 'busy', retryAfterMs: 1_000 } as const;
const RATE = { kind: 'refused', why: 'rate', retryAfterMs: 2_000 } as const;

/**
 * Errors with which ejabberd returns a message that must not be stored, if the recipient is offline; prosody returns
 * none. They count as success, so that the answer goes on: its end is stored in the archive.
 */
const OFFLINE: ReadonlySet<string> = new Set(['service-unavailable', 'recipient-unavailable']);
/** The outcome of sending a message. `stanzaId`: the id that the room gave the message. */
export type Delivered = LadderResult & { readonly stanzaId?: string };

interface Waiting {
  readonly to: string;
  /** True if the server must not store the message (XEP-0334), so that only a person who is online gets it. */
  readonly isTransient: boolean;
  readonly answer: PromiseWithResolvers<Delivered>;
}

export type Deliver = ReturnType<typeof createDeliver>;

type Sending = Pick<Connection, 'isOnline' | 'send' | 'handled'>;
type Joining = Pick<Rooms, 'find' | 'rejoin'>;

export function createDeliver(connection: Sending, rooms: Joining, log: Log) {
  const waiting = new Map<string, Waiting>();
  return {
    async send(message: Element, { kind, room }: ThreadRef, signal: AbortSignal): Promise<Delivered> {
      const id = message.attrs.id ?? '';
      const isDirect = kind === 'direct';
      const state = isDirect ? 'joined' : (rooms.find(room)?.state ?? 'closed');
      if (state === 'closed') return { kind: 'refused', why: 'gone', detail: 'not in the room' };
      if (!connection.isOnline() || state !== 'joined') return BUSY;
      const answer = Promise.withResolvers<Delivered>();
      const isTransient = isDirect && childOf(message, 'no-store', NS.hints) !== undefined;
      waiting.set(id, { to: room, isTransient, answer });
      const late = AbortSignal.any([signal, timeLimit(CONFIRM_MS)]);
      let isSent = false;
      try {
        connection.send(message);
        isSent = true;
        // A room confirms a message by sending it back. A direct message is confirmed when the server has handled it.
        const handled = connection
          .handled(late)
          .then((): Delivered | Promise<Delivered> => (isDirect ? { kind: 'done', id } : answer.promise));
        return await orAborted(Promise.race([answer.promise, handled]), late);
      } catch {
        signal.throwIfAborted();
        return isSent ? { kind: 'unknown' } : BUSY;
      } finally {
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
        const { condition } = errorIn(message);
        const isOffline = found.isTransient && OFFLINE.has(condition);
        found.answer.resolve(isOffline ? { kind: 'done', id } : refusalOf(condition, found.to, rooms, log));
        return true;
      }
      if (type !== 'groupchat' || resourceOf(from) !== rooms.find(found.to)?.nick) return false;
      const ids = childrenOf(message, 'stanza-id', NS.stanzaId);
      const stanzaId = ids.find(({ attrs }) => attrs.by === found.to)?.attrs.id;
      found.answer.resolve({ kind: 'done', id, ...defined({ stanzaId }) });
      return true;
    },
  };
}

/** Translates the server's refusal of a message. Joins a room again that no longer knows the account. */
function refusalOf(condition: string, room: string, rooms: Joining, log: Log): Delivered {
  log.debug({ room, condition }, 'the XMPP server refused a message');
  const inside = rooms.find(room);
  if (condition === 'not-acceptable' && inside !== undefined) {
    rooms.rejoin(inside);
    return BUSY;
  }
  if (/^(?:resource-constraint|policy-violation)$/.test(condition)) return RATE;
  if (/^(?:internal-server-error|remote-server-timeout|undefined-condition)$/.test(condition)) return BUSY;
  return { kind: 'refused', why: 'gone', detail: condition };
}
