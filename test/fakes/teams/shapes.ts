/** Types of the fake Microsoft 365. Ids have Teams' form; times are milliseconds since the epoch. */

import type { Json } from './read.ts';

export interface Person {
  /** Id of the person that is specific to this app: `29:…`. */
  readonly id: string;
  readonly aadObjectId: string;
  readonly name: string;
  readonly email: string;
  /** The person's own tenant; differs from the conversation's for people of other organizations. */
  readonly home: string;
  readonly role: 'user' | 'guest' | 'anonymous';
  readonly bot: boolean;
  readonly locale: string;
}

export type Kind = 'personal' | 'groupChat' | 'channel';

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
  /** The person of a personal chat. */
  readonly partner?: string;
  /** The team of a channel. */
  readonly team?: string;
  /** Resource-specific consents of a chat's owner; a channel has those of its team. */
  readonly consents: Set<string>;
  readonly messages: Message[];
  /** True if the person blocked the app in a personal chat. */
  blocked: boolean;
}

export interface Team {
  /** Also the id of its General channel. */
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
  /** Kind of id that `members/{id}` accepts: the documented one, `29:…`, or the directory's. */
  memberKey: 'id' | 'aadObjectId';
  /** True if an administrator allows the app. */
  enabled: boolean;
}

export interface Stream {
  state: 'live' | 'completed' | 'stopped_by_user' | 'expired';
  readonly startedAt: number;
  lastAt: number;
  sequence: number;
  /** Text of the informative line; shown until text streams. */
  informative?: string;
  /** Newest streamed text. */
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
  stream?: Stream;
  /** Feedback buttons that the first complete form of the message requested; edits add none. */
  thumbs?: string | undefined;
  /** Directory id of the only person who sees it. */
  readonly onlyFor?: string;
  readonly postedAt: number;
  editedAt?: number;
  deletedAt?: number;
  /** Author of the deletion. */
  deletedBy?: 'app' | 'person';
  /** Earlier contents, oldest first, with the times of their replacement. */
  readonly history: { readonly at: number; readonly shown: Shown }[];
  readonly reactions: Map<string, Set<string>>;
  /** Cards from responses to presses, each of which replaces the message's card for one person. */
  readonly views: Map<string, Json>;
}

export interface SharedFile {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Fault of its address. */
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
