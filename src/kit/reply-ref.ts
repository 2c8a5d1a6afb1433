import type { TurnId } from '../core/ids.ts';
import type { ThreadRef } from '../core/message.ts';

/** The reply that a button belongs to: enough to handle a press after a restart, without message text. */
export interface ReplyRef {
  /** Turn of the shown document; for an earlier version, the turn of that version. */
  readonly turn: TurnId;
  /** The question's message id. */
  readonly question: string;
  readonly room: string;
  /** The thread's key. */
  readonly key: string;
  readonly kind: ThreadRef['kind'];
}

/** Shortens a message id that begins with its room, because a button contains the room already. */
export function questionInRoom({ question, room }: Pick<ReplyRef, 'question' | 'room'>): string {
  return question.startsWith(`${room}/`) ? question.slice(room.length) : question;
}

/** Restores an id that `questionInRoom` shortened. */
export function wholeQuestion(inRoom: string, room: string): string {
  return inRoom.startsWith('/') ? `${room}${inRoom}` : inRoom;
}
