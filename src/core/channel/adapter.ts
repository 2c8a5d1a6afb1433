/** The interface between the bridge and a channel's adapter. */

import type { Exchange } from '../agents/agent.ts';
import type { AgentName } from '../ids.ts';
import type { FileRef, Message, Person, ThreadRef } from '../message.ts';
import type { ReplyDocument, ReplyState } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';
import type { ProofAttempt, ProvenPerson } from '../stores/account-links.ts';
import type { ForgetTarget, Removed } from '../stores/forgetting.ts';
import type { Turn } from '../turn.ts';
import type { AdapterHost } from './host.ts';
import type { FamilyLimit } from './limits.ts';

/** Optional abilities of a channel. */
export interface Abilities {
  /**
   * Posts "waiting" notices. `ahead`: number of questions before this one. `text`: the words of the notice; absent if
   * the question waits only for earlier questions.
   */
  readonly waiting?: { say(turn: Turn, ahead: number, text?: string): Promise<void> };
  /**
   * Resolves with false if the chat platform does not respond for the message's workspace, or only with server errors.
   * Called after a failed call, at most once a second for each workspace.
   */
  readonly answers?: (message: Pick<Message, 'thread' | 'sender'>) => Promise<boolean>;
  readonly lookup?: Lookup;
  /**
   * Returns the final state of the turn's reply according to the channel's own store; undefined if the reply is still
   * open. If this method returns a final state, the turn does not run again: its row in the inbox is then out of date,
   * because the row comes from a backup, or because a crash lost the record of the turn's end.
   */
  readonly ended?: (turn: Turn) => ReplyState | undefined | Promise<ReplyState | undefined>;
  /**
   * Returns the address of a page on which a person signs in and confirms a link to their account. The page uses
   * `host.linkPages`. `token` goes into the address unchanged.
   */
  readonly linkPage?: (token: string) => string;
  /**
   * Resolves with false if the identity provider with which people sign in no longer accepts the person. Then no question
   * of theirs is asked, a running answer is interrupted within 10 s, and with `link`, the links that they confirmed end.
   * A provider that is down must not count as a refusal: the call then rejects with `sign-in-unavailable`.
   */
  readonly isAccepted?: (person: string, use: 'ask' | 'link') => Promise<boolean>;
  /**
   * Absent if the channel cannot get tokens from the identity provider of its people. No question can then be asked
   * with such a token.
   */
  readonly signIn?: SignIn;
  /** Lets a person prove in a browser who they are in this channel. */
  readonly identityProof?: IdentityProof;
}

/**
 * Gets the tokens that an identity provider issues to people. The channel verifies each token, then calls
 * `host.askers.keep`.
 */
export interface SignIn {
  /**
   * False in a thread where the asker's client can send no token. A token that was sent earlier is still used there.
   */
  isPossible(thread: ThreadRef): boolean;
  /**
   * Asks the person's client for a token. Resolves once the client was asked; rejects if it could not be asked. Called
   * again after a restart, because the client's response may have been lost.
   */
  begin(turn: Turn, signal: AbortSignal): Promise<void>;
  /** Removes what `begin` showed, in the background. */
  end(turn: Turn): void;
}

/**
 * A sign-in to the chat platform in the person's browser. The platform sends the browser back to `proofAddress`
 * (kit/channel.ts), with `state` in the query.
 */
export interface IdentityProof {
  /** Returns the address at the chat platform to which the browser goes. */
  begin(attempt: ProofAttempt): string;
  /**
   * Resolves with the person whom the chat platform confirmed. Rejects with `sign-in-refused` if there is no valid proof,
   * or if the app is not installed in the person's workspace, and with `sign-in-unavailable` if the platform cannot be
   * reached.
   * @param query the query with which the browser came back
   */
  finish(query: URLSearchParams, nonce: string): Promise<ProvenPerson>;
}

/**
 * Looks up what an event does not contain, such as the name of the sender. Runs as a part of the turn, because the
 * acknowledgement of the event must not wait for the network.
 */
