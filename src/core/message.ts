import type { AgentName, LaneKey, TurnId } from './ids.ts';
import type { Part } from './screen.ts';

/** A thread, or a chat without threads. The agent's sessions are kept per thread. */
export interface ThreadRef {
  /** The name of the channel's definition. */
  readonly channel: string;
  /** The workspace or tenant: one installation of a channel. */
  readonly tenant: string;
  readonly room: string;
  /** The channel's key of the thread, unique in the room. */
  readonly key: string;
  readonly kind: 'direct' | 'group' | 'room';
}

/** A person in a chat, as the channel knows them. */
export interface Person {
  /** The channel's own id of the person, unique in the tenant. */
  readonly id: string;
  /** The id that the channel uses to address the person, if it differs from `id`. */
  readonly account?: string;
  readonly name: string;
  readonly email?: string;
  /** Locale as a BCP 47 tag, such as `de-CH` (https://www.rfc-editor.org/info/bcp47); absent if the channel does not provide it. */
  readonly locale?: string;
  /** The language that the person chose for answers, as a BCP 47 tag. */
  readonly language?: string;
  /** The workspace that the person belongs to; absent if the channel does not report it. */
  readonly home?: string;
  /** Names of the person's groups, as their sign-in reports them; absent if the channel does not report groups. */
  readonly groups?: readonly string[];
  /**
   * `unproven`: the chat does not prove who writes, because anyone may take the id, such as a nickname in IRC. Such a
   * person gets no rights of their own: no account, and no rule that names them, applies to them.
   */
  readonly standing: 'member' | 'guest' | 'external' | 'bot' | 'unproven';
}

/**
 * Returns the form in which e-mail addresses are compared. Only ASCII letters become lower
 * case: with Unicode's rules, the Kelvin sign would become a "k", so the result could be another person's address.
 */
export const foldedEmail = (email: string): string =>
  email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A file on the channel, as plain data. The adapter downloads the content when it is needed. */
export interface FileRef {
  readonly id: string;
  readonly name: string;
  /** The media type that the channel reports. The bridge does not trust it and checks the content. */
  readonly type: string;
  /** Size in bytes, as the channel reports it. */
  readonly bytes: number;
  /** Beginning of the file's text, if the channel shows it in the chat. */
  readonly preview?: string;
  /**
   * True for a file of an earlier message of the thread. The agent reads it, but it is not added to the documents, and
   * the asker is not told if it cannot be read.
   */
  readonly earlier?: boolean;
}

/** Text of another message or of a file, passed to the agent as quoted data. */
export interface Quote {
  /** The person who wrote the message, or the name of the file. */
  readonly author: string;
  readonly text: string;
  /**
   * `file`: the text of a file. `earlier`: a message of the thread that the asker's message does not contain itself.
   * `view`: what the asker looked at while writing. Absent for a message that the asker quotes or forwards.
   */
  readonly kind?: 'file' | 'earlier' | 'view';
}

/** A person's message, in the same format for every channel. */
export interface Message {
  /** The channel's own id of the message. */
  readonly id: string;
  readonly thread: ThreadRef;
  readonly sender: Person;
  /** Markdown, without the mention that addressed the agent. */
  readonly text: string;
  /** The agent named in the message, if any. */
  readonly agent?: AgentName;
  /**
   * The agent preset for a direct room or private thread, if any. An agent that the message names, or that `use` has
   * chosen, takes precedence.
   */
  readonly roomAgent?: AgentName;
  readonly quoted: readonly Quote[];
  readonly files: readonly FileRef[];
  /**
   * Short descriptions of what people saw with the message and the agent does not get, such as `the video demo.mp4`.
   * The question names them, and the person is told once.
   */
  readonly omitted?: readonly string[];
  /** Time at which the person sent the message, in milliseconds since the epoch. */
  readonly sentAt: number;
  /** 0 for the original message, plus one for each edit. */
  readonly revision: number;
}

