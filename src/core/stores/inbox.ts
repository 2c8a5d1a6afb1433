/** The durable store of turns. */

import type { AgentName, LaneKey, TurnId } from '../ids.ts';
import type { Message, Origin } from '../message.ts';
import type { Screen } from '../screen.ts';
import type { Interruption, Phase, Terminal, Turn } from '../turn.ts';

/** A turn as intake hands it over. */
export interface NewTurn {
  readonly id: TurnId;
  /** Unique: a second turn of the same origin is a duplicate. */
  readonly originKey: string;
  readonly origin: Origin;
  readonly lane: LaneKey;
  readonly message: Message;
  /** By what edits and deletions of the question find this turn; absent for a turn that asks nothing. */
  readonly messageKey?: string;
  /** Goes on in the reply of this turn: it takes over the newest screen of that reply when it is claimed. */
  readonly follows?: TurnId;
}

export type Added =
  /** `ahead`: turns of the lane that are waiting or running before this one, but for those of its own reply. */
  | { readonly kind: 'added'; readonly ahead: number }
  | { readonly kind: 'duplicate'; readonly id: TurnId }
  /** The message was deleted before it came; nothing was kept. */
  | { readonly kind: 'withdrawn' }
  /** The lane holds its limit of waiting turns; nothing was kept. */
  | { readonly kind: 'full'; readonly waiting: number };

/** `unknown`: no earlier revision was asked, and nothing was kept. */
export type Superseded = Added | { readonly kind: 'unknown' };

export interface Waiting {
  readonly turn: Turn;
  /** Turns of its lane that are waiting or running before it. */
  readonly ahead: number;
}

/** The right to work on a turn, fenced by (owner, attempt). */
export interface Claim {
  readonly turn: Turn;
  readonly owner: string;
  /** Answer text that an earlier attempt recorded; empty for the first. */
  readonly text: string;
  /** When the lease ends unless renewed. */
  readonly until: number;
  /** The turn was interrupted while it waited: only its end is to be shown. */
  readonly interruption?: Interruption;
  /** True if the store could not read all of the turn: the reply is ended without asking the question. */
  readonly damaged?: boolean;
}

/** State of a turn that a crash must not lose; absent members stay as they are. */
export interface Checkpoint {
  readonly phase?: Phase;
  readonly screen?: Screen;
  readonly agent?: AgentName;
  readonly account?: string;
  readonly session?: string;
  readonly chatRecord?: string;
  /** Replaces the recorded text from `at` (UTF-16 units). */
  readonly text?: { readonly at: number; readonly text: string };
}

/** Milliseconds since the epoch before which a turn was kept. */
export interface KeptBefore {
  /** Of those that wait for another turn of their lane. */
  readonly behind: number;
  /** Of those that may begin, and wait for the bridge alone. */
  readonly ready: number;
}

/**
 * The durable store of turns; its claim rule is the per-thread queue: the oldest waiting turn whose lane has none
 * running, and whose reply no other turn writes just now. Every promise resolves only after the change is on disk
 * (writes of one moment share one commit). Rejects with `store-unavailable` when the store cannot write.
 */
export interface Inbox {
  add(turn: NewTurn): Promise<Added>;
  claim(owner: string): Promise<Claim | undefined>;
  /**
   * Renews the lease. Resolves to `held`, `lost`, or the interruption that should end the turn. Rejects if the outcome
   * is unknown and another process may hold the claim; a store that only this process can open resolves to `held`.
   */
  renew(claim: Claim): Promise<'held' | 'lost' | Interruption>;
  checkpoint(claim: Claim, checkpoint: Checkpoint): Promise<'held' | 'lost'>;
  /** Back to waiting, at its old place in the lane; its checkpoint stays. */
  release(claim: Claim): Promise<'released' | 'lost'>;
  /**
   * Ends the turn; recorded text and the message's text are deleted, the screen stays. `superseded`: it ended as
   * that, because its question was edited. `withdrawn`: it did not end but waits, to be claimed at once and take its
   * reply away, because its question was deleted.
   */
  settle(claim: Claim, state: Terminal): Promise<'settled' | 'lost' | 'superseded' | 'withdrawn'>;
  /**
   * Keeps a newer revision of a question, and ends the asking of earlier ones with it: a waiting turn is replaced at
   * its place in the lane, a running one interrupted, an ended one followed. The new turn goes on in the same reply.
   * `duplicate` also for a revision that is not newer.
   */
  supersede(turn: NewTurn): Promise<Superseded>;
  /**
   * The message was deleted. Turns of its replies that wait or run are interrupted; for a reply that has ended
   * `turnFor` makes the turn that takes it away. A message of this key that comes later is not kept. Resolves with
   * how many replies are taken away.
   */
  withdraw(messageKey: string, turnFor: (newest: Turn) => NewTurn): Promise<number>;
  /**
   * Asks the running turn to end. A waiting one is marked: it is claimed next, whatever its lane does, and its
   * claim carries the reason, so that its end is shown at once. `none` when it is neither.
   */
  interrupt(
    id: TurnId,
    why: Extract<Interruption, { kind: 'stop' }>,
  ): Promise<'running' | 'waiting' | 'none'>;
  find(id: TurnId): Promise<Turn | undefined>;
  /** The newest turn that asked the message in its own reply. */
  ofMessage(messageKey: string): Promise<Turn | undefined>;
  /** The newest turn of the reply that this turn belongs to. */
  newestOfReply(id: TurnId): Promise<Turn | undefined>;
  /** The running turn of a lane, else its oldest waiting one. */
  current(lane: LaneKey): Promise<Turn | undefined>;
  waiting(lane: LaneKey): Promise<number>;
  /** Waiting turns whose wait nobody was told of yet, at most `limit`; each is given once. */
  takeUnannounced(kept: KeptBefore, limit: number): Promise<readonly Waiting[]>;
  /** Number of waiting and running turns, for metrics and readiness. */
  counts(): Promise<{ readonly waiting: number; readonly running: number }>;
  /** At start: turns of this owner's earlier life go back to waiting at once. Returns how many. */
  recover(owner: string): Promise<number>;
  /** Turns whose lease ended, whoever held it, go back to waiting. Returns how many. */
  expire(): Promise<number>;
  /** Drops settled turns that ended before `before`; returns how many. */
  prune(before: number): Promise<number>;
  /** Calls back whenever a turn may have become claimable or was interrupted; returns the way to stop listening. */
  onSignal(listener: (signal: InboxSignal) => void): () => void;
  close(): Promise<void>;
}

export type InboxSignal =
  | { readonly kind: 'claimable' }
  | { readonly kind: 'interrupted'; readonly id: TurnId; readonly why: Interruption };
