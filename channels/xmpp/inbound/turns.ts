/** Stops endless conversations with programs that answer every message. */

import { LRUCache } from 'lru-cache';
import type { Clock } from 'parley/kit';

/** A message that follows an answer within this many milliseconds was probably sent by a program. */
const QUICK_MS = 2_000;
/** Number of such messages in a row after which the sender gets no answers for `SILENT_MS`. */
const MOST = 5;
/** Time for which the sender gets no answers, in milliseconds. */
const SILENT_MS = 10 * 60_000;
/** Maximum number of conversations in memory. */
const KNOWN = 10_000;

interface Conversation {
  answeredAt: number;
  quick: number;
  silentUntil: number;
}

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(clock: Clock) {
  const known = new LRUCache<string, Conversation>({ max: KNOWN });
  const of = (conversation: string): Conversation => {
    const found = known.get(conversation) ?? {
      answeredAt: Number.NEGATIVE_INFINITY,
      quick: 0,
      silentUntil: 0,
    };
    known.set(conversation, found);
    return found;
  };
  return {
    /** Notes that the bridge has shown something in the conversation. */
    answered(conversation: string) {
      of(conversation).answeredAt = clock.now();
    },
    /**
     * Counts a message to the bridge. `last`: the sender is told that the bridge stops answering; `silent`: the message
     * must not be answered.
     * @param isProgram true if the sender's client has said that it is a program
     */
    asked(conversation: string, isProgram: boolean) {
      const found = of(conversation);
      const now = clock.now();
      if (now < found.silentUntil) return 'silent';
      found.quick = now - found.answeredAt < QUICK_MS ? found.quick + 1 : 0;
      if (found.quick < MOST && !isProgram) return 'normal';
      found.quick = 0;
      found.silentUntil = now + SILENT_MS;
      return 'last';
    },
  };
}