type Content = Pick<Message, 'text' | 'quoted' | 'files' | 'omitted'>;

/**
 * True if the message contains anything to ask about: words, a quote, a file, or something that the agent does not get.
 * Earlier messages of the thread and what the asker looked at do not count.
 */
export const hasContent = ({ text, quoted, files, omitted = [] }: Content): boolean =>
  text.trim() !== '' || ownQuotes(quoted).length + files.length + omitted.length > 0;

/** Returns the quotes that the message itself contains. */
export const ownQuotes = (quoted: readonly Quote[]): readonly Quote[] =>
  quoted.filter(({ kind }) => kind !== 'earlier' && kind !== 'view');

/** Returns the message without what people wrote; ids, times and the sender stay. */
export const withoutContent = ({ omitted, ...message }: Message): Message => ({
  ...message,
  text: '',
  quoted: [],
  files: [],
});

/**
 * True if the turn belongs to the thread. A press names a turn and is accepted only in that turn's thread (attacks S16,
 * S17).
 */
export function isOf(thread: ThreadRef, { message }: { readonly message: Message }): boolean {
  return laneOf(message.thread) === laneOf(thread);
}

/** A person's rating of an answer; `none` withdraws it. */
export type Verdict = 'up' | 'down' | 'none';

/** The cause of a turn. */
export type Origin =
  | { readonly kind: 'message'; readonly key: string; readonly revision: number }
  /**
   * Asks the question of turn `of` again in the same reply: `retry` replaces a failed answer, `regenerate` adds a
   * version.
   */
  | {
      readonly kind: 'retry' | 'regenerate';
      readonly of: TurnId;
      readonly by: string;
      /** The channel's unique id of the press, if the channel provides one. */
      readonly key?: string;
    }
  /**
   * Starts a new reply. The cause is one of these: a slash command; a shortcut; a press on a suggestion, on "ask
   * another agent" or on "ask as me". `key` is the channel's unique id of that action. `of` is the turn of the answer
   * that the action refers to; its question is asked again if the message has no text. `from` is the thread of that
   * answer if the new reply goes to another room; the adapter guarantees that the action came from that thread.
   */
  | { readonly kind: 'act'; readonly key: string; readonly of?: TurnId; readonly from?: ThreadRef }
  /**
   * Shows a stored version in the reply of turn `of`; without `edition`, the newest. If `strays` is set, also removes
   * messages that the reply does not contain: those in `strays`, and those that name the reply. Writes nothing before
   * `notBefore` (milliseconds since the epoch), because a call of unknown outcome may take effect until then.
   */
  | {
      readonly kind: 'show';
      readonly of: TurnId;
      readonly edition?: number;
      readonly key: string;
      readonly strays?: readonly Pick<Part, 'id' | 'live'>[];
      readonly notBefore?: number;
    }
  /** Removes the reply of turn `of`, because the question was deleted. */
  | { readonly kind: 'withdraw'; readonly of: TurnId; readonly key: string };

/**
 * Returns a string that identifies an origin within its channel and tenant, so that a repeated event creates
 * only one turn.
 */
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

/** Returns the key by which an edit or a deletion of a message finds the message's turns. */
export function messageKey({ channel, tenant, room }: ThreadRef, message: string): string {
  return JSON.stringify([channel, tenant, room, message]);
}

/** Returns the lane of a thread. Turns of one thread run one at a time, so each thread is a lane. */
export function laneOf(thread: ThreadRef): LaneKey {
  return JSON.stringify([thread.channel, thread.tenant, thread.room, thread.key]) as LaneKey;
}

/**
 * Returns the lane of turns that change a finished reply. These turns do not run in the thread's lane, so that they
 * neither block nor wait for the thread's turns.
 */
export const replyLane = (reply: TurnId): LaneKey => JSON.stringify(['reply', reply]) as LaneKey;
