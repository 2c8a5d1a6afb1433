/** Types of the events that Teams sends to the bot (Bot Framework activity schema; Microsoft's pages on Teams bots). */

import type { Quote } from '../../src/kit.ts';

/** A conversation and the data needed to send messages to it. Plain data, because it is stored. */
export interface TeamsPlace {
  readonly tenant: string;
  /**
   * The conversation's id, without percent-encoding. In a channel, it includes the id of the thread's first message.
   */
  readonly conversation: string;
  readonly kind: 'direct' | 'group' | 'room';
  /** Base address of calls for this conversation. Checked against the list of allowed hosts before each use. */
  readonly serviceUrl: string;
  /** Id of the bot in the conversation: `28:…`. */
  readonly bot: string;
  /** Id of the channel's team. */
  readonly team?: string;
  /** Name of the chat, or of the channel's team; absent if Teams does not send it. */
  readonly name?: string;
  /** Set if the conversation is a chat of Microsoft 365 Copilot. Its messages cannot be changed or deleted. */
  readonly copilot?: true;
}

/** A conversation in which a reply is written. */
export interface ReplyPlace extends TeamsPlace {
  /** Set if only the asker sees the messages. */
  readonly targeted?: true;
}

export interface TeamsPerson {
  /**
   * The person's id in Microsoft Entra. If Teams does not send it, the id that Teams gives the person for this bot:
   * `29:…`.
   */
  readonly id: string;
  /**
   * The id that Teams gives the person for this bot, `29:…`, needed to call the Bot Connector. Absent if `id` already
   * is that id.
   */
  readonly account?: string;
  readonly name: string;
  readonly isBot: boolean;
  /** The organization to which the person belongs; absent if Teams does not send it. */
  readonly tenant?: string;
}

/** A mention of a person or bot. */
export interface Mention {
  readonly id: string;
  readonly name: string;
  /** How the mention appears in the plain text, such as `<at>Ada</at>`. Teams does not always send it. */
  readonly text?: string;
}

/** A file of a message. */
export interface TeamsFile {
  readonly name: string;
  /** Media type from Teams; `image/*` for a pasted image. */
  readonly type: string;
  /** Address of the content; absent if Teams does not send it. */
  readonly address?: string;
}

export interface TeamsMessage {
  readonly place: TeamsPlace;
  /** The activity's id: unique in its conversation, and unchanged by edits. */
  readonly id: string;
  readonly sender: TeamsPerson;
  /** The author's words as Markdown, without mentions of the app. */
  readonly text: string;
  /** Importance and subject of the message; empty if Teams sends none. */
  readonly headline: string;
  readonly mentions: readonly Mention[];
  /** Id of the person or bot whose mention begins the message. */
  readonly addressee?: string;
  readonly files: readonly TeamsFile[];
  /** True if only the bot and the sender see the message, although it is in a chat or channel. */
  readonly targeted: boolean;
  readonly quoted: readonly Quote[];
  /** Descriptions of what people see with the message and the agent does not get. */
  readonly omitted: readonly string[];
  readonly sentAt: number;
  /** Language of the sender's client, as a BCP 47 tag. */
  readonly locale?: string;
}

export interface Invoked {
  readonly kind: 'invoked';
  readonly place: TeamsPlace;
  /** Unique id of the press. */
  readonly id: string;
  readonly by: TeamsPerson;
  /** The kind of invoke, such as `adaptiveCard/action`. */
  readonly name: string;
  readonly value: unknown;
  /** Id of the message that contains the button. */
  readonly message?: string;
}

export interface Reacted {
  readonly kind: 'reacted';
  readonly place: TeamsPlace;
  readonly id: string;
  readonly by: TeamsPerson;
  /** Id of the app's message that got the reaction. */
  readonly message: string;
  /** Teams' names of reactions, such as `like`. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export type TeamsEvent =
  | { readonly kind: 'said'; readonly message: TeamsMessage }
  /** The later of two edits has the larger revision. */
  | { readonly kind: 'edited'; readonly message: TeamsMessage; readonly revision: number }
  | {
      readonly kind: 'deleted';
      readonly place: TeamsPlace;
      readonly id: string;
      readonly by: TeamsPerson;
      readonly targeted: boolean;
    }
  | Reacted
  | { readonly kind: 'installed'; readonly place: TeamsPlace }
  /** The app was removed from a chat, a channel or a team; or that chat, channel or team was deleted. */
  | { readonly kind: 'removed'; readonly place: TeamsPlace; readonly from: 'room' | 'team' }
  | Invoked;
