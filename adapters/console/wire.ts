/**
 * The protocol between the console's page and the bridge: JSON over HTTP under `/console`, and server-sent events. Has
 * types only, so that the page can import it.
 *
 * GET  /console/state                              -> ConsoleState
 * GET  /console/rooms/:room                        -> RoomPage: roots of a room, or all messages of a direct room
 * GET  /console/rooms/:room/threads/:thread        -> ThreadPage
 * POST /console/rooms                NewRoom       -> RoomView
 * POST /console/rooms/:room/change   ChangedRoom   -> RoomView
 * POST /console/rooms/:room/invite   Membership    -> RoomView
 * POST /console/rooms/:room/remove   Membership    -> Acted: removes a member, or oneself
 * POST /console/rooms/:room/delete   Act           -> Acted: deletes a conversation with an agent
 * GET  /console/rooms/:room/export                 -> a conversation with an agent, as Markdown
 * POST /console/conversations        NewConversation -> RoomView: a conversation without messages
 * POST /console/rooms/:room/messages NewMessage    -> MessageView, stored on disk; the bridge stores a question too
 * POST /console/files?name=NAME&as=PERSON  raw bytes -> FileView
 * GET  /console/files/:id                          -> the bytes
 * POST /console/replies/:turn/stop   Presses       -> Acted; `/retry` and `/regenerate` work in the same way
 * POST /console/replies/:turn/show   Presses       -> Acted: another version of the reply
 * POST /console/replies/:turn/ask    Presses       -> Acted: sends the question of the reply to another agent
 * POST /console/replies/:turn/suggest  Suggested  -> MessageView: asks a question that the reply suggests
 * POST /console/replies/:turn/ask-me Again         -> MessageView: asks the question of the reply in private
 * POST /console/replies/:turn/feedback  Presses    -> Acted
 * POST /console/replies/:turn/correction  Act     -> CorrectionView: the content of the form for a correction
 * POST /console/replies/:turn/correct  NewCorrection -> Corrected: stores a corrected answer
 * POST /console/messages/:id/edit    Rewriting     -> MessageView
 * POST /console/messages/:id/delete  Act           -> Acted
 * POST /console/shares               NewShare      -> MessageView
 * POST /console/unread              Act           -> UnreadView
 * POST /console/read                 NewPosition   -> Acted: `done` is false if the person has read further
 * POST /console/search               Search        -> SearchView: a body, so that no log contains the words
 * GET  /console/replies/:turn/receipt              -> ReceiptView
 * GET  /console/events?since=SEQ                   -> server-sent events, each `data:` a ConsoleEvent
 * GET  /console/sign-in                            -> SignInView; needs no cookie
 * POST /console/sign-in              { token }     -> 204 and a cookie, if the console has a token
 * GET  /console/sign-in/start                      -> redirect to the identity provider
 * GET  /console/sign-in/callback                   -> a cookie and a redirect to the page
 * POST /console/sign-in/logout  form logout_token  -> 200; the identity provider calls it to end sessions
 * POST /console/sign-out                           -> 204
 * POST /console/link                 { token }     -> LinkView: who wants to be linked; with sign-in only
 * POST /console/link/confirm         { token }     -> LinkView, once the person is linked
 * POST /console/connect              { channel }   -> ConnectView and a cookie; with sign-in only
 * POST /console/connect/finish  { channel, query } -> LinkView, once the person is linked
 * GET  /connect/:channel                           -> redirect to the page, which posts the query
 *
 * A page of a room or a thread contains the newest 200 messages, and a thread's page also the root. `?before=ID`
 * returns the messages before the message ID. A reconnecting event stream may send `Last-Event-ID` instead of `since`.
 *
 * Errors have a status 4xx or 5xx and { error: { code, message } }; `message` is a sentence for the person.
 * 401 `sign-in-needed` asks to sign in. A signed-in person reads the public rooms, the private rooms of which they are a
 * member, and their own direct rooms; `as` must then be their id. A private room does not exist for other people.
 */

import type { AgentCard, Media, Notice, ReplyDocument, Source, Step } from '../../src/kit.ts';

export interface PersonView {
  readonly id: string;
  readonly name: string;
  /** The person's role, which the page shows under the name. */
  readonly title: string;
}

export interface RoomView {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly kind: 'room' | 'direct';
  /** Set for a direct room: the person and the agent to whom it belongs. */
  readonly person?: string;
  readonly agent?: string;
  /** Set for a private room: the ids of its members in the order in which they joined. Only members may read it. */
  readonly members?: readonly string[];
  /** The person who may rename and archive the room, and remove its members. */
  readonly owner?: string;
  /** True if the room takes no new messages. */
  readonly archived?: boolean;
  /** Set for a stored conversation: the time when it began. */
  readonly at?: number;
  /** The title that the person gave a conversation. */
  readonly title?: string;
  /** The first words of a conversation, which are its title until the person gives it one. */
  readonly opening?: string;
}

export interface AgentView extends Omit<AgentCard, 'name' | 'icon'> {
  readonly name: string;
}

