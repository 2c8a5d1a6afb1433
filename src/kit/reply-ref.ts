import type { TurnId } from '../core/ids.ts';
import type { ThreadRef } from '../core/message.ts';

/**
 * The reply to which a button belongs. Contains what is needed to handle a press after a restart, but no message
 * text.
 */
export interface ReplyRef {
  /** The turn that wrote the shown version of the reply. */
  readonly turn: TurnId;
  /** Id of the question's message. */
  readonly question: string;
  readonly room: string;
  /** Key of the thread in its room. */
  readonly key: string;
  readonly kind: ThreadRef['kind'];
}

/**
 * Shortens a message id that begins with its room. A button's value already contains the room, and its size is
 * limited.
 */
export function questionInRoom({ question, room }: Pick<ReplyRef, 'question' | 'room'>): string {
  return question.startsWith(`${room}/`) ? question.slice(room.length) : question;
}

/** Restores an id that `questionInRoom` shortened. */
export function wholeQuestion(inRoom: string, room: string): string {
  return inRoom.startsWith('/') ? `${room}${inRoom}` : inRoom;
}
