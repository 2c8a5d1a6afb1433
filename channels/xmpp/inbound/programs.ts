/** Keeps programs from answering each other for ever: those that say what they are, and those that answer at once. */

import { LRUCache } from 'lru-cache';
import type { Clock } from 'parley/kit';
import { discover, NS } from '../protocol.ts';
import { words } from '../render/words.ts';
import type { Requests } from '../stream/connection.ts';
import { childrenOf } from '../stream/xml.ts';

/** Maximum number of senders and conversations in memory. */
const KNOWN = 10_000;
/** Time after which a sender's client is asked again what it is, in milliseconds. */
const KNOWN_MS = 60 * 60_000;
/** A message that follows an answer within this many milliseconds was probably sent by a program. */
const QUICK_MS = 2_000;
/** Number of such messages in a row after which the sender gets no answers for `SILENT_MS`. */
const MOST = 5;
/** Time for which the sender gets no answers, in milliseconds. */
const SILENT_MS = 10 * 60_000;

export type Programs = ReturnType<typeof createPrograms>;

export function createPrograms(connection: Requests, clock: Clock, signal: AbortSignal) {
  const senders = new LRUCache<string, { isProgram: boolean }>({ max: KNOWN, ttl: KNOWN_MS });
  const conversations = new LRUCache<string, { answeredAt: number; quick: number; silentUntil: number }>({
    max: KNOWN,
    memoMethod: () => ({ answeredAt: Number.NEGATIVE_INFINITY, quick: 0, silentUntil: 0 }),
  });
  /** Asks a client in the background what it is (XEP-0030). Most answer within a second; some never do. */
  const examine = async (from: string): Promise<void> => {
    if (senders.has(from) || !connection.isOnline()) return;
    const found = { isProgram: false };
    senders.set(from, found);
    const { query } = await discover(from, connection, signal);
    const identities = childrenOf(query, 'identity', NS.discoInfo);
    found.isProgram = identities.some(({ attrs }) => attrs.category === 'client' && attrs.type === 'bot');
  };
  /** True if the sender's client has said that it is a program. */
  const has = (from: string): boolean => senders.get(from)?.isProgram === true;
  return {
    has,
    /** Notes that the bridge has shown something in the conversation. */
    answered(conversation: string) {
      conversations.memo(conversation).answeredAt = clock.now();
    },
    /**
     * Counts a message to the bridge. Returns the sentence with which the conversation ends, or `silent` if it has
     * ended; undefined if the message may be answered.
     */
    asked(conversation: string, from: string) {
      const isProgram = has(from);
      void examine(from).catch(() => undefined);
      const found = conversations.memo(conversation);
      const now = clock.now();
      if (now < found.silentUntil) return 'silent';
      found.quick = now - found.answeredAt < QUICK_MS ? found.quick + 1 : 0;
      if (found.quick < MOST && !isProgram) return undefined;
      found.quick = 0;
      found.silentUntil = now + SILENT_MS;
      return isProgram ? words.programs : words.tooManyTurns;
    },
  };
}