/** How people sign in: not at all, with the console's token, or with an identity provider. */
export interface SignInView {
  readonly kind: 'none' | 'token' | 'provider';
}

/** A person in another channel who asks with an account, or may ask with it once the link is confirmed. */
export interface LinkView {
  readonly channel: string;
  /** Display name of the channel. */
  readonly title: string;
  readonly tenant: string;
  readonly person: string;
  /** The name that the other channel shows for the person. */
  readonly name: string;
  /** The platform account of the signed-in person. */
  readonly account: string;
  /** Time for which the link lasts, in days. */
  readonly days: number;
}

/** A channel in which the signed-in person can connect their id by signing in there. */
export interface ConnectableView {
  readonly channel: string;
  /** Display name of the channel. */
  readonly title: string;
}

/** Address to which the page sends the browser, so that the person signs in to a chat platform, such as Slack. */
export interface ConnectView {
  readonly address: string;
}

export interface ConsoleState {
  /** Id of the signed-in person; absent if the page may choose whom to speak as. */
  readonly me?: string;
  readonly signIn?: SignInView['kind'];
  readonly connects?: readonly ConnectableView[];
  /** True if the rules let the signed-in person make rooms, and change the rooms of others. */
  readonly makesRooms?: boolean;
  readonly administers?: boolean;
  readonly people: readonly PersonView[];
  readonly rooms: readonly RoomView[];
  readonly agents: readonly AgentView[];
  /** Name of the bridge. A message that mentions it asks the room's default agent. */
  readonly botName: string;
  readonly defaultAgent: string;
  readonly limits: { readonly textChars: number; readonly files: number; readonly fileBytes: number };
  /** Number of the newest event; the event stream takes it as `since`. */
  readonly seq: number;
}

export interface FileView {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** True if `GET /console/files/:id` lets the browser show the file as an image. */
  readonly image: boolean;
}

export type StepView = Step;

export type NoticeView = Notice;

export interface MediaView extends Omit<Media, 'ref'> {
  /** Signed address of the image on this server; absent if the image cannot be opened. */
  readonly address?: string;
}

/**
 * A source as people see it. The inherited `mark` is the number that the agent wrote; people see `number` in its
 * place. `mark` is absent if both are equal.
 */
export interface SourceView extends Omit<Source, 'document'> {
  /** The number shown in the list and in the text: 1, 2, 3. */
  readonly number: number;
}

type SharedMembers = 'meanwhile' | 'text' | 'steps' | 'suggestions' | 'notices' | 'retry' | 'editions';

/** An agent's reply. All properties except `text` are small, so a change sends all of them. */
export interface ReplyView extends Pick<ReplyDocument, SharedMembers> {
  readonly turn: string;
  /** Id of the message that asked the question. */
  readonly question: string;
  readonly agent?: string;
  readonly state: ReplyDocument['state'] | 'waiting';
  /** Number of questions ahead of this question; set only while the reply waits. */
  readonly ahead?: number;
  readonly media: readonly MediaView[];
  readonly sources: readonly SourceView[];
  /** True if "Ask as me" may use other rights on the platform than this answer did. */
  readonly asMe?: true;
  /** True if the answer can be corrected, and the access rules allow this to at least one person of the room. */
  readonly correctable?: true;
  /** Ratings of the version that is shown, by person. */
  readonly thumbs?: Readonly<Record<string, Thumb>>;
}

export type Thumb = 'up' | 'down';

/** A source or a whole answer that a person shared in a thread or room. */
export interface SharedView {
  readonly source?: SourceView;
  readonly answer?: { readonly text: string; readonly sources: readonly SourceView[] };
  readonly from: {
    readonly room: string;
    readonly thread: string;
    readonly agent: string;
    /** The question's text, shortened. */
    readonly question: string;
  };
}

export interface MessageView {
  readonly id: string;
  readonly room: string;
  /** Id of the thread's first message (for that message, its own id). In a direct room always `direct`. */
  readonly thread: string;
  readonly at: number;
  readonly author: { readonly kind: 'person' | 'agent'; readonly id: string; readonly name: string };
  readonly text: string;
  readonly files: readonly FileView[];
  readonly reply?: ReplyView;
  readonly shared?: SharedView;
  /** Ids of the people whom the message mentions. */
  readonly mentions?: readonly string[];
  /** True if the author edited the message. */
  readonly edited?: true;
  /** Set if the author deleted the message and it stays, empty, because its thread has answers. */
  readonly deleted?: true;
  /** Set for roots: number of answers in the thread, and time of the newest one. */
  readonly answers?: number;
  readonly lastAt?: number;
  /** Number of the event that last changed the message. */
  readonly seq: number;
}

export interface RoomPage {
  readonly room: RoomView;
  readonly messages: readonly MessageView[];
}

export interface ThreadPage extends RoomPage {
  readonly thread: string;
}

export interface Act {
  /** Id of the person who acts. */
  readonly as: string;
}

