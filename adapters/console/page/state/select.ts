import type { MessageView, RoomView } from '../../wire.ts';
import { isLive, isRoot } from './messages.ts';
import type { PageState, RoomPlace } from './model.ts';

const none: readonly MessageView[] = [];

export function roomOf(state: PageState, id: string | undefined): RoomView | undefined {
  return state.rooms.find((room) => room.id === id);
}

/** Returns the open room; undefined if it does not exist, or if this person may not see it. */
export function openRoom({ rooms, place, who }: PageState): RoomView | undefined {
  return rooms.find((room) => room.id === place.room && isOpenTo(room, who));
}

export function isOpenTo(room: RoomView, who: string): boolean {
  if (room.kind === 'room') return room.members?.includes(who) ?? true;
  return (room.person ?? who) === who;
}

export function messagesOf(state: PageState, room: string): readonly MessageView[] {
  return state.messages[room] ?? none;
}

/** Summary of a thread: number of answers, time of the newest, authors, and the reply that is being written. */
export interface Summary {
  readonly answers: number;
  readonly lastAt: number;
  readonly authors: readonly MessageView['author'][];
  readonly live?: MessageView;
}

/** Returns the summaries of a room's threads, by the root's id. A root without answers has none. */
export function summariesOf(messages: readonly MessageView[]): ReadonlyMap<string, Summary> {
  const threads = Map.groupBy(messages, (message) => message.thread);
  const found = [...threads].flatMap(([thread, all]) => {
    const root = all.find((message) => message.id === thread);
    const summary = root && summarise(root, all);
    return summary ? [[thread, summary] as const] : [];
  });
  return new Map(found);
}

function summarise(root: MessageView, thread: readonly MessageView[]): Summary | undefined {
  const under = thread.filter((message) => message !== root);
  const answers = Math.max(root.answers ?? 0, under.length);
  if (answers === 0) return undefined;
  const live = under.findLast((message) => message.reply && isLive(message.reply));
  const authors = new Map(under.map((message) => [message.author.id, message.author]));
  const lastAt = Math.max(root.lastAt ?? root.at, ...under.map((message) => message.at));
  return { answers, lastAt, authors: [...authors.values()].slice(0, 3), ...(live ? { live } : {}) };
}

export function replyOf(state: PageState, turn: string) {
  for (const messages of Object.values(state.messages)) {
    const message = messages.findLast((one) => one.reply?.turn === turn);
    if (message?.reply) return { message, reply: message.reply };
  }
  return undefined;
}

/** Returns the rooms that the person may read: those that take messages, archived ones, and conversations. */
export function roomsFor(state: PageState) {
  const open = state.rooms.filter((room) => isOpenTo(room, state.who));
  const rooms = open.filter((room) => room.kind === 'room' && !room.archived);
  const archived = open.filter((room) => room.kind === 'room' && room.archived);
  return { rooms, archived, directs: open.filter((room) => room.kind === 'direct') };
}

/** Returns the title of a conversation; undefined if it has no messages. */
export const titleOf = ({ title, opening }: RoomView): string | undefined => title ?? opening;

/** True if the page offers the person to rename and archive the room, and to remove its members. */
export function manages({ setup, who }: PageState, room: RoomView): boolean {
  return room.owner === who || setup?.administers === true;
}

/** Returns the person's newest message in a room or thread that can be edited. */
export function lastOwn(state: PageState, { room, thread }: RoomPlace): MessageView | undefined {
  const here = messagesOf(state, room).filter((one) => (thread ? one.thread === thread : isRoot(one)));
  const isOwn = ({ author, deleted, shared }: MessageView) =>
    author.kind === 'person' && author.id === state.who && !deleted && !shared;
  return here.findLast(isOwn);
}
