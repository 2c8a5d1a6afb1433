/** Turns as the inbox stores them. */

import type { AgentName, LaneKey, TurnId } from '../ids.ts';
import type { Screen } from '../screen.ts';
import type { Interruption, Terminal, Turn } from '../turn.ts';
import type { TurnFacts } from './audit.ts';

/** A turn as intake passes it to the inbox. */
export interface NewTurn extends Pick<Turn, 'id' | 'origin' | 'lane' | 'message'> {
  /** Unique: a second turn with the same origin is a duplicate. */
  readonly originKey: string;
  /** Key by which edits and deletions of the question find this turn; absent if the turn asks no question. */
  readonly messageKey?: string;
  /**
   * A turn of the reply that this turn continues. When claimed, this turn takes over the newest screen of that reply.
   */
  readonly follows?: TurnId;
}

export type Added =
  /** `ahead`: number of earlier turns in the lane that wait or run. Turns of the same reply do not count. */
  | { readonly kind: 'added'; readonly ahead: number }
  | { readonly kind: 'duplicate'; readonly id: TurnId }
  /** The message was deleted before it arrived; nothing was stored. */
  | { readonly kind: 'withdrawn' }
  /** The lane already has its maximum number of waiting turns; nothing was stored. */
  | { readonly kind: 'full'; readonly waiting: number };

/** `unknown`: no earlier revision of the message was asked; nothing was stored. */
export type Superseded = Added | { readonly kind: 'unknown' };

export interface Waiting {
  readonly turn: Turn;
  /** Number of waiting and running turns before this turn in its lane. */
  readonly ahead: number;
}

/** The right of one process to run a turn. The store accepts writes only with the claim's current owner and attempt. */
export interface Claim {
  readonly turn: Turn;
  readonly owner: string;
  /** Answer text that an earlier attempt recorded; empty in the first attempt. */
  readonly text: string;
  /** Time at which the lease ends unless it is renewed. */
  readonly until: number;
  /** Set if the turn was interrupted while it waited; the reply then only shows its end. */
  readonly interruption?: Interruption;
  /**
   * True if the store could not read the whole turn. The reply is then ended, and the question is not asked.
   */
  readonly damaged?: boolean;
}

/** State of a running turn that must survive a crash. Absent properties stay unchanged. */
export interface Checkpoint
  extends Partial<Pick<Turn, 'phase' | 'screen' | 'agent' | 'account' | 'session' | 'chatRecord'>> {
  /** Replaces the recorded text from `at`, an offset in UTF-16 units. */
  readonly text?: { readonly at: number; readonly text: string };
}

/** Selects turns that were stored before these times, in milliseconds since the epoch. */
export interface KeptBefore {
  /** Limit for turns that wait behind another turn of their lane. */
  readonly behind: number;
  /** Limit for turns that could start but wait for a free worker. */
  readonly ready: number;
}

export interface TurnCounts {
  /** Number of waiting turns, including postponed ones. */
  readonly waiting: number;
  /** Number of postponed turns; absent if there are none. */
  readonly postponed?: number;
  readonly running: number;
}

/** Describes why a turn is postponed. */
export interface Postponement {
  /** The agent whose platform is down. */
  readonly agent: AgentName;
  /**
   * True if the platform was asked and failed. This turn then resumes after all turns that were postponed before it, so
   * that a question that always fails does not delay others.
   */
  readonly asked: boolean;
}

export interface ReplyScreen {
  /** The first turn of the reply. */
  readonly reply: TurnId;
  readonly screen: Screen;
}

/**
 * The durable store of turns. It makes each thread a queue: a claim returns the oldest waiting turn whose lane has no
 * running turn and whose reply is not being written by another turn. Every promise resolves only after the change is
 * on disk (concurrent writes share one commit), and rejects with `store-unavailable` if the store cannot write. An
 * inbox belongs to one process, so all of its claims have the same owner.
 */
