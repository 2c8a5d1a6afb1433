/** Ports of the chat, which a file of one process and a database of several replicas implement. */

import type { Clock, Log } from '../../../src/kit.ts';
import type { NewEvent, UnreadMessage } from '../wire.ts';
import type { Feed, InnerEvent } from './feed.ts';
import type { MessageRecord } from './records.ts';
import type { Query } from './search-text.ts';
import type { ChatRows } from './store.ts';

/** An index of all messages: when they arrived, and which words they contain. */
export interface MessageIndex {
  /**
   * Returns the unread messages of other authors in the rooms, oldest first. `ChatRows.beginReading` must have been
   * called for the person.
   */
  unread(person: string, rooms: readonly string[]): Promise<readonly UnreadMessage[]>;
  /** Returns the newest messages in the rooms that contain all words of the query, the newest first. */
  search(query: Query, rooms: readonly string[]): Promise<readonly MessageRecord[]>;
  /** Returns the messages whose replies have not ended. May read all messages, so it is only called at the start. */
  openReplies(): Promise<readonly MessageRecord[]>;
  /** Indexes messages from before the index existed, in small steps with a `pause` after each. */
  fill(pause: () => Promise<void>): Promise<void>;
}

/** A change of the chat in progress. No other change, of this or another process, happens meanwhile. */
export interface Change {
  readonly rows: ChatRows;
  /**
   * The number that the next event gets. If that event publishes a message, the message has this number as its `seq`.
   */
  readonly next: number;
  /** Publishes an event to the pages and processes that may know it, once the change is stored. */
  publish(event: NewEvent | InnerEvent): void;
  /** Drops all events that pages could still ask for. Pages that reconnect read everything again. */
  clearEvents(): void;
}

/** Storage of the chat, with the feed of its changes. */
export interface ChatStore {
  /** True if several processes share the storage. */
  readonly isShared: boolean;
  /** For statements outside a change. */
  readonly rows: ChatRows;
  readonly index: MessageIndex;
  readonly feed: Feed;
  /**
   * Runs `work` alone. It may be called again, so it must be safe to repeat; it must not begin another change. Resolves
   * when the change is stored and its events have been published in this process.
   */
  change<T>(work: (change: Change) => Promise<T>): Promise<T>;
  /** Resolves when this process knows all changes that were stored before the call. */
  fresh(): Promise<void>;
  /** Learns the changes of other processes until the signal aborts. */
  run(clock: Clock, log: Log, signal: AbortSignal): Promise<void>;
  /** Resolves with the total bytes of all files. */
  fileBytes(): Promise<number>;
  /** Checks that the storage can be written. Rejects with `store-unavailable` if not. */
  probe(): Promise<void>;
  /** Removes deleted text from logs that would keep it. */
  purge(): Promise<void>;
  close(): Promise<void>;
}
