/** The bridge's interface for channels. */

import type { RuleAction } from '../access/rules.ts';
import type { MentionRule } from '../agents/access.ts';
import type { OpenedMedia } from '../agents/agent.ts';
import type { Clock } from '../clock.ts';
import type { Corrections } from '../corrections/corrections.ts';
import type { AgentName, TurnId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Person, ThreadRef } from '../message.ts';
import type { Media, ReplyDocument, Source } from '../reply.ts';
import type { LinkPages, LinkProofs } from '../stores/account-links.ts';
import type { AskerTokens } from '../stores/asker-tokens.ts';
import type { Act } from '../stores/audit.ts';
import type { Keyed } from '../stores/keyed.ts';
import type { Operations } from '../stores/operations.ts';
import type { SharedDatabase } from '../stores/shared-database.ts';
import type { Turn } from '../turn.ts';
import type { CoreEvent } from '../turn-events.ts';
import type { Intake, IntakeResult } from './events.ts';
import type { CallPlace } from './limits.ts';

/** The properties of an agent that are shown to people. */
export interface AgentCard {
  readonly name: AgentName;
  readonly description: string;
  /** An emoji such as `:books:`, or the https address of an image. */
  readonly icon?: string;
  /** Heading of a group below which a channel lists the agent. */
  readonly group?: string;
  /** Questions that a channel offers before anything was asked. */
  readonly questions?: readonly string[];
  readonly seesImages: boolean;
}

/** A handler on the bridge's HTTP server. It reads the raw body itself. */
export type Handler<Request, Response> = (request: Request, response: Response) => void;

/** A call to the channel that does not write a reply, such as a note, a reaction or a form. */
export interface SideCall extends CallPlace {
  readonly family: string;
  /**
   * True if a person waits for the result and sees nothing yet. Such a call is as urgent as the first text of an
   * answer.
   */
  readonly first?: boolean;
}

export interface SidePermit {
  /**
   * Must be called when the channel has answered or the call was given up. `refusedMs` is set if the channel refused
   * the call because of its rate limit: the milliseconds for which it accepts no further call.
   */
  answered(refusedMs?: number): void;
}

/** The turn and the agent that an image or file comes from, and the platform account that may read it. */
export interface MediaOrigin {
  readonly turn: TurnId;
  readonly agent: AgentName;
  readonly account?: string;
}

export interface KeptReply extends ReplyDocument {
  /** Id of the person who asked. */
  readonly askedBy?: string;
}

/**
 * The bridge's services for an adapter. `Request` and `Response` are the types of node:http, which the core must not
 * import.
 */
