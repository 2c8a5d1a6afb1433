/** The bridge as channels see it. */

import type { MentionRule } from '../agents/access.ts';
import type { OpenedMedia } from '../agents/agent.ts';
import type { Clock } from '../clock.ts';
import type { AgentName, TurnId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { ThreadRef } from '../message.ts';
import type { Media, ReplyDocument, Source } from '../reply.ts';
import type { Keyed } from '../stores/keyed.ts';
import type { CoreEvent } from '../turn-events.ts';
import type { Intake, IntakeResult } from './events.ts';
import type { CallPlace } from './limits.ts';

/** An agent as people may see it. */
export interface AgentCard {
  readonly name: AgentName;
  readonly description: string;
  /** An emoji such as `:books:`, or an https address of an image. */
  readonly icon?: string;
  readonly seesImages: boolean;
}

/** A handler on the bridge's one HTTP server; it reads the raw body itself. */
export type Handler<Request, Response> = (request: Request, response: Response) => void;

/** A call that is no move of a reply: a note, a reaction, a form. */
export interface SideCall extends CallPlace {
  readonly family: string;
  /** True if a person waits for its result and sees nothing yet: as urgent as the first words of an answer. */
  readonly first?: boolean;
}

/** A permit for one such call. */
export interface SidePermit {
  /**
   * Whatever became of it: the channel answered, or it was given up. `refusedMs`: the channel refused it for its rate,
   * and wants to be left alone for so long.
   */
  answered(refusedMs?: number): void;
}

export interface KeptReply extends ReplyDocument {
  /** Id of the person whose question it answers. */
  readonly askedBy?: string;
}

/**
 * The bridge's services for an adapter. `Request` and `Response` are those of node:http, which the core does not name.
 */
export interface AdapterHost<Request, Response> {
  /** Resolves only after the event is on disk; the adapter acknowledges after that. */
  intake(event: Intake): Promise<IntakeResult>;
  /** Serves everything under `path` (which the handler sees removed from the address). */
  mount(path: string, handler: Handler<Request, Response>): void;
  /**
   * A signed address under which the viewer's browser can load an image of an answer; it expires. Returns undefined if
   * the address would be too long; the image is then named, with its own link.
   */
  link(
    media: Media,
    from: { readonly turn: TurnId; readonly agent: AgentName; readonly account?: string },
  ): string | undefined;
  /**
   * The address under which people open a source of a reply: with a public address and for a reply that a room sees, a
   * signed page of the bridge that shows its passages for a day; else the document's own link, opened at its best
   * passage. Returns undefined if it has none.
   */
  sourceLink(source: Source, of: { readonly turn: TurnId; readonly thread: ThreadRef }): string | undefined;
  /** True if the turn has not started. Rejects with `store-unavailable`. */
  waits(turn: TurnId): Promise<boolean>;
  /**
   * True if a turn of the same reply waits or runs, so that the reply will be ended. Rejects with `store-unavailable`.
   */
  pending(turn: TurnId): Promise<boolean>;
  /** Events of a reply, oldest first. */
  receipt(turn: TurnId): Promise<readonly CoreEvent[]>;
  agents(): readonly AgentCard[];
  /**
   * True if a person in the thread may have other platform rights than this reply was made with, so that "Ask as me" is
   * offered.
   */
  otherRights(thread: ThreadRef, reply: Pick<ReplyDocument, 'agent' | 'account'>): boolean;
  /** The rule for mentions in the thread's room. */
  mentionRule(thread: ThreadRef): MentionRule;
  readonly state: Keyed;
  /** As `state`, with values that are encrypted on disk: under PARLEY_KEY, else under a key in the data folder. */
  readonly secrets: Keyed;
  /** Deletes everything that is kept of a workspace of this channel, because it removed the app. */
  forgetTenant(tenant: string): Promise<void>;
  /** Deletes everything that is kept of one room, because the app was taken out of it. */
  forgetRoom(tenant: string, room: string): Promise<void>;
  /**
   * A finished reply of the thread as it was shown, with its question, for 24 hours. What a press names may be of
   * anywhere.
   */
  reply(turn: TurnId, thread: ThreadRef): Promise<KeptReply | undefined>;
  /** Bytes of an image or file of an answer, at most 20 MiB. Throws `media-unavailable`. */
  openMedia(
    media: Media,
    from: { readonly turn: TurnId; readonly agent: AgentName; readonly account?: string },
    signal: AbortSignal,
  ): Promise<OpenedMedia>;
  /** True once the bridge was asked to stop: what is not kept yet is better sent again, to the next process. */
  closing(): boolean;
  /**
   * A permit for a call that is no move of a reply. It waits its turn for what no reply holds, `waitMs` at most;
   * nothing where it did not come. Rejects with the signal's reason.
   */
  permit(call: SideCall, waitMs: number, signal: AbortSignal): Promise<SidePermit | undefined>;
  /** For a call that cannot wait, as a form that is to open within seconds: it is counted, whatever is allowed. */
  permitAtOnce(call: SideCall): SidePermit;
  readonly log: Log;
  readonly clock: Clock;
}
