/**
 * The turns that run in this process, with their askers. The app's home lists them, and Slack's own Stop finds its turn
 * here. Held in memory only.
 */

import { createCache } from '../../../src/kit/cache.ts';
import type { Clock, ReplyDocument, ReplyEvents, Turn } from '../../../src/kit.ts';

/** Maximum turns in memory. When there are more, the one added first is dropped. */
const TURNS = 5_000;
/**
 * Age from which a turn is dropped if its end was never reported, in milliseconds. Answers take at most ten minutes.
 */
const FORGET_MS = 15 * 60_000;

export interface RunningTurn {
  readonly turn: Turn;
  /** Ids of the Slack messages that show the turn's answer. */
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
    /** Returns the person's running turns, newest first. */
    of: (tenant: string, user: string): readonly RunningTurn[] =>
      [...entries.values()].filter(
        ({ turn: { message } }) => message.thread.tenant === tenant && message.sender.id === user,
      ),
    /** Returns the turn whose answer the message shows. */
    showing: (tenant: string, room: string, message: string): Turn | undefined =>
      [...entries.values()].find(
        ({ turn, messages }) =>
          turn.message.thread.tenant === tenant && turn.message.thread.room === room && messages.has(message),
      )?.turn,
  };
}
