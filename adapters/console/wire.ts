/**
 * Messages between the console's page and the bridge: JSON over HTTP under `/console`, and server-sent
 * events. Types only, so that the page can import them.
 *
 * GET  /console/state                              -> ConsoleState
 * GET  /console/rooms/:room                        -> RoomPage: roots of a room, or all messages of a direct room
 * GET  /console/rooms/:room/threads/:thread        -> ThreadPage
 * POST /console/rooms                NewRoom       -> RoomView
 * POST /console/rooms/:room/messages NewMessage    -> MessageView (kept durably, and by the bridge when addressed)
 * POST /console/files?name=NAME&as=PERSON  raw bytes -> FileView
 * GET  /console/files/:id                          -> the bytes
 * POST /console/replies/:turn/stop   Presses       -> Acted; also `retry` and `regenerate`
 * POST /console/replies/:turn/show   Presses       -> Acted: another version of the reply
 * POST /console/replies/:turn/ask    Presses       -> Acted: its question, asked of another agent
 * POST /console/replies/:turn/suggest  Suggested  -> MessageView: a question that it suggests
 * POST /console/replies/:turn/ask-me Again         -> MessageView: its question, asked in private
 * POST /console/replies/:turn/feedback  Presses    -> Acted
 * POST /console/messages/:id/edit    Rewriting     -> MessageView
 * POST /console/messages/:id/delete  Act           -> Acted
 * POST /console/shares               NewShare      -> MessageView
 * GET  /console/replies/:turn/receipt              -> ReceiptView
 * GET  /console/events?since=SEQ                   -> server-sent events, each `data:` a ConsoleEvent
 * POST /console/sign-in              { token }     -> 204 and a cookie, where a token is set
 *
 * Pages of a room and a thread hold the newest 200 messages (a thread's page its root too); `?before=ID` gives those
 * before the message ID. A reconnecting event stream may give `Last-Event-ID` in place of `since`.
 *
 * Errors: status 4xx or 5xx with { error: { code, message } }; `message` is a sentence for the person.
 * 401 `sign-in-needed` asks for the console's token.
 */

export interface PersonView {
  readonly id: string;
  readonly name: string;
  /** A short word for what they are, as shown under the name. */
  readonly title: string;
}

export interface RoomView {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly kind: 'room' | 'direct';
  /** For direct rooms: whose they are and with which agent. */
  readonly person?: string;
  readonly agent?: string;
}

export interface AgentView {
  readonly name: string;
  readonly description: string;
  readonly seesImages: boolean;
}

export interface ConsoleState {
  readonly people: readonly PersonView[];
  readonly rooms: readonly RoomView[];
  readonly agents: readonly AgentView[];
  /** Mention of the bridge itself; asks the room's default agent. */
  readonly botName: string;
  readonly defaultAgent: string;
  readonly limits: { readonly textChars: number; readonly files: number; readonly fileBytes: number };
  /** The newest event; give it as `since`. */
  readonly seq: number;
}

export interface FileView {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** True if `GET /console/files/:id` shows it inline as an image. */
  readonly image: boolean;
}

export interface StepView {
  readonly id: string;
  readonly name: string;
  readonly detail?: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly elapsedMs?: number;
}

export interface MediaView {
  readonly id: string;
  readonly kind: 'image' | 'file';
  readonly name: string;
  /** The destination by which the text's Markdown shows it, where it does. */
  readonly inline?: string;
  /** Same-origin signed address of the image's bytes; absent when it cannot be opened. */
  readonly address?: string;
  /** An http(s) address a person may open. */
  readonly link?: string;
}

export interface SourceView {
  readonly key: string;
  /** As listed and as in the text: 1, 2, 3. */
  readonly number: number;
  /** The mark in the answer's text that stands for it, where it differs from `number`. */
  readonly mark?: number;
  readonly title: string;
  readonly kind: 'document' | 'image' | 'QnA' | 'other';
  readonly score?: number;
  readonly link?: string;
  readonly fragments: readonly { readonly text: string; readonly score?: number }[];
}

export interface NoticeView {
  readonly tone: 'info' | 'warning' | 'error';
  readonly text: string;
}