/** A message of another author that the person has not read. */
export interface UnreadMessage {
  readonly id: string;
  readonly room: string;
  readonly thread: string;
  /** True if the message mentions the person. */
  readonly mention?: boolean;
}

export interface UnreadView {
  /** Unread messages by room, oldest first; of each room at most the newest 100. */
  readonly messages: readonly UnreadMessage[];
  /** Number of the newest event that is counted. */
  readonly seq: number;
}

/** The newest message that the person has read: in the whole room or, with `thread`, only in that thread. */
export interface NewPosition extends Act {
  readonly room: string;
  readonly thread?: string;
  readonly message: string;
}

export interface Search extends Act {
  readonly text: string;
}

export interface SearchHit extends Pick<MessageView, 'id' | 'room' | 'thread' | 'at' | 'author'> {
  /** Text around the hit. Every second part is a hit. */
  readonly snippet: readonly string[];
}

export interface SearchView {
  readonly hits: readonly SearchHit[];
}

export interface NewRoom extends Act {
  readonly name: string;
  readonly topic?: string;
  /** True if only members may read the room. The first member is the person who makes it. */
  readonly private?: boolean;
}

/** Properties of a room that change. In a conversation, `name` is its title. */
export interface ChangedRoom extends Act {
  readonly name?: string;
  readonly topic?: string;
  readonly archived?: boolean;
}

export interface Membership extends Act {
  readonly person: string;
}

export interface NewConversation extends Act {
  readonly agent: string;
}

export interface Again extends Act {
  /** Idempotency key, chosen by the page. A request repeated with the same nonce has no further effect. */
  readonly nonce: string;
}

export interface NewMessage extends Again {
  readonly text: string;
  readonly files: readonly string[];
  /** Id of the thread's first message. If absent, the message begins a new thread. */
  readonly thread?: string;
}

export interface Suggested extends Again {
  /** The suggestion, exactly as the reply contains it. */
  readonly text: string;
}

/** Bodies of the presses under a reply, by the last part of their path. Each has the properties of `Act` too. */
export interface Presses {
  readonly stop: object;
  readonly instead: object;
  readonly retry: object;
  readonly regenerate: object;
  readonly show: { readonly edition: number; readonly nonce: string };
  readonly ask: { readonly agent: string; readonly nonce: string };
  readonly feedback: { readonly verdict: Thumb | 'none'; readonly note?: string };
}

/** Content of the form for a correction. */
export interface CorrectionView {
  readonly question: string;
  readonly answer: string;
  /** Sentences above the fields, such as where the correction is stored. */
  readonly told: readonly string[];
  /** Maximum UTF-16 units of each text. */
  readonly limits: { readonly question: number; readonly answer: number };
}

export interface NewCorrection extends Act {
  readonly question: string;
  readonly answer: string;
}

export interface Corrected {
  /** Result of the correction, as a sentence for the person. */
  readonly sentence: string;
}

export interface Rewriting extends Act {
  readonly text: string;
}

export interface Acted {
  readonly done: boolean;
  /** If the press had no effect, the reason as a sentence. */
  readonly reason?: string;
}

export interface NewShare extends Act {
  readonly turn: string;
  /** Key of the source to share. If absent, the whole answer is shared. */
  readonly source?: string;
  readonly room: string;
  /** Thread to share in. If absent, the share begins a new thread. */
  readonly thread?: string;
}

export interface ReceiptView {
  readonly turn: string;
  readonly entries: readonly {
    readonly at: number;
    readonly name: string;
    readonly detail: Readonly<Record<string, string | number | boolean>>;
  }[];
}

/** An event. The stream begins with `hello`, or with `reload` if the server no longer has all events after `since`. */
export type ConsoleEvent =
  | { readonly type: 'hello'; readonly seq: number }
  | { readonly type: 'reload'; readonly seq: number }
  | { readonly type: 'room'; readonly seq: number; readonly room: RoomView }
  /** The person can no longer read the room. Only this person receives the event. */
  | { readonly type: 'left'; readonly seq: number; readonly room: string; readonly person: string }
  | {
      readonly type: 'message';
      readonly seq: number;
      readonly message: MessageView;
      /** True if the message is new, or its reply has just ended. */
      readonly arrived?: boolean;
    }
  /** The person has read up to a message, perhaps in another browser. Only this person receives the event. */
  | {
      readonly type: 'read';
      readonly seq: number;
      readonly person: string;
      readonly room: string;
      readonly thread?: string;
      readonly message: string;
    }
  | {
      readonly type: 'removed';
      readonly seq: number;
      readonly id: string;
      readonly room: string;
      readonly thread: string;
    }
  /**
   * `text` replaces the reply's text from `at` on (UTF-16 units). `rest` replaces all other properties of the reply.
   */
  | {
      readonly type: 'reply';
      readonly seq: number;
      readonly id: string;
      readonly room: string;
      readonly thread: string;
      readonly text?: { readonly at: number; readonly text: string };
      readonly rest?: Omit<ReplyView, 'text'>;
    };
