/**
 * The protocol between the console's page and the bridge: JSON over HTTP under `/console`, and server-sent events. Has
 * types only, so that the page can import it.
 *
 * GET  /console/state                              -> ConsoleState
 * GET  /console/rooms/:room                        -> RoomPage: roots of a room, or all messages of a direct room
 * GET  /console/rooms/:room/threads/:thread        -> ThreadPage
 * POST /console/rooms                              -> RoomView
 * POST /console/rooms/:room/change                 -> RoomView
 * POST /console/rooms/:room/invite                 -> RoomView
 * POST /console/rooms/:room/remove                 -> Acted: removes a member, or oneself
 * POST /console/rooms/:room/delete                 -> Acted: deletes a conversation with an agent
 * GET  /console/rooms/:room/export                 -> a conversation with an agent, as Markdown
 * POST /console/conversations                      -> RoomView: a conversation without messages
 * POST /console/rooms/:room/messages               -> MessageView, stored on disk; the bridge stores a question too
 * POST /console/files?name=NAME&as=PERSON  raw bytes -> FileView
 * GET  /console/files/:id                          -> the bytes
 * POST /console/replies/:turn/stop                 -> Acted; `/retry` and `/regenerate` work in the same way
 * POST /console/replies/:turn/show                 -> Acted: another version of the reply
 * POST /console/replies/:turn/ask                  -> Acted: sends the question of the reply to another agent
 * POST /console/replies/:turn/suggest              -> MessageView: asks a question that the reply suggests
 * POST /console/replies/:turn/ask-me               -> MessageView: asks the question of the reply in private
 * POST /console/replies/:turn/feedback             -> Acted
 * POST /console/replies/:turn/correction           -> CorrectionView: the content of the form for a correction
 * POST /console/replies/:turn/correct              -> Corrected: stores a corrected answer
 * POST /console/messages/:id/edit                  -> MessageView
 * POST /console/messages/:id/delete                -> Acted
 * POST /console/shares                             -> MessageView
 * POST /console/unread                             -> UnreadView
 * POST /console/read                               -> Acted: `done` is false if the person has read further
 * POST /console/search                             -> SearchView: a body, so that no log contains the words
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
 * `operate-wire.ts` describes the routes of the operator's page.
 * `bodies.ts` contains the bodies of the POST routes that act for a person.
 *
 * A page of a room or a thread contains the newest 200 messages, and a thread's page also the root. `?before=ID`
 * returns the messages before the message ID. A reconnecting event stream may send `Last-Event-ID` instead of `since`.
 *
 * Errors have a status 4xx or 5xx and { error: { code, message } }; `message` is a sentence for the person.
 * 401 `sign-in-needed` asks to sign in. A signed-in person reads the public rooms, the private rooms of which they are a
 * member, and their own direct rooms; `as` must then be their id. A private room does not exist for other people.
 */

import type { AgentCard, Media } from '../../src/kit/ladder.ts';
import type { ReplyDocument, Source } from '../../src/kit.ts';

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

/** Address to which the page sends the browser, so that the person signs in to a chat platform, such as Slack. */
export interface ConnectView {
  readonly address: string;
}

export interface ConsoleState {
  /** Id of the signed-in person; absent if the page may choose whom to speak as. */
  readonly me?: string;
  readonly signIn?: SignInView['kind'];
  /** True if the person may see the operator's page. */
  readonly operates?: boolean;
  /** The channels in which the signed-in person can connect their id by signing in there. */
  readonly connects?: readonly Pick<LinkView, 'channel' | 'title'>[];
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

export type MessagePlace = Pick<MessageView, 'id' | 'room' | 'thread'>;

/** A message of another author that the person has not read. */
export interface UnreadMessage extends MessagePlace {
  /** True if the message mentions the person. */
  readonly mention?: boolean;
}

export interface UnreadView {
  /** Unread messages by room, oldest first; of each room at most the newest 100. */
  readonly messages: readonly UnreadMessage[];
  /** Number of the newest event that is counted. */
  readonly seq: number;
}

export interface SearchHit extends Pick<MessageView, 'id' | 'room' | 'thread' | 'at' | 'author'> {
  /** Text around the hit. Every second part is a hit. */
  readonly snippet: readonly string[];
}

export interface SearchView {
  readonly hits: readonly SearchHit[];
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

export interface Corrected {
  /** Result of the correction, as a sentence for the person. */
  readonly sentence: string;
}

export interface Acted {
  readonly done: boolean;
  /** If the press had no effect, the reason as a sentence. */
  readonly reason?: string;
}

export interface ReceiptView {
  readonly turn: string;
  readonly entries: readonly {
    readonly at: number;
    readonly name: string;
    readonly detail: Readonly<Record<string, string | number | boolean>>;
  }[];
}

/** The last part of the path of a press under a reply. */
export type Press = 'stop' | 'instead' | 'retry' | 'regenerate' | 'show' | 'ask' | 'feedback';

/** The responses of the POST routes that act for a person, by path. `bodies.ts` contains the schemas of their bodies. */
export type Views = Record<
  '/rooms' | '/rooms/:id/change' | '/rooms/:id/invite' | '/conversations',
  RoomView
> &
  Record<'/rooms/:id/messages' | '/messages/:id/edit' | '/shares', MessageView> &
  Record<'/replies/:id/suggest' | '/replies/:id/ask-me', MessageView> &
  Record<'/rooms/:id/remove' | '/rooms/:id/delete' | '/messages/:id/delete' | '/read', Acted> &
  Record<`/replies/:id/${Press}`, Acted> & {
    '/replies/:id/correction': CorrectionView;
    '/replies/:id/correct': Corrected;
    '/unread': UnreadView;
    '/search': SearchView;
  };

/** An event without its number. */
export type NewEvent =
  | { readonly type: 'hello' | 'reload' }
  | { readonly type: 'room'; readonly room: RoomView }
  /** The person can no longer read the room. Only this person receives the event. */
  | { readonly type: 'left'; readonly room: string; readonly person: string }
  /** `arrived` is true if the message is new, or its reply has just ended. */
  | { readonly type: 'message'; readonly message: MessageView; readonly arrived?: boolean }
  /** The person has read up to a message, perhaps in another browser. Only this person receives the event. */
  | {
      readonly type: 'read';
      readonly person: string;
      readonly room: string;
      readonly thread?: string;
      readonly message: string;
    }
  | ({ readonly type: 'removed' } & MessagePlace)
  /**
   * `text` replaces the reply's text from `at` on (UTF-16 units). `rest` replaces all other properties of the reply.
   */
  | ({
      readonly type: 'reply';
      readonly text?: { readonly at: number; readonly text: string };
      readonly rest?: Omit<ReplyView, 'text'>;
    } & MessagePlace);

/** An event. The stream begins with `hello`, or with `reload` if the server no longer has all events after `since`. */
export type ConsoleEvent = NewEvent & { readonly seq: number };
