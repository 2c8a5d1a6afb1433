/** What the fake Microsoft 365 is made of. Ids are written as Teams writes them, times are milliseconds since the epoch. */

import type { Json } from './read.ts';

export interface Person {
  /** Of this person for this app: `29:…`. */
  readonly id: string;
  readonly aadObjectId: string;
  readonly name: string;
  readonly email: string;
  /** The tenant that the person belongs to; another one than the conversation's for people of other organisations. */
  readonly home: string;
  readonly role: 'user' | 'guest' | 'anonymous';
  readonly bot: boolean;
  readonly locale: string;
}

export type Kind = 'personal' | 'groupChat' | 'channel';

export interface Conversation {
  /** `a:…`, `19:…@thread.v2` or `19:…@thread.tacv2`; never with `;messageid=`. */
  readonly id: string;
  readonly tenant: string;
  readonly kind: Kind;
  readonly name: string;
  /** Directory ids of the people inside. */
  readonly members: Set<string>;
  /** Whether the app is inside. */
  installed: boolean;
  /** The other side of a personal chat. */
  readonly partner?: string;
  /** The team of a channel. */
  readonly team?: string;
  /** Resource-specific consents of a chat's owner; a channel's are its team's. */
  readonly consents: Set<string>;
  readonly messages: Message[];
  /** A person blocked the app in a personal chat. */
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
  /** The id that `members/{id}` takes: the documented one, `29:…`, unless a test chooses the directory's. */
  memberKey: 'id' | 'aadObjectId';
  /** Whether an administrator lets the app act here at all. */
  enabled: boolean;
}

export interface Stream {
  state: 'live' | 'completed' | 'stopped_by_user' | 'expired';
  readonly startedAt: number;
  lastAt: number;
  sequence: number;
  /** What the informative line says, until text streams. */
  informative?: string;
  /** The newest streamed text. */
  streamed: string;
}

/** What of a message people can see. */
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
  /** The first message of the thread, in a channel. */
  readonly root: string;
  /** Directory id of a person; absent: of the app. */
  readonly person?: string;
  shown: Shown;
  stream?: Stream;
  /** The feedback buttons that the app asked for when the message was first complete; an edit adds none. */
  thumbs?: string | undefined;
  /** Directory id of the one person who sees it. */
  readonly onlyFor?: string;
  readonly postedAt: number;
  editedAt?: number;
  deletedAt?: number;
  /** Whoever deleted it. */
  deletedBy?: 'app' | 'person';
  /** What people saw before each change, oldest first, and when it was replaced. */
  readonly history: { readonly at: number; readonly shown: Shown }[];
  readonly reactions: Map<string, Set<string>>;
  /** Cards that answers to presses put in the place of the message's, each for one person. */
  readonly views: Map<string, Json>;
}

export interface SharedFile {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** How its address behaves in place of giving the bytes. */
  readonly odd?: OddFile;
}

/** html: a sign-in page with status 200. redirect: to the same host. foreign: to another host. expired: 403. endless: never ends. */
export type OddFile = 'html' | 'redirect' | 'foreign' | 'expired' | 'endless';

export const nothing: Shown = {
  text: '',
  textFormat: 'markdown',
  attachments: [],
  entities: [],
  suggested: [],
  channelData: {},
};