/** An agent's reply; everything but `text` is small and always sent whole. */
export interface ReplyView {
  readonly turn: string;
  /** The message that asked. */
  readonly question: string;
  readonly agent?: string;
  readonly state:
    | 'waiting'
    | 'thinking'
    | 'writing'
    | 'done'
    | 'partial'
    | 'stopped'
    | 'failed'
    | 'withdrawn';
  /** While waiting: how many questions come first. */
  readonly ahead?: number;
  /** Text while it is thinking, if there is more to say than that. */
  readonly meanwhile?: string;
  /** Markdown as the platform wrote it. */
  readonly text: string;
  readonly steps: readonly StepView[];
  readonly media: readonly MediaView[];
  readonly sources: readonly SourceView[];
  readonly suggestions: readonly string[];
  readonly notices: readonly NoticeView[];
  readonly retry: boolean;
  /** True if "Ask as me" may give an answer with other platform rights. */
  readonly asMe?: true;
  /** Which of its versions this is, counted from 1; absent while there is one only. */
  readonly editions?: { readonly shown: number; readonly count: number };
  /** Ratings of this version, by person. */
  readonly thumbs?: Readonly<Record<string, Thumb>>;
}

export type Thumb = 'up' | 'down';

/** A source, or a whole answer, that a person shared in a thread or a room. */
export interface SharedView {
  readonly source?: SourceView;
  readonly answer?: { readonly text: string; readonly sources: readonly SourceView[] };
  /** Its origin. */
  readonly from: {
    readonly room: string;
    readonly thread: string;
    readonly agent: string;
    /** The beginning of the question's text. */
    readonly question: string;
  };
}

export interface MessageView {
  readonly id: string;
  readonly room: string;
  /** The id of the message that began the thread (its own id for a root); in a direct room always `direct`. */
  readonly thread: string;
  readonly at: number;
  readonly author: { readonly kind: 'person' | 'agent'; readonly id: string; readonly name: string };
  readonly text: string;
  readonly files: readonly FileView[];
  readonly reply?: ReplyView;
  readonly shared?: SharedView;
  /** Its author wrote it anew. */
  readonly edited?: true;
  /** Its author deleted it; it stands for the thread under it. */
  readonly deleted?: true;
  /** For roots: answers in the thread, and when the newest came. */
  readonly answers?: number;
  readonly lastAt?: number;
  /** The event that last changed it. */
  readonly seq: number;
}

export interface RoomPage {
  readonly room: RoomView;
  readonly messages: readonly MessageView[];
}

export interface ThreadPage {
  readonly room: RoomView;
  readonly thread: string;
  readonly messages: readonly MessageView[];
}

export interface NewRoom {
  readonly as: string;
  readonly name: string;
  readonly topic?: string;
}

export interface NewMessage {
  /** The person who speaks. */
  readonly as: string;
  readonly text: string;
  readonly files: readonly string[];
  /** The root to answer under; absent begins a new thread. */
  readonly thread?: string;
  /** Chosen by the page, so that a repeated request is one message. */
  readonly nonce: string;
}

export interface Act {
  readonly as: string;
}

export interface Again extends Act {
  /** Chosen by the page, so that a repeated request is one press. */
  readonly nonce: string;
}

export interface Suggested extends Again {
  /** As the reply suggests it. */
  readonly text: string;
}

/** Bodies of the presses under a reply, which extend `Act`, by the last part of their address. */
export interface Presses {
  readonly stop: object;
  readonly retry: object;
  readonly regenerate: object;
  readonly show: { readonly edition: number; readonly nonce: string };
  readonly ask: { readonly agent: string; readonly nonce: string };
  readonly feedback: { readonly verdict: Thumb | 'none'; readonly note?: string };
}

export interface Rewriting extends Act {
  readonly text: string;
}

export interface Acted {
  readonly done: boolean;
  /** Why not, as a sentence. */
  readonly reason?: string;
}

export interface NewShare {
  readonly as: string;
  readonly turn: string;
  /** Absent: the whole answer is shared. */
  readonly source?: string;
  readonly room: string;
  /** Absent posts a new root. */
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

/** A change since `seq`; the stream begins with `hello`, or with `reload` when `since` is too old to be replayed. */
export type ConsoleEvent =
  | { readonly type: 'hello'; readonly seq: number }
  | { readonly type: 'reload'; readonly seq: number }
  | { readonly type: 'room'; readonly seq: number; readonly room: RoomView }
  | { readonly type: 'message'; readonly seq: number; readonly message: MessageView }
  | {
      readonly type: 'removed';
      readonly seq: number;
      readonly id: string;
      readonly room: string;
      readonly thread: string;
    }
  /** `text` replaces the reply's text from `at` (UTF-16 units); `rest` replaces all its other members. */
  | {
      readonly type: 'reply';
      readonly seq: number;
      readonly id: string;
      readonly room: string;
      readonly thread: string;
      readonly text?: { readonly at: number; readonly text: string };
      readonly rest?: Omit<ReplyView, 'text'>;
    };
