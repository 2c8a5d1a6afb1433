/** The interface between the bridge and a channel's adapter. */

import type { Exchange } from '../agents/agent.ts';
import type { AgentName } from '../ids.ts';
import type { FileRef, Message } from '../message.ts';
import type { ReplyDocument, ReplyState } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';
import type { Turn } from '../turn.ts';
import type { AdapterHost } from './host.ts';
import type { FamilyLimit } from './limits.ts';

/** Optional abilities of a channel. */
export interface Abilities {
  /** Posts "waiting" notices; `ahead` is the number of questions before this one. */
  readonly waiting?: { say(turn: Turn, ahead: number): Promise<void> };
  readonly lookup?: Lookup;
  /**
   * Returns the state in which the turn's reply ended, read from the channel's own store; undefined while it is open.
   * An ended turn does not run again: its inbox row comes from an older copy, or a crash lost the end.
   */
  readonly ended?: (turn: Turn) => ReplyState | undefined;
}

/**
 * Look-ups of facts that an event lacks. They run with the turn, because an acknowledgement must not wait for the
 * network.
 */
export interface Lookup {
  /**
   * Returns the message with its sender's name and standing, and with the preceding messages as quotes. Throws
   * `access-denied` if the channel cannot identify the sender.
   */
  complete(message: Message, signal: AbortSignal): Promise<Message>;
  /**
   * Returns the thread's earlier exchanges with the agent, oldest first and bounded, for agents without sessions. If a
   * channel has this function, the bridge stores no text of exchanges.
   */
  readonly history?: (
    message: Message,
    agent: AgentName,
    signal: AbortSignal,
  ) => Promise<readonly Exchange[]>;
}

export interface ChannelAdapter<Request, Response> {
  readonly name: string;
  /** Rate limits by family. */
  readonly limits: Readonly<Record<string, FamilyLimit>>;
  readonly abilities: Abilities;
  start(host: AdapterHost<Request, Response>): Promise<void>;
  stop(): Promise<void>;
  /**
   * Rejects with `store-unavailable` if the channel's own store accepts no write. Absent if the channel has no store.
   */
  probe?(): Promise<void>;
  writer(turn: Turn): ReplyWriter;
  /** Returns the whole content, at most `limit` bytes. Throws `image-refused` if there is more. */
  openFile(file: FileRef, limit: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** The adapter's side of pacing. `next`, `after` and `resume` are pure. */
export interface ReplyWriter {
  /** Minimum calls, by family, that every reply needs for its end. They are reserved from the reply's beginning. */
  readonly ends?: Readonly<Record<string, number>>;
  /** Returns the screen of a reply that shows nothing yet. */
  blank(): Screen;
  /**
   * Returns alternative calls, best first; each of them brings the screen closer to the document, and the budgets
   * decide which one is made. Returns none if the screen shows the whole document, or if waiting for more text is
   * better.
   */
  next(screen: Screen, document: ReplyDocument, now: number): readonly Move[];
  /** Returns the screen after the call. Only this function changes the rung. */
  after(screen: Screen, move: Move, outcome: Outcome, now: number): Screen;
  perform(move: Move, signal: AbortSignal): Promise<Outcome>;
  /** Returns the screen for a process that takes the reply over, so that no part counts as sure. */
  resume(screen: Screen): Screen;
}