export interface Inbox {
  /**
   * True if other processes can open the store. Another process may then take over a reply at any time, and it knows only
   * what is stored, so text is shown only after its checkpoint is stored.
   */
  readonly isShared: boolean;
  add(turn: NewTurn): Promise<Added>;
  claim(): Promise<Claim | undefined>;
  /**
   * Renews the lease. Resolves to `held`, to `lost`, or to the interruption that should end the turn. Rejects if the
   * outcome is unknown. An unknown outcome does not end the turn; `holdsLease` tells whether its reply may still be
   * written. If only this process can open the store, resolves to `held` where it would otherwise reject.
   */
  renew(claim: Claim): Promise<'held' | 'lost' | Interruption>;
  /**
   * True while no other process can have taken over the claim's turn. Read before each call to a channel, because a
   * reply must have one writer. Always true for a store that only this process can open.
   */
  holdsLease(claim: Claim): boolean;
  checkpoint(claim: Claim, checkpoint: Checkpoint): Promise<'held' | 'lost'>;
  /** Puts the turn back to its position in the lane. Its checkpoint is kept. */
  release(claim: Claim): Promise<'released' | 'lost'>;
  /**
   * Puts the turn back to its position in the lane, like `release`, but the turn cannot be claimed before `resume` or
   * an interruption. `takeUnannounced` does not return it. A turn that was interrupted is released instead.
   */
  postpone(claim: Claim, why: Postponement): Promise<'postponed' | 'lost'>;
  /**
   * Makes at most `limit` postponed turns ready to be claimed, oldest question first. Skips turns of the agents in
   * `except`. Resolves with the number of turns that were made ready.
   */
  resume(limit: number, except: readonly AgentName[]): Promise<number>;
  /**
   * Interrupts postponed turns that were stored before `before`, with the reason `expired`, so that each question gets
   * a reply that says why there is no answer. Skips turns of the agents in `except`. Resolves with the number of these
   * turns.
   */
  expirePostponed(before: number, except: readonly AgentName[]): Promise<number>;
  /**
   * Ends the turn, deletes its recorded text and the message's text, and keeps the screen. `superseded`: the question
   * was edited, so the turn ended in that state. `withdrawn`: the question was deleted, so the turn waits for its
   * next claim, which removes the reply. An ended turn adds one record to the audit, in the same transaction.
   * @param facts what the record contains besides the stored turn
   */
  settle(
    claim: Claim,
    state: Terminal,
    facts?: TurnFacts,
  ): Promise<'settled' | 'lost' | 'superseded' | 'withdrawn'>;
  /**
   * Stores a newer revision of a question and ends the turns of earlier revisions. The new turn continues the same
   * reply. It takes the position of the waiting turn that it replaces. A running turn is interrupted. Also resolves to
   * `duplicate` if the revision is not newer.
   */
  supersede(turn: NewTurn): Promise<Superseded>;
  /**
   * Handles the deletion of a message. Interrupts the waiting and running turns of the message's replies. For each
   * ended reply, adds the turn that `turnFor` creates, which removes the reply. A message with this key that arrives
   * later is not stored. Resolves with the number of replies that are removed.
   */
  withdraw(messageKey: string, turnFor: (newest: Turn) => NewTurn): Promise<number>;
  /**
   * Interrupts a running turn. A waiting turn is only marked: it is then claimed next, ahead of its lane, so that its
   * end is shown immediately. Its claim contains the reason. Resolves to `none` if the turn neither runs nor waits.
   */
  interrupt(
    id: TurnId,
    why: Extract<Interruption, { kind: 'stop' }>,
  ): Promise<'running' | 'waiting' | 'none'>;
  /**
   * Stops the lane's running turn, and moves the person's waiting question `turn` to the front of the lane, in one
   * transaction; without `turn`, their newest waiting question. The question is
   * stored already, so it is asked once even after a crash. Resolves with the stopped turn;
   * undefined, without a change, if nothing runs in the lane or no question of the person waits there.
   */
  instead(lane: LaneKey, person: string, turn?: TurnId): Promise<Turn | undefined>;
  find(id: TurnId): Promise<Turn | undefined>;
  /** Resolves with the newest turn for this question. Leaves out acts on an answer, which have replies of their own. */
  ofMessage(messageKey: string): Promise<Turn | undefined>;
  /** Resolves with the newest turn of the reply that this turn belongs to. */
  newestOfReply(id: TurnId): Promise<Turn | undefined>;
  /** Resolves with the running turn of a lane, or else its oldest waiting turn. */
  current(lane: LaneKey): Promise<Turn | undefined>;
  /** Resolves with the running turns of a channel's tenant, whichever process runs them. */
  runningIn(channel: string, tenant: string): Promise<readonly Turn[]>;
  /** Resolves with the screens of the turns of a lane, except turns that ended before `since`. */
  screensIn(lane: LaneKey, since: number): Promise<readonly ReplyScreen[]>;
  /** Resolves with at most `limit` waiting turns that need a "waiting" notice; returns each turn only once. */
  takeUnannounced(bounds: KeptBefore, limit: number): Promise<readonly Waiting[]>;
  /** Resolves with the number of turns by state, for metrics and readiness. */
  counts(): Promise<TurnCounts>;
  /**
   * Puts turns with an expired lease back to waiting, whoever owns them. Resolves with their number.
   */
  expire(): Promise<number>;
  /**
   * Hands over every workspace in which this process has no running turn. The other processes that share the store then
   * take these workspaces, and hand none over to this process. A process that is shutting down repeats this whenever a
   * turn ends. Must not be called while turns are being claimed.
   */
  handOver(): Promise<void>;
  /** Deletes settled turns that ended before `before`; resolves with their number. */
  prune(before: number): Promise<number>;
  /**
   * Calls the listener whenever a turn was interrupted or may have become ready to claim. Returns a function that
   * removes the listener.
   */
  onSignal(listener: (signal: InboxSignal) => void): () => void;
  close(): Promise<void>;
}

export type InboxSignal =
  | { readonly kind: 'claimable' }
  | { readonly kind: 'interrupted'; readonly id: TurnId; readonly why: Interruption };
