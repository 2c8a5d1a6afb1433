/** Channels as the bridge sees them. */

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
  /** Says that a question waits its turn; `ahead` counts the questions before it. */
  readonly waiting?: { say(turn: Turn, ahead: number): Promise<void> };
  readonly lookup?: Lookup;
  /**
   * Returns how the turn's reply has ended in the channel's own store; undefined while it has not. Such a turn is not
   * run again: the inbox that still holds it is an older copy, or lost its end in a crash.
   */
  readonly ended?: (turn: Turn) => ReplyState | undefined;
}

/**
 * Look-ups of facts that an event lacks, made when the turn runs, because no acknowledgement may wait for the network.
 */
export interface Lookup {
  /**
   * The message with its sender's name and standing, and what people said before it as quotes. Throws `access-denied`
   * where nobody can tell who asks.
   */
  complete(message: Message, signal: AbortSignal): Promise<Message>;
  /**
   * The thread's earlier exchanges with the agent, oldest first and bounded, for agents without sessions. Where a
   * channel has it, no text of an exchange is kept.
   */
  readonly history?: (
    message: Message,
    agent: AgentName,
    signal: AbortSignal,
  ) => Promise<readonly Exchange[]>;
}

export interface ChannelAdapter<Request, Response> {
  readonly name: string;
  /** By move family. */
  readonly limits: Readonly<Record<string, FamilyLimit>>;
  readonly abilities: Abilities;
  start(host: AdapterHost<Request, Response>): Promise<void>;
  stop(): Promise<void>;
  /** Rejects with `store-unavailable` if the channel's own store takes no write. Absent if it has none. */
  probe?(): Promise<void>;
  writer(turn: Turn): ReplyWriter;
  /** The whole content, at most `limit` bytes; more is refused with `image-refused`. */
  openFile(file: FileRef, limit: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** The adapter's half of pacing. `next`, `after` and `resume` are pure. */
export interface ReplyWriter {
  /** Calls that any reply needs for its end at the least, by family: held for it from its beginning. */
  readonly ends?: Readonly<Record<string, number>>;
  /** A screen on which nothing is shown yet. */
  blank(): Screen;
  /**
   * The calls of which any one would bring the screen nearer the document, the best first: the budgets decide which
   * is made. None when the screen shows the whole document, or when it is better to wait for more text.
   */
  next(screen: Screen, document: ReplyDocument, now: number): readonly Move[];
  /** Returns the screen after the call. Only this function changes the rung. */
  after(screen: Screen, move: Move, outcome: Outcome, now: number): Screen;
  perform(move: Move, signal: AbortSignal): Promise<Outcome>;
  /** After a takeover: nothing is sure any more. */
  resume(screen: Screen): Screen;
}