export interface Lookup {
  /**
   * Returns the message with its sender's name and standing, and with the preceding messages as quotes. Throws
   * `access-denied` if the channel cannot identify the sender.
   */
  complete(message: Message, signal: AbortSignal): Promise<Message>;
  /**
   * Returns only the sender, for commands such as `stop` that are handled on arrival. Throws as `complete` does; if
   * absent, `complete` is called.
   */
  readonly sender?: (message: Message, signal: AbortSignal) => Promise<Person>;
  /**
   * Returns the thread's earlier exchanges with an agent that has no sessions, oldest first and limited in number and
   * length. If a channel has this function, the bridge stores no text of exchanges.
   */
  readonly history?: (
    message: Message,
    agent: AgentName,
    signal: AbortSignal,
  ) => Promise<readonly Exchange[]>;
}

/**
 * Connects one chat platform to the bridge: passes its events to `host.intake`, and shows replies. A call to a channel
 * from outside Parley fails with `channel-unavailable` if it takes too long: 5 s for `start` and `stop`, 60 s for
 * `openFile`, `forget` and `stored`, and 30 s for `perform` of a writer.
 */
export interface ChannelAdapter<Request, Response> {
  /** The name of the channel's definition. */
  readonly name: string;
  /** Rate limits by family of API methods. */
  readonly limits: Readonly<Record<string, FamilyLimit>>;
  readonly abilities: Abilities;
  /** Resolves once events can arrive. Called once. */
  start(host: AdapterHost<Request, Response>): Promise<void>;
  /** Resolves once no further events are passed on. Called once, also if `start` failed. */
  stop(): Promise<void>;
  /**
   * Rejects with `store-unavailable` if the channel's own store cannot write. Absent if the channel has no store. Not
   * called for a channel from outside Parley, so that it cannot make the bridge unready.
   */
  probe?(): Promise<void>;
  /**
   * Deletes what the channel's own store contains about the target, and resolves with the numbers of deleted items. May
   * be called again for the same target. Absent if the channel has no store.
   */
  forget?(target: ForgetTarget): Promise<Removed>;
  /** Resolves with the numbers that `forget` would return now, without deleting anything. */
  stored?(target: ForgetTarget): Promise<Removed>;
  /** Returns the writer of the turn's reply. Makes no call to the chat: `perform` of the writer does. */
  writer(turn: Turn): ReplyWriter;
  /** Returns the whole content. Throws `image-refused` if it exceeds `limit` bytes. */
  openFile(file: FileRef, limit: number, signal: AbortSignal): Promise<Uint8Array>;
}

/**
 * Shows one reply in the channel: chooses the next calls, makes them, and computes the screen after each. `next`,
 * `after` and `resume` are pure.
 */
export interface ReplyWriter {
  /**
   * Minimum number of calls, by family, that every reply needs to show its end. They are reserved when the reply
   * begins.
   */
  readonly ends?: Readonly<Record<string, number>>;
  /** Returns the screen of a reply that shows nothing yet. */
  blank(): Screen;
  /**
   * Returns alternative calls, best first. Each call brings the screen closer to the document; the rate limits decide
   * which one is made. Returns an empty list if the screen shows the whole document, or if it is better to wait for
   * more text. `now` is in milliseconds since the epoch.
   */
  next(screen: Screen, document: ReplyDocument, now: number): readonly Move[];
  /**
   * Returns the screen after the call. Only this function changes the `rung` of a screen. `now` is in milliseconds since
   * the epoch.
   */
  after(screen: Screen, move: Move, outcome: Outcome, now: number): Screen;
  /** Makes the call of a move. Must end when the signal aborts. A rejection counts as the outcome `unknown`. */
  perform(move: Move, signal: AbortSignal): Promise<Outcome>;
  /**
   * Returns the screen for a process that takes over the reply. No part is `sure`, because the outcome of the other
   * process's last call is not known.
   */
  resume(screen: Screen): Screen;
}
