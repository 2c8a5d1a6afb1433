/** What Teams sends, as the bridge understands it (Bot Framework activity schema; Microsoft's pages on Teams bots). */

import type { Quote } from '../../src/kit.ts';

/** A conversation and how it is written to. Plain data, because it is kept. */
export interface TeamsPlace {
  readonly tenant: string;
  /** The conversation's id, decoded; in a channel with the thread's root. */
  readonly conversation: string;
  readonly kind: 'direct' | 'group' | 'room';
  /** Where answers go; checked against the exact list before each use. */
  readonly serviceUrl: string;
  /** Our own id there: `28:…`. */
  readonly bot: string;
  /** Id of the team that a channel belongs to. */
  readonly team?: string;
  /** What people call the chat, or the channel's team, where Teams tells it. */
  readonly name?: string;
}

/** The conversation that a reply is written in. */
export interface ReplyPlace extends TeamsPlace {
  /** Only the asker sees what is written. */
  readonly targeted?: true;
}

export interface TeamsPerson {
  /** In Microsoft Entra where Teams tells it, else the id that only this bot knows: `29:…`. */
  readonly id: string;
  /** The person's id for this bot, `29:…`, which the Bot Connector's calls take; absent if `id` is that id. */
  readonly account?: string;
  readonly name: string;
  readonly isBot: boolean;
  /** The person's own organisation, where it is told. */
  readonly tenant?: string;
}

/** Somebody's name in the words: what stands there, and who it is. */
export interface Mention {
  readonly id: string;
  readonly text: string;
  readonly name: string;
}

/** A file that came along; `address` is where its bytes are. */
export interface TeamsFile {
  readonly name: string;
  /** As Teams says; `image/*` for a pasted image. */
  readonly type: string;
  readonly address: string;
}

export interface TeamsMessage {
  readonly place: TeamsPlace;
  /** Of the activity: unique in its conversation, and the same after an edit. */
  readonly id: string;
  readonly sender: TeamsPerson;
  readonly text: string;
  readonly mentions: readonly Mention[];
  readonly files: readonly TeamsFile[];
  /** True if only the bot and the sender see the message, in a chat or channel. */
  readonly targeted: boolean;
  /** Files were shared in a way that Teams does not show to bots. */
  readonly hidesFiles: boolean;
  readonly quoted: readonly Quote[];
  readonly sentAt: number;
  /** BCP 47. */
  readonly locale?: string;
}

export interface Invoked {
  readonly kind: 'invoked';
  readonly place: TeamsPlace;
  /** Unique id of the press. */
  readonly id: string;
  readonly by: TeamsPerson;
  /** Such as `adaptiveCard/action`. */
  readonly name: string;
  readonly value: unknown;
  /** The message that was pressed on. */
  readonly message?: string;
}

export interface Reacted {
  readonly kind: 'reacted';
  readonly place: TeamsPlace;
  readonly id: string;
  readonly by: TeamsPerson;
  /** The message of ours that was reacted to. */
  readonly message: string;
  /** Teams' words for reactions, such as `like`. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

interface Installed {
  readonly kind: 'installed';
  readonly place: TeamsPlace;
  readonly by: TeamsPerson;
}

export type TeamsEvent =
  | { readonly kind: 'said'; readonly message: TeamsMessage }
  /** Of two edits the later has the larger revision. */
  | { readonly kind: 'edited'; readonly message: TeamsMessage; readonly revision: number }
  | {
      readonly kind: 'deleted';
      readonly place: TeamsPlace;
      readonly id: string;
      readonly by: TeamsPerson;
      readonly targeted: boolean;
    }
  | Reacted
  | Installed
  /** The app was taken out of a chat, a channel or a whole team, or that is gone. */
  | { readonly kind: 'removed'; readonly place: TeamsPlace; readonly from: 'room' | 'team' }
  | Invoked;
