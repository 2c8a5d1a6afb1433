/**
 * Ports of the chat for rooms, read positions, search and live events. They are asynchronous, so that a database server
 * and several replicas can implement them too.
 */

import type { NewEvent, RoomView, UnreadMessage } from '../wire.ts';
import type { MessageRecord } from './records.ts';
import type { Query } from './search-text.ts';

/** Sends an event to the browsers of everyone who may read it. */
export interface LiveEvents {
  publish(event: NewEvent): Promise<void> | void;
}

/** A message up to which a person has read: in a whole room or, with `thread`, only in that thread. */
export interface ReadPosition {
  readonly person: string;
  readonly room: string;
  readonly thread?: string | undefined;
  readonly message: string;
}

/** An index of all messages: who has read them, and which words they contain. */
export interface MessageIndex {
  /**
   * Returns the unread messages of other authors in the rooms, oldest first. Everything that arrived before the
   * person's first call counts as read.
   */
  unread(person: string, rooms: readonly string[]): Promise<readonly UnreadMessage[]>;
  /** Stores a read position. Returns false if the person has read further, or the message is not in that place. */
  read(position: ReadPosition): Promise<boolean>;
  /** Counts as read all messages of the room that have arrived. */
  readAll(person: string, room: string): Promise<void>;
  /** Deletes the read positions of the person; without a person, of everyone. */
  forgetReads(person?: string): Promise<void>;
  /** Returns the newest messages in the rooms that contain all words of the query, the newest first. */
  search(query: Query, rooms: readonly string[]): Promise<readonly MessageRecord[]>;
  /** Indexes messages from before the index existed, in small steps with a `pause` after each. */
  fill(pause: () => Promise<void>): Promise<void>;
}

/** Storage of rooms. */
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
