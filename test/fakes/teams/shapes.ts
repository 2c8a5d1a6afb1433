/** Types of the fake Microsoft 365. Ids look like Teams' ids; times are milliseconds since the epoch. */

import type { Json } from './read.ts';

export interface Person {
  /** Id that the person has for this app only: `29:…`. */
  readonly id: string;
  readonly aadObjectId: string;
  readonly name: string;
  readonly email: string;
  /** The person's own tenant. For a person of another organization, it is not the conversation's tenant. */
  readonly home: string;
  readonly role: 'user' | 'guest' | 'anonymous';
  readonly bot: boolean;
  readonly locale: string;
}

export type Kind = 'personal' | 'groupChat' | 'channel';
export type ChannelType = 'standard' | 'private' | 'shared';

export interface Conversation {
  /** Id such as `a:…`, `19:…@thread.v2` or `19:…@thread.tacv2`; never with `;messageid=`. */
  readonly id: string;
  readonly tenant: string;
  readonly kind: Kind;
  readonly name: string;
  /** Directory ids of the members. */
  readonly members: Set<string>;
  /** True if the app is a member. */
  installed: boolean;
  /** In a personal chat: the person. */
  readonly partner?: string;
  /** In a channel: the team. */
  readonly team?: string;
  /** The type of a channel; absent: standard. A private or shared channel has the app only if it was added there. */
  readonly type?: ChannelType;
  /** True in a chat of Microsoft 365 Copilot. */
  readonly copilot?: true;
  /**
   * Consents of a chat's owner for this chat only (resource-specific consents). A channel has the consents of its team.
   */
  readonly consents: Set<string>;
  readonly messages: Message[];
  /** True if the person blocked the app in a personal chat. */
  blocked: boolean;
}

export interface Team {
  /** Id of the team and of its General channel. */
  readonly id: string;
  readonly aadGroupId: string;
  readonly tenant: string;
  readonly name: string;
  readonly channels: string[];
  readonly members: Set<string>;
  installed: boolean;
  readonly consents: Set<string>;
}

export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly people: Map<string, Person>;
  readonly teams: Map<string, Team>;
  readonly conversations: Map<string, Conversation>;
  readonly files: Map<string, SharedFile>;
  /** The kind of id that `members/{id}` accepts: `29:…` as documented, or the directory id. */
  memberKey: 'id' | 'aadObjectId';
  /** True if an administrator allows the app in the tenant. */
  enabled: boolean;
}

export interface Stream {
  state: 'live' | 'completed' | 'stopped_by_user' | 'expired';
  readonly startedAt: number;
  lastAt: number;
  sequence: number;
  /** Text of the informative line, which is visible until the first text streams. */
  informative?: string;
  /** The complete text of the latest streaming call. */
  streamed: string;
}

/** Visible content of a message. */
export interface Shown {
  readonly text: string;
  readonly textFormat: string;
  readonly attachments: readonly Json[];
  readonly entities: readonly Json[];
  readonly suggested: readonly Json[];
  readonly channelData: Json;
}

export interface Message {
  readonly id: string;
  readonly conversation: string;
  readonly tenant: string;
  /** First message of the thread, in a channel. */
  readonly root: string;
  /** Directory id of the author; absent: the app. */
  readonly person?: string;
  shown: Shown;
  /** For a sign-in card: `shown` if the person sees it, `hidden` if no client shows it. */
  signIn?: 'shown' | 'hidden';
  stream?: Stream;
  /** Feedback buttons requested by the message's first complete version; later edits add none. */
  thumbs?: string | undefined;
  /** Directory id of the only person who sees it. */
  readonly onlyFor?: string;
  /** Subject of a post in a channel. Bots do not get it, Microsoft Graph does (microsoft/botbuilder-dotnet#6720). */
  readonly subject?: string;
  readonly postedAt: number;
  editedAt?: number;
  deletedAt?: number;
  /** Set if the app or a person deleted the message. */
  deletedBy?: 'app' | 'person';
  /** Earlier contents, oldest first, each with the time at which it was replaced. */
  readonly history: { readonly at: number; readonly shown: Shown }[];
  readonly reactions: Map<string, Set<string>>;
  /** Cards that replaced the message's card for one person, by directory id. They come from responses to presses. */
  readonly views: Map<string, Json>;
}

export interface SharedFile {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Unusual response of the file's address, to test the reader. */
  readonly odd?: OddFile;
}

/**
 * html: a sign-in page with status 200. redirect: to the same host. foreign: to another host. expired: 403. endless: the
 * response never ends.
 */
export type OddFile = 'html' | 'redirect' | 'foreign' | 'expired' | 'endless';

export const nothing: Shown = {
  text: '',
  textFormat: 'markdown',
  attachments: [],
  entities: [],
  suggested: [],
  channelData: {},
};
