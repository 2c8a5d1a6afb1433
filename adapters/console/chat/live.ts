import type { Clock } from '../../../src/kit.ts';
import type { MessageRecord } from './records.ts';
import type { ChatStore } from './store.ts';

/** Maximum growing replies in memory. When there are more, the oldest is written to disk and dropped from memory. */
const LIVE_REPLIES = 1_000;
/**
 * Minimum time between two writes of a growing reply, in milliseconds. A crash may lose the text that came after the
 * last write; after the restart, the bridge writes the reply again.
 */
const WRITE_GAP_MS = 1_000;

/** Keeps the newest version of each growing reply in memory, and writes it to disk at most once a second. */
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

  /** Returns the version in memory if there is one, because it is newer; otherwise the given record. */
  newest(record: MessageRecord): MessageRecord {
    return this.find(record.id) ?? record;
  }

  /** Replaces the reply in memory by its newer state, and writes it to disk if the last write was at least 1 s ago. */
  grow(record: MessageRecord): void {
    const now = this.#clock.now();
    const writtenAt = this.#held.get(record.id)?.writtenAt ?? Number.NEGATIVE_INFINITY;
    // With the absolute value, writes continue even after the clock was set back.
    const due = Math.abs(now - writtenAt) >= WRITE_GAP_MS;
    if (due) this.#store.saveMessage(record, 'process');
    this.#hold(record, due ? now : writtenAt);
  }

  /** Puts into memory a reply that was just written to disk. */
  written(record: MessageRecord): void {
    this.#hold(record, this.#clock.now());
  }

  /** Drops a reply from memory, because it has ended or was removed. */
  drop(id: string): void {
    this.#held.delete(id);
  }

  /** Writes all replies in memory to disk, and drops them from memory. */
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
