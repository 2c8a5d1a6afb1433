import type { RoomView } from '../wire.ts';
import type { MessageRecord } from './records.ts';

/** Storage of rooms. It is asynchronous, so that a database server can implement it too. */
export interface RoomStore {
  /** Returns the private rooms with their members. */
  privateRooms(): Promise<readonly RoomView[]>;
  /** Stores a room with its members, or replaces it. The first words of a conversation are not stored. */
  saveRoom(room: RoomView): Promise<void>;
  /** Removes the person from all rooms. */
  forgetMember(person: string): Promise<void>;
  /** Returns the first messages of a room, oldest first: at most `limit` after the message with the id `after`. */
  messagesAfter(room: string, limit: number, after?: string): Promise<readonly MessageRecord[]>;
}
