/**
 * The types of a press on a button or menu of a reply: the press, the context that the channel provides, and the
 * answer.
 */

import type { IntakeResult } from '../../core/channel/events.ts';
import type { AdapterHost } from '../../core/channel/host.ts';
import type { AgentName, TurnId } from '../../core/ids.ts';
import type { Origin, Person, ThreadRef } from '../../core/message.ts';
import type { ReplyDocument } from '../../core/reply.ts';

/** Names of the actions. Button ids contain them and stay in chats for years, so a name must never change. */
const names = [
  'stop',
  /** "Ask this instead": stops the running answer and asks the waiting question `turn`. */
  'instead',
  'retry',
  'regenerate',
  /** Shows another version of the reply; `detail` is its number, counted from 1. */
  'show',
  /** Asks a suggested question; `detail` is its text. */
  'suggestion',
  /** Asks another agent; `detail` is its name. */
  'agent',
  /** "Ask as me": asks again with the rights of the person who pressed. Only that person sees the answer. */
  'mine',
  'sources',
  /** Shares the answer, not one of its sources. */
  'share',
  'shareSource',
  /** Corrects the answer: opens a form, and stores the wording as a question-answer pair. */
  'correct',
  /** Rates the answer; `detail` is `up`, `down` or `none`. */
  'feedback',
] as const;

/** The name of an action on a reply, such as `retry`. */
export type ActionName = (typeof names)[number];

const known: ReadonlySet<string> = new Set(names);

/**
 * True if the text is the name of an action. Buttons of old messages may have names that no longer exist.
 * @example
 * ```ts
 * isActionName('retry'); // true
 * ```
 */
export const isActionName = (name: string): name is ActionName => known.has(name);

/** A press on a control of a reply, as the channel has read it. */
export interface Press<Name extends ActionName = ActionName> {
  readonly action: Name;
  /** The turn that wrote the shown version of the reply. */
  readonly turn: TurnId;
  /** The reply's thread. */
  readonly thread: ThreadRef;
  /** Text that the action needs, such as that of a suggestion; empty if it needs none. */
  readonly detail: string;
  /** The channel's unique id of the press, if the channel provides one. */
  readonly key?: string;
  /** The comment that the person gave with a rating. */
  readonly note?: string;
}

/** The properties of a reply that decide which actions are allowed. */
export type SeenReply = Pick<ReplyDocument, 'agent' | 'suggestions' | 'state'> & {
  /** Id of the person who asked. */
  readonly askedBy?: string;
};

/** A question that the bridge asks because of a press. */
export interface PressQuestion {
  readonly kind: 'again' | 'suggestion' | 'same' | 'mine';
  readonly origin: Extract<Origin, { kind: 'retry' | 'regenerate' | 'act' }>;
  readonly by: Person;
  /** The question; if empty, the question that the reply answers is asked again. */
  readonly text: string;
  readonly agent?: AgentName | undefined;
}

/** The result of a press. `idle`: the press changed nothing, because nothing was left to do. */
export interface Pressed {
  readonly kind: 'done' | 'idle' | 'refused';
  readonly sentence: string;
}

export interface Refused extends Pressed {
  readonly kind: 'refused';
}

export const refused = (sentence: string): Refused => ({ kind: 'refused', sentence });

/** Data and functions that a channel provides to handle a press. */
export interface PressContext<Reply extends SeenReply = SeenReply> {
  /** The channel's display name. */
  readonly channel: string;
  readonly host: Pick<
    AdapterHost<unknown, unknown>,
    'intake' | 'agents' | 'log' | 'refusal' | 'pressRefusal' | 'noteAct' | 'corrections'
  >;
  /**
   * True if the press came from a message in which the channel shows the reply, and the person may see the reply
   * (attacks S16, S17).
   */
  readonly isHere: boolean;
  /** Resolves with the person who pressed. Rejects with `access-denied` if the channel has no such member. */
  person(): Promise<Person>;
  /** Returns the stored reply; undefined once it has expired. */
  reply(): Promise<Reply | undefined>;
  /**
   * Asks in the reply's thread, or privately for "Ask as me". Posts the question above its answer if the channel
   * needs that.
   */
  ask(question: PressQuestion): Promise<IntakeResult | Pressed>;
}
