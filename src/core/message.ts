import type { AgentName, LaneKey, TurnId } from './ids.ts';

/** A place where one conversation runs; what a session is mapped to. */
export interface ThreadRef {
  readonly channel: string;
  /** The workspace or tenant: one installation of a channel. */
  readonly tenant: string;
  readonly room: string;
  /** The channel's own key of the thread inside the room. */
  readonly key: string;
  readonly kind: 'direct' | 'group' | 'room';
}

export interface Person {
  /** The channel's own id of the person, unique in the tenant. */
  readonly id: string;
  /** Id by which the channel addresses the person, if it differs from `id`. */
  readonly account?: string;
  readonly name: string;
  readonly email?: string;
  /** BCP 47, when the channel tells. */
  readonly locale?: string;
  /** BCP 47: the language that the person chose for answers. */
  readonly language?: string;
  /** The person's own workspace, where the channel tells. */
  readonly home?: string;
  readonly standing: 'member' | 'guest' | 'external' | 'bot';
}

/** A file on the channel, as plain data: its bytes are opened through the adapter when they are needed. */
export interface FileRef {
  readonly id: string;
  readonly name: string;
  /** As the channel says; the content decides. */
  readonly type: string;
  readonly bytes: number;
}

/** Text of another message, passed to the agent as quoted data with its author. */
export interface Quote {
  readonly author: string;
  readonly text: string;
}

/** A person's message, normalised. */
export interface Message {
  /** The channel's own id of the message. */
  readonly id: string;
  readonly thread: ThreadRef;
  readonly sender: Person;
  /** Markdown, without the mention that addressed the agent. */
  readonly text: string;
  /** The agent that the message named, where it named one. */
  readonly agent?: AgentName;
  /** The agent that the room belongs to, where it belongs to one: a direct room with an agent. */
  readonly roomAgent?: AgentName;
  readonly quoted: readonly Quote[];
  readonly files: readonly FileRef[];
  readonly sentAt: number;
  /** 0 for the first writing, one more for each edit. */
  readonly revision: number;
}

/**
 * True if the turn belongs to the thread. A press names a turn, and counts only in that turn's thread (attacks S16,
 * S17).
 */
export function isOf(thread: ThreadRef, { message }: { readonly message: Message }): boolean {
  return laneOf(message.thread) === laneOf(thread);
}

/** A person's rating of an answer; `none` withdraws it. */
export type Verdict = 'up' | 'down' | 'none';

/** Why a turn exists. */
export type Origin =
  | { readonly kind: 'message'; readonly key: string; readonly revision: number }
  /** The question of `of` once more, in the same reply: in place of a failed answer, or as another version. */
  | {
      readonly kind: 'retry' | 'regenerate';
      readonly of: TurnId;
      readonly by: string;
      /** The channel's unique id of the press, where it has one. */
      readonly key?: string;
    }
  /**
   * A press on a suggestion, "ask another agent", "ask as me", a slash command, a shortcut: a reply of its own. `key`
   * is the channel's unique id of the act. `of`: the answer it was done on, whose question is asked where the message
   * has no text; `from`: its thread, where the act asks in another room. That the act came from there is the adapter's
   * to know.
   */
  | { readonly kind: 'act'; readonly key: string; readonly of?: TurnId; readonly from?: ThreadRef }
  /** Moves the reply of `of` to another of its kept versions. */
  | { readonly kind: 'show'; readonly of: TurnId; readonly edition: number; readonly key: string }
  /** The question was deleted: takes the reply of `of` away. */
  | { readonly kind: 'withdraw'; readonly of: TurnId; readonly key: string };

/** The string that makes an origin unique in its channel and tenant, so that a repeated event is one turn. */
export function originKey(thread: ThreadRef, origin: Origin): string {
  const place = `${thread.channel}/${thread.tenant}`;
  switch (origin.kind) {
    case 'message':
      return JSON.stringify([place, 'message', origin.key, origin.revision]);
    case 'retry':
    case 'withdraw':
      return JSON.stringify([place, origin.kind, origin.of]);
    case 'regenerate':
      return JSON.stringify([place, 'regenerate', origin.of, origin.key ?? '']);
    case 'act':
    case 'show':
      return JSON.stringify([place, origin.kind, origin.key]);
  }
}

/** By what an edit or a deletion finds the turns that asked a message again. */
export function messageKey({ channel, tenant, room }: ThreadRef, message: string): string {
  return JSON.stringify([channel, tenant, room, message]);
}

/** Turns of one thread run one at a time, so the thread is the lane. */
export function laneOf(thread: ThreadRef): LaneKey {
  return JSON.stringify([thread.channel, thread.tenant, thread.room, thread.key]) as LaneKey;
}
