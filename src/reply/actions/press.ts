/** The types of a press on a reply's control: the press, the context that the channel provides, and the answer. */

import type { IntakeResult } from '../../core/channel/events.ts';
import type { AdapterHost } from '../../core/channel/host.ts';
import type { AgentName, TurnId } from '../../core/ids.ts';
import type { Origin, Person, ThreadRef } from '../../core/message.ts';
import type { ReplyDocument } from '../../core/reply.ts';

/** Names of the actions. Button ids contain them and stay in chats for years, so a name must never change. */
const names = [
  'stop',
  'retry',
  'regenerate',
  /** Shows another version; the detail is its number, from 1. */
  'show',
  /** The detail is the suggested question. */
  'suggestion',
  /** Asks another agent; the detail is its name. */
  'agent',
  /** "Ask as me": only the person who pressed sees the answer. */
  'mine',
  'sources',
  /** Shares the answer itself. */
  'share',
  'shareSource',
  /** The detail is the verdict: `up`, `down` or `none`. */
  'feedback',
] as const;

export type ActionName = (typeof names)[number];

const known: ReadonlySet<string> = new Set(names);

export const isActionName = (name: string): name is ActionName => known.has(name);

export interface Press<Name extends ActionName = ActionName> {
  readonly action: Name;
  /** The turn that wrote the reply's document. */
  readonly turn: TurnId;
  /** The reply's thread. */
  readonly thread: ThreadRef;
  readonly detail: string;
  /** The channel's unique id of the press, if it has one. */
  readonly key?: string;
  /** The comment given with a rating. */
  readonly note?: string;
}

/** Whether guests and people from other organizations may press, as in the access policy for questions. */
export interface Welcome {
  readonly guests: boolean;
  readonly external: boolean;
}

/** The members of a reply that actions depend on. */
export type SeenReply = Pick<ReplyDocument, 'agent' | 'suggestions' | 'state'> & {
  /** Id of the person who asked. */
  readonly askedBy?: string;
};

/** A question that a press asks. */
export interface Asked {
  readonly kind: 'again' | 'suggestion' | 'same' | 'mine';
  readonly origin: Extract<Origin, { kind: 'retry' | 'regenerate' | 'act' }>;
  readonly by: Person;
  /** If empty, the reply's own question is asked. */
  readonly text: string;
  readonly agent?: AgentName | undefined;
}

/** Answer to a press. `idle`: the press had no effect, because none was needed. */
export interface Pressed {
  readonly kind: 'done' | 'idle' | 'refused';
  readonly sentence: string;
}

export interface Refused extends Pressed {
  readonly kind: 'refused';
}

export const refused = (sentence: string): Refused => ({ kind: 'refused', sentence });

/** The data and functions that a channel provides for a press. */
export interface PressContext<Reply extends SeenReply = SeenReply> {
  /** The channel's display name. */
  readonly channel: string;
  readonly policy: Welcome;
  readonly host: Pick<AdapterHost<unknown, unknown>, 'intake' | 'agents' | 'log'>;
  /**
   * True if the press came from the place of the reply and the person may see the reply (attacks S16, S17).
   */
  readonly isHere: boolean;
  /** Rejects with `access-denied` if the channel has no such member. */
  person(): Promise<Person>;
  /** Returns the stored reply; undefined once it has expired. */
  reply(): Promise<Reply | undefined>;
  /**
   * Asks in the reply's thread, or privately for `mine`. Posts the question above its answer if the channel requires
   * that.
   */
  ask(asked: Asked): Promise<IntakeResult | Pressed>;
}