export interface AdapterHost<Request, Response> {
  /**
   * Resolves once the event is on disk. The adapter acknowledges the event only after that. Rejects with
   * `store-unavailable`.
   */
  intake(event: Intake): Promise<IntakeResult>;
  /**
   * Sends all requests under `path` to the handler, which sees addresses without this prefix. Throws `internal` if the
   * bridge runs without an HTTP server.
   */
  mount(path: string, handler: Handler<Request, Response>): void;
  /**
   * Returns a signed, expiring address from which a person's browser can load an image of an answer: an absolute
   * address. Returns undefined if the bridge has no public address, or if the address would be too long; the channel
   * then shows the image's name with the image's own link.
   */
  link(media: Media, from: MediaOrigin): string | undefined;
  /** Returns the path of the same address, for a page that the bridge itself serves. */
  linkPath(media: Media, from: MediaOrigin): string | undefined;
  /**
   * Returns the address under which people open a source of a reply. If the bridge has a public address and a whole
   * room sees the reply, this is a signed page of the bridge, which shows the passages for the time in
   * `server.sourceHours` (24 hours by default). Otherwise it is the document's own link, opened at its best passage, or
   * undefined if there is no such link.
   */
  sourceLink(source: Source, of: { readonly turn: TurnId; readonly thread: ThreadRef }): string | undefined;
  /** Resolves to true if the turn has not started. Rejects with `store-unavailable`. */
  waits(turn: TurnId): Promise<boolean>;
  /**
   * Resolves to true if a turn of the same reply waits or runs. That turn will then end the reply. Rejects with
   * `store-unavailable`.
   */
  pending(turn: TurnId): Promise<boolean>;
  /**
   * Resolves with the ids of the messages of the thread's other replies. Includes each reply whose turn waits, runs, or
   * ended at `since` or later. A look-up for a message of this turn's reply must find none of these messages. Rejects
   * with `store-unavailable`.
   */
  messagesOfOthers(turn: Turn, since: number): Promise<ReadonlySet<string>>;
  /** Resolves with the running turns of a tenant, whichever process runs them. Rejects with `store-unavailable`. */
  running(tenant: string): Promise<readonly Turn[]>;
  /** Resolves with the events of a reply, oldest first. */
  receipt(turn: TurnId): Promise<readonly CoreEvent[]>;
  agents(): readonly AgentCard[];
  /**
   * True if someone in the thread may have other platform rights than the account that wrote the reply. The reply
   * then offers "Ask as me".
   */
  otherRights(thread: ThreadRef, reply: Pick<ReplyDocument, 'agent' | 'account'>): boolean;
  /**
   * Returns the reason why the rules do not let the person do something, as a sentence for them; undefined if they may.
   * If `place` names no agent, `ask` is allowed if the person may ask at least one agent.
   */
  refusal(
    person: Person,
    action: RuleAction,
    place: Pick<ThreadRef, 'channel' | 'tenant' | 'room' | 'kind'> & { readonly agent?: string | undefined },
  ): string | undefined;
  /**
   * Resolves with the reason why the rules do not let the person press a button of the turn's reply, as a sentence for
   * them; undefined if they may. A press needs the right to ask the agent of the reply. Records a refusal in the audit.
   */
  pressRefusal(
    person: Person,
    press: { readonly turn: TurnId; readonly thread: ThreadRef },
  ): Promise<string | undefined>;
  /**
   * Adds an act of a person in this channel, such as a sign-in, to the audit. Never rejects: an act that cannot be
   * recorded is logged.
   */
  noteAct(act: Act): Promise<void>;
  readonly corrections: Corrections;
  /**
   * Returns the figures of the whole bridge, for a page that only an operator sees; undefined if no rule gives the person
   * the right `operate`. Absent in `parley conform`.
   */
  readonly operations?: (
    person: Person,
    place: Pick<ThreadRef, 'channel' | 'tenant'>,
  ) => Operations | undefined;
  /** Absent if people cannot link themselves to an account, or if no channel has a page on which they can do so. */
  readonly linkPages?: LinkPages | undefined;
  /** Stores people's identity-provider tokens after the channel has verified them, and records failed sign-ins. */
  readonly askers: Pick<AskerTokens, 'keep' | 'fail'>;
  /** Absent if people cannot link themselves to an account, or if no channel offers a proof of identity. */
  readonly linkProofs?: LinkProofs | undefined;
  /** Returns the rule for mentions in the thread's room. */
  mentionRule(thread: ThreadRef): MentionRule;
  readonly state: Keyed;
  /** Like `state`, but values are encrypted on disk, with PARLEY_KEY or with a key in the data folder. */
  readonly secrets: Keyed;
  /** The database that the replicas share; absent if one process uses the data folder. */
  readonly database?: SharedDatabase;
  /** Deletes all data of a workspace. Called after the workspace has removed the app. */
  forgetTenant(tenant: string): Promise<void>;
  /** Deletes all data of a room. Called after the app was removed from the room. */
  forgetRoom(tenant: string, room: string): Promise<void>;
  /**
   * Resolves with a finished reply as it was shown, with its question; replies are kept for 24 hours. Resolves to
   * undefined if the reply belongs to another thread, because a forged press may name any turn.
   */
  reply(turn: TurnId, thread: ThreadRef): Promise<KeptReply | undefined>;
  /** Returns the content of an image or file of an answer, at most 20 MiB. Throws `media-unavailable`. */
  openMedia(media: Media, from: MediaOrigin, signal: AbortSignal): Promise<OpenedMedia>;
  /**
   * Returns true once the bridge is shutting down. Adapters then refuse events that are not stored yet, so that the
   * channel delivers them to the next process.
   */
  closing(): boolean;
  /**
   * Resolves with a permit for a side call, using only capacity that replies have not reserved; undefined if no such
   * capacity is free within `waitMs` milliseconds. Rejects with the signal's reason.
   */
  permit(call: SideCall, waitMs: number, signal: AbortSignal): Promise<SidePermit | undefined>;
  /**
   * Returns a permit for a call that cannot wait, such as a form that must open within seconds. The call counts towards
   * the limits but is never delayed by them.
   */
  permitAtOnce(call: SideCall): SidePermit;
  readonly log: Log;
  readonly clock: Clock;
}
