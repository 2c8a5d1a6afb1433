/** The turns that run in this process, by person: for the app's home, and to find the turn of a stream. In memory. */

import { createCache } from '../../../src/kit/cache.ts';
import type { Clock, ReplyDocument, ReplyEvents, Turn } from '../../../src/kit.ts';

/** Maximum turns in memory. The oldest is dropped first: reads do not renew an entry. */
const TURNS = 5_000;
/** Age at which a turn that never reported its end is dropped, in milliseconds; answers take at most ten minutes. */
const FORGET_MS = 15 * 60_000;

export interface RunningTurn {
  readonly turn: Turn;
  /** Ids of the messages that show the turn. */
  readonly messages: Set<string>;
  agent?: string | undefined;
}

interface RunningWatch {
  /** Called when a turn began or ended. */
  changed(turn: Turn): void;
  /** Called with each new document of a turn. */
  seen(turn: Turn, document: ReplyDocument): void;
}

export type Running = ReturnType<typeof createRunning>;

export function createRunning(clock: Clock, watch: RunningWatch) {
  const entries = createCache<RunningTurn>({ clock, max: TURNS, ttlMs: FORGET_MS });
  const events: ReplyEvents = {
    began(turn) {
      entries.set(turn.id, { turn, messages: new Set(), agent: turn.agent });
      watch.changed(turn);
    },
    documentChanged(turn, document) {
      const entry = entries.peek(turn.id);
      if (entry !== undefined) entry.agent = document.agent;
      watch.seen(turn, document);
    },
    messageShown: (turn, { id }) => void entries.peek(turn.id)?.messages.add(id),
    ended(turn) {
      if (entries.delete(turn.id)) watch.changed(turn);
    },
  };
  return {
    ...events,
    /** Newest first. */
    of: (tenant: string, user: string): readonly RunningTurn[] =>
      [...entries.values()].filter(
        ({ turn: { message } }) => message.thread.tenant === tenant && message.sender.id === user,
      ),
    /** The turn that a message shows while it grows. */
    showing: (tenant: string, room: string, message: string): Turn | undefined =>
      [...entries.values()].find(
        ({ turn, messages }) =>
          turn.message.thread.tenant === tenant && turn.message.thread.room === room && messages.has(message),
      )?.turn,
  };
}
