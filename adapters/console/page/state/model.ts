import type { ConsoleEvent, ConsoleState, MessageView, RoomPage, RoomView, ThreadPage } from '../../wire.ts';

/** Settings of the server, which it sends at the start and after a reload. */
export type Setup = Omit<ConsoleState, 'rooms' | 'seq'>;

/** The open room and thread, which the page's address contains after `#`. */
export interface Place {
  readonly room?: string;
  readonly thread?: string;
}

export type RoomPlace = Place & { readonly room: string };

/** The panel at the right edge. */
export type Panel =
  | { readonly kind: 'sources'; readonly turn: string; readonly source?: string }
  | { readonly kind: 'receipt'; readonly turn: string };

/** The open dialog. */
type Dialog =
  /** Without `source`, the dialog shares the whole answer. */
  | { readonly kind: 'share'; readonly turn: string; readonly source?: string }
  | { readonly kind: 'another'; readonly turn: string }
  | { readonly kind: 'note'; readonly turn: string }
  | { readonly kind: 'edit' | 'delete'; readonly message: MessageView }
  | { readonly kind: 'room' };

/** A short message that disappears by itself. */
export interface Toast {
  readonly tone: 'info' | 'error';
  readonly text: string;
  readonly place?: Place;
}

/** A text for screen readers; `urgent` interrupts the text that they are reading. */
export interface Announcement {
  readonly id: number;
  readonly text: string;
  readonly urgent: boolean;
}

/** Load state of a room or a thread. Absent: not requested yet, or to be requested again. */
export type Loaded =
  | 'asked'
  | 'known'
  /** `gone`: the room or thread does not exist. */
  | { readonly failed: string; readonly gone: boolean };

export interface PageState {
  readonly phase: 'loading' | 'ready' | 'sign-in' | 'failed';
  /** Reason why the page could not start. */
  readonly failure?: string;
  readonly link: 'opening' | 'open' | 'lost';
  /** Number of reconnects. Errors from before the last reconnect are outdated. */
  readonly reconnects: number;
  readonly setup?: Setup;
  readonly rooms: readonly RoomView[];
  /** Messages by room, oldest first, with those of threads. */
  readonly messages: Readonly<Record<string, readonly MessageView[]>>;
  readonly loaded: Readonly<Record<string, Loaded>>;
  /** True for rooms and threads that have older messages to fetch, by load key. */
  readonly earlier: Readonly<Record<string, boolean>>;
  /** Events that arrived before the page that they change. They are applied once that page has loaded. */
  readonly waiting: readonly ConsoleEvent[];
  /** True from a `reload` event until the visible pages have loaded again. */
  readonly stale: boolean;
  /** Id of the person's latest message. */
  readonly sent?: string;
  readonly seq: number;
  readonly unread: Readonly<Record<string, number>>;
  /** Id of the person to speak as. */
  readonly who: string;
  readonly place: Place;
  readonly panel: Panel | undefined;
  readonly dialog: Dialog | undefined;
  readonly toast: Toast | undefined;
  /** Ids of the messages whose reply is running. */
  readonly running: readonly string[];
  /** Announcements for screen readers, newest last. */
  readonly announcements: readonly Announcement[];
}

export type Action =
  | { readonly type: 'began'; readonly state: ConsoleState; readonly who: string; readonly place: Place }
  | {
      readonly type: 'renewed';
      readonly state: ConsoleState;
      readonly pages: readonly (RoomPage | ThreadPage)[];
    }
  | { readonly type: 'link'; readonly link: PageState['link'] }
  | { readonly type: 'events'; readonly events: readonly ConsoleEvent[] }
  | { readonly type: 'kept'; readonly message: MessageView }
  | { readonly type: 'room-added'; readonly room: RoomView }
  | { readonly type: 'loaded'; readonly key: string; readonly loaded: Loaded | undefined }
  | { readonly type: 'page'; readonly page: RoomPage | ThreadPage }
  /** Adds a page of earlier messages. */
  | { readonly type: 'earlier'; readonly page: RoomPage | ThreadPage }
  | { readonly type: 'place'; readonly place: Place }
  | { readonly type: 'view'; readonly view: Partial<View> };

/** Members of the state that an action replaces without further effects. */
export type View = Pick<PageState, 'phase' | 'failure' | 'who' | 'panel' | 'dialog' | 'toast'>;

export const DIRECT = 'direct';

/** Returns the key of a room or a thread in `loaded` and `earlier`. */
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
  unread: {},
  who: '',
  place: {},
  panel: undefined,
  dialog: undefined,
  toast: undefined,
  running: [],
  announcements: [],
};
