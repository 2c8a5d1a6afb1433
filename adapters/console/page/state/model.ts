import type { ConsoleEvent, ConsoleState, MessageView, RoomView, UnreadMessage } from '../../wire.ts';

/** The server's settings. The server sends them at the start and after a reload. */
export type Setup = Omit<ConsoleState, 'rooms' | 'seq'>;

/** The open room and thread. The page's address contains them after `#`. */
export interface Place {
  readonly room?: string;
  readonly thread?: string;
}

/** A connection, which the page makes, between an id in another channel and the account of the signed-in person. */
export type Connecting =
  /** A one-time code, which the token contains, proves that the id is the person's own. */
  | { readonly kind: 'code'; readonly token: string }
  /**
   * A sign-in to the other chat platform proves that the id is the person's own. The browser came back from there with
   * this query.
   */
  | { readonly kind: 'proof'; readonly channel: string; readonly query: string };

export type RoomPlace = Place & { readonly room: string };

/** Content of the panel at the right edge. */
export type Panel =
  | { readonly kind: 'sources'; readonly turn: string; readonly source?: string }
  | { readonly kind: 'receipt'; readonly turn: string };

export interface Unread extends UnreadMessage {
  /** Number of the event with which the message arrived; 0 if the server counted it. */
  readonly seq: number;
}

/** The person's message that is being edited. */
interface Editing {
  readonly id: string;
  /** The open thread in which it is edited; undefined in the room, which may show the same message beside the thread. */
  readonly thread: string | undefined;
  readonly text: string;
}

/** A short message that disappears after 6 s. */
export interface Toast {
  readonly tone: 'info' | 'error';
  readonly text: string;
  readonly place?: Place;
}

/** A text for screen readers. If `urgent` is true, screen readers interrupt what they are reading. */
export interface Announcement {
  readonly id: number;
  readonly text: string;
  readonly urgent: boolean;
}

/**
 * State of loading a room or thread. If absent, the room or thread was not requested yet, or must be requested again.
 */
export type Loaded =
  | 'asked'
  | 'known'
  /** `gone` is true if the room or thread does not exist. */
  | { readonly failed: string; readonly gone: boolean };

export interface PageState {
  readonly phase: 'loading' | 'ready' | 'sign-in' | 'failed';
  /** Why the page could not start, as a sentence. */
  readonly failure?: string;
  readonly link: 'opening' | 'open' | 'lost';
  /** Number of times that the connection came back. Errors from before the last reconnect are out of date. */
  readonly reconnects: number;
  readonly setup?: Setup;
  readonly rooms: readonly RoomView[];
  /** Messages of each room, including those in threads, oldest first. */
  readonly messages: Readonly<Record<string, readonly MessageView[]>>;
  readonly loaded: Readonly<Record<string, Loaded>>;
  /** By load key, true if the room or thread has older messages that can be loaded. */
  readonly earlier: Readonly<Record<string, boolean>>;
  /** Events for messages that are not loaded yet. They are applied once those messages are loaded. */
  readonly waiting: readonly ConsoleEvent[];
  /** True from a `reload` event until the visible room and thread have been loaded again. */
  readonly stale: boolean;
  /** Id of the message that the person sent last. */
  readonly sent?: string;
  readonly seq: number;
  /** True while a request has had no response for 5 s. */
  readonly slow: boolean;
  /** Unread messages by room, oldest first. */
  readonly unread: Readonly<Record<string, readonly Unread[]>>;
  /** Messages of the open room that were unread when the person came to it. */
  readonly fresh: readonly Unread[];
  /** True while the tab is hidden. */
  readonly hidden: boolean;
  /** The message to scroll to, such as a hit of a search. */
  readonly found: { readonly id: string } | undefined;
  /** Id of the person to speak as. */
  readonly who: string;
  readonly place: Place;
  /** The connection that the page's address asks the person to confirm; undefined if it asks for none. */
  readonly connecting: Connecting | undefined;
  /** The address of the operator's page while it is open. */
  readonly operating: string | undefined;
  readonly panel: Panel | undefined;
  /** The open dialog, as a Preact element. Its own type would bring the types of browsers into the bridge. */
  readonly dialog: { readonly type: unknown } | undefined;
  readonly toast: Toast | undefined;
  readonly editing: Editing | undefined;
  /** Ids of messages whose reply has not ended. */
  readonly running: readonly string[];
  /** Announcements for screen readers, newest last. */
  readonly announcements: readonly Announcement[];
}

/** Properties of the state that `show` may replace. */
export type View = Pick<
  PageState,
  | 'phase'
  | 'failure'
  | 'slow'
  | 'panel'
  | 'dialog'
  | 'toast'
  | 'editing'
  | 'connecting'
  | 'operating'
  | 'found'
>;

export const DIRECT = 'direct';

/** Returns the key of a room or thread in `loaded` and `earlier`. */
export function loadKey(room: string, thread?: string): string {
  return thread === undefined ? room : `${room}/${thread}`;
}

export const emptyState: PageState = {
  phase: 'loading',
  link: 'opening',
  reconnects: 0,
  rooms: [],
  messages: {},
  loaded: {},
  earlier: {},
  waiting: [],
  stale: false,
  seq: 0,
  slow: false,
  unread: {},
  fresh: [],
  hidden: false,
  found: undefined,
  who: '',
  place: {},
  connecting: undefined,
  operating: undefined,
  panel: undefined,
  dialog: undefined,
  toast: undefined,
  editing: undefined,
  running: [],
  announcements: [],
};
