/** Which messages this process wrote for which turn, so that one reply is never taken for another's. */

import { LRUCache } from 'lru-cache';
import type { TurnId } from '../../../src/kit.ts';
import type { Where } from '../api/connector.ts';

/** Messages that are remembered: those that a look-up may meet are of the last minutes. */
const MESSAGES = 20_000;

type At = Pick<Where, 'conversation'>;

export interface SentMessages {
  note(id: string, at: At, turn: TurnId): void;
  /** Whether it is known to be of another turn. */
  isOthers(id: string, at: At, turn: TurnId): boolean;
}

export function createSentMessages(): SentMessages {
  const turns = new LRUCache<string, TurnId>({ max: MESSAGES });
  const keyOf = (id: string, { conversation }: At): string => `${conversation} ${id}`;
  return {
    note(id, at, turn) {
      turns.set(keyOf(id, at), turn);
    },
    isOthers(id, at, turn) {
      const of = turns.get(keyOf(id, at));
      return of !== undefined && of !== turn;
    },
  };
}
