import type { Clock } from '../../../src/kit.ts';
import type { MessageRecord } from './records.ts';
import type { ChatStore } from './store.ts';

/** Growing replies kept in memory; the oldest is written out when there are more. */
const LIVE_REPLIES = 1_000;
/** A growing reply is written to disk at most this often; after a crash the bridge writes it again anyway. */
const WRITE_GAP_MS = 1_000;

/** Replies that grow: newest in memory, on disk a moment later. */
export class LiveReplies {
  readonly #store: ChatStore;
  readonly #clock: Clock;
  readonly #held = new Map<string, { readonly record: MessageRecord; readonly writtenAt: number }>();

  constructor(store: ChatStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  find(id: string): MessageRecord | undefined {
    return this.#held.get(id)?.record;
  }

  /** Returns the newest version of a message that was read from disk. */
  newest(record: MessageRecord): MessageRecord {
    return this.find(record.id) ?? record;
  }

  /** Takes more of a reply; writes it when its last writing is long enough ago. */
  grow(record: MessageRecord): void {
    const now = this.#clock.now();
    const writtenAt = this.#held.get(record.id)?.writtenAt ?? Number.NEGATIVE_INFINITY;
    // A clock that was set back must not stop the writing.
    const due = Math.abs(now - writtenAt) >= WRITE_GAP_MS;
    if (due) this.#store.saveMessage(record, 'process');
    this.#hold(record, due ? now : writtenAt);
  }

  /** Takes a reply that was just written. */
  written(record: MessageRecord): void {
    this.#hold(record, this.#clock.now());
  }

  /** Lets go of a reply that has ended. */
  drop(id: string): void {
    this.#held.delete(id);
  }

  /** Writes out what only memory holds. */
  flush(): void {
    for (const { record } of this.#held.values()) this.#store.saveMessage(record, 'process');
    this.#held.clear();
  }

  #hold(record: MessageRecord, writtenAt: number): void {
    this.#held.set(record.id, { record, writtenAt });
    if (this.#held.size <= LIVE_REPLIES) return;
    const [oldest] = this.#held.values();
    if (!oldest) return;
    this.#store.saveMessage(oldest.record, 'process');
    this.#held.delete(oldest.record.id);
  }
}
