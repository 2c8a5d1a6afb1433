import type { TurnId } from '../core/ids.ts';
import type { ThreadRef } from '../core/message.ts';

/** Which reply a button belongs to: enough to act on it after a restart, and nothing of what was said. */
export interface ReplyRef {
  /** The document's: of an earlier version that is shown again, the turn of that version. */
  readonly turn: TurnId;
  /** The question's message id. */
  readonly question: string;
  readonly room: string;
  /** The thread's key. */
  readonly key: string;
  readonly kind: ThreadRef['kind'];
}

/** A message's id begins with its room, which a button carries once. */
export function questionInRoom({ question, room }: Pick<ReplyRef, 'question' | 'room'>): string {
  return question.startsWith(`${room}/`) ? question.slice(room.length) : question;
}

/** The id that `questionInRoom` made shorter. */
export function wholeQuestion(inRoom: string, room: string): string {
  return inRoom.startsWith('/') ? `${room}${inRoom}` : inRoom;
}
