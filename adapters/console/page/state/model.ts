import type { ConsoleEvent, ConsoleState, MessageView, RoomPage, RoomView, ThreadPage } from '../../wire.ts';

/** Settings of the server, which it sends at the start and after a reload. */
export type Setup = Omit<ConsoleState, 'rooms' | 'seq'>;

/** The room and thread that are shown; also the page's address after `#`. */
export interface Place {
  readonly room?: string;
  readonly thread?: string;
}

export type RoomPlace = Place & { readonly room: string };

/** The panel at the right edge. */
export type Panel =
  | { readonly kind: 'sources'; readonly turn: string; readonly source?: string }
  | { readonly kind: 'receipt'; readonly turn: string };

/** The one dialog that is open. */
type Dialog =
  /** Without a source the answer itself is shared. */
  | { readonly kind: 'share'; readonly turn: string; readonly source?: string }
  | { readonly kind: 'another'; readonly turn: string }
  | { readonly kind: 'note'; readonly turn: string }
  | { readonly kind: 'edit' | 'delete'; readonly message: MessageView }
  | { readonly kind: 'room' };

/** A passing word at the foot of the page. */
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

/** Load state of a room or a thread; absent: not requested yet, or to be requested again. */
export type Loaded =
  | 'asked'
  | 'known'
  | { readonly failed: string /** It does not exist. */; readonly gone: boolean };

export interface PageState {
  readonly phase: 'loading' | 'ready' | 'sign-in' | 'failed';
  /** Why the page could not begin. */
  readonly failure?: string;
  readonly link: 'opening' | 'open' | 'lost';
  /** Number of reconnects. Errors from before the last one are stale. */
  readonly reconnects: number;
  readonly setup?: Setup;
  readonly rooms: readonly RoomView[];
  /** By room, oldest first: roots and the threads' messages alike. */
  readonly messages: Readonly<Record<string, readonly MessageView[]>>;
  readonly loaded: Readonly<Record<string, Loaded>>;
  /** Of which rooms and threads older messages can be fetched. */
  readonly earlier: Readonly<Record<string, boolean>>;
  /** Events that came before the page they change; they are applied when it is here. */
  readonly waiting: readonly ConsoleEvent[];
  /** Set between a `reload` and the pages fetched because of it. */
  readonly stale: boolean;
  /** The person's latest message. */
  readonly sent?: string;
  readonly seq: number;
  readonly unread: Readonly<Record<string, number>>;
  /** The person spoken as. */
  readonly who: string;
  readonly place: Place;
  readonly panel: Panel | undefined;
  readonly dialog: Dialog | undefined;
  readonly toast: Toast | undefined;
  /** Messages whose reply is running, as far as the page knows. */
  readonly running: readonly string[];
  /** For screen readers, newest last. */
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
  /** Messages before those of the page that is held. */
  | { readonly type: 'earlier'; readonly page: RoomPage | ThreadPage }
  | { readonly type: 'place'; readonly place: Place }
  | { readonly type: 'view'; readonly view: Partial<View> };

/** Members of the state that an action replaces without further effects. */
export type View = Pick<PageState, 'phase' | 'failure' | 'who' | 'panel' | 'dialog' | 'toast'>;

export const DIRECT = 'direct';

/** The key of a room or a thread in `loaded`. */
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
