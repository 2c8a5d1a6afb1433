/** The objects of a fake workspace, with ids and times in Slack's format. */

export type Json = Readonly<Record<string, unknown>>;

export interface Token {
  readonly value: string;
  /** `bot` acts in a workspace (or, installed on an organization, in any of its workspaces); `app` opens sockets. */
  readonly kind: 'bot' | 'app';
  readonly team?: string;
  readonly enterprise?: string;
  readonly scopes: Set<string>;
  state: 'live' | 'revoked' | 'inactive';
  /** Expiry in milliseconds since the epoch; absent if the app does not rotate its tokens. */
  readonly expiresAt?: number;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  /** The person's own workspace. For a person from Slack Connect, it is not the workspace that lists the person. */
  readonly team: string;
  readonly guest?: 'multi-channel' | 'single-channel';
  readonly bot?: boolean;
  readonly deleted?: boolean;
  readonly tz?: string;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'channel' | 'group' | 'im' | 'mpim';
  readonly members: Set<string>;
  /** In a direct message: the person who talks to the app. */
  readonly partner?: string;
  archived: boolean;
  /** The error that refuses posts in this channel, such as `restricted_action`. */
  restricted?: string;
  /** True if another organization shares the channel. */
  readonly external: boolean;
  readonly messages: Message[];
}

export interface Edit {
  readonly at: number;
  readonly text: string;
  readonly blocks: readonly Json[];
}

export interface Stream {
  state: 'live' | 'stopped' | 'stopped_by_user' | 'expired';
  readonly startedAt: number;
  touchedAt: number;
  mode?: 'text' | 'chunks';
  bytes: number;
  readonly display: 'timeline' | 'plan' | 'dense';
  readonly recipient?: { readonly user: string; readonly team: string };
}

export interface Message {
  readonly ts: string;
  readonly channel: string;
  readonly team: string;
  readonly user: string;
  readonly app: boolean;
  /** The only person who sees the message (ephemeral). No method of Slack's API returns it later. */
  readonly onlyFor?: string;
  readonly threadTs?: string;
  /** Name and icon that replace the app's own. */
  readonly author?: { readonly username?: string; readonly emoji?: string; readonly url?: string };
  readonly broadcast: boolean;
  text: string;
  blocks: readonly Json[];
  attachments: readonly Json[];
  /** Standard Markdown from `markdown_text` or from a stream; undefined if there is none. */
  markdown?: string;
  metadata?: Json;
  files: SharedFile[];
  stream?: Stream;
  /** Content of `chunks` other than text: task cards, the plan's title, blocks. */
  tasks: Json[];
  planTitle?: string;
  subtype?: string;
  readonly postedAt: number;
  editedAt?: number;
  deletedAt?: number;
  /** The visible content before each edit, oldest first, with the time of the edit. */
  readonly history: Edit[];
  readonly unfurls: string[];
  readonly reactions: Map<string, Set<string>>;
  /** True if text beyond Slack's hard limit was cut off without an error. */
  truncated: boolean;
}

export interface SharedFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mimetype: string;
  readonly filetype: string;
  readonly bytes: Uint8Array;
  readonly user: string;
  readonly team: string;
  readonly created: number;
  /** Time at which Slack has processed the file; absent: already processed. */
  readonly processedAt?: number;
  readonly altText?: string;
  readonly channels: Set<string>;
  /** Behaviour of the file's address: it redirects, is on another host, or is missing. */
  readonly odd?: 'redirect' | 'foreign' | 'no-url';
  deleted: boolean;
}

export interface View {
  readonly id: string;
  readonly root: string;
  readonly type: 'modal' | 'home';
  readonly user: string;
  readonly team: string;
  readonly previous?: string;
  view: Json;
  hash: string;
  closed: boolean;
}

export interface AgentSession {
  readonly channel: string;
  readonly threadTs: string;
  status: string;
  title?: string;
  readonly changes: { readonly at: number; readonly status: string }[];
}

/** The status line under a thread, which `assistant.threads.setStatus` sets. */
export interface StatusLine {
  readonly channel: string;
  readonly threadTs: string;
  status: string;
  setAt: number;
  readonly changes: { readonly at: number; readonly status: string }[];
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly enterprise?: string;
  readonly botUser: string;
  readonly botId: string;
  /** Current bot token; rotation replaces it. */
  token: string;
  readonly channels: Map<string, Channel>;
  readonly people: Map<string, Person>;
  readonly files: Map<string, SharedFile>;
  readonly views: Map<string, View>;
  readonly sessions: Map<string, AgentSession>;
  readonly statusLines: Map<string, StatusLine>;
  readonly prompts: Map<string, { readonly title?: string; readonly prompts: readonly Json[] }>;
  readonly threadTitles: Map<string, string>;
  /** Minutes for which a message may be edited; undefined: forever. */
  editWindowMinutes?: number;
  /** Block and element types that this workspace refuses, like older workspaces or stricter plans. */
  readonly unsupported: Set<string>;
  /** False for an app without the agent feature; methods for agents then refuse calls. */
  agent: boolean;
  installed: boolean;
}

export const threadKey = (channel: string, threadTs: string): string => `${channel} ${threadTs}`;
