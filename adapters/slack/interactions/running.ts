/** The turns that run in this process, by person: for the app's home, and to find the turn of a stream. In memory. */

import { createCache } from '../../../src/kit/cache.ts';
import type { Clock, ReplyDocument, ReplyEvents, Turn } from '../../../src/kit.ts';

/** Maximum turns in memory. The oldest is dropped first: reads do not renew an entry. */
const TURNS = 5_000;
/** Drops a turn that never reported its end; no answer takes longer than ten minutes. */
const FORGET_MS = 15 * 60_000;

export interface RunningTurn {
  readonly turn: Turn;
  /** Ids of the messages that show the turn. */
  readonly messages: ReadonlySet<string>;
  readonly agent?: string | undefined;
}

interface RunningWatch {
  /** Called when a turn began or ended. */
  changed(turn: Turn): void;
  /** Called with each new document of a turn. */
  seen(turn: Turn, document: ReplyDocument): void;
}

export interface Running extends ReplyEvents {
  /** Newest first. */
  of(tenant: string, user: string): readonly RunningTurn[];
  /** The turn that a message shows while it grows. */
  showing(tenant: string, room: string, message: string): Turn | undefined;
}

interface Entry {
  readonly turn: Turn;
  readonly messages: Set<string>;
  agent?: string | undefined;
}

export function createRunning(clock: Clock, watch: RunningWatch): Running {
  const entries = createCache<Entry>({ clock, max: TURNS, ttlMs: FORGET_MS });
  return {
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
    of: (tenant, user) =>
      [...entries.values()].filter(
        ({ turn: { message } }) => message.thread.tenant === tenant && message.sender.id === user,
      ),
    showing: (tenant, room, message) =>
      [...entries.values()].find(
        ({ turn, messages }) =>
          turn.message.thread.tenant === tenant && turn.message.thread.room === room && messages.has(message),
      )?.turn,
  };
}
