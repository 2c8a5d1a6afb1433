import type { Clock } from '../../../src/kit.ts';
import type { MessageRecord } from './records.ts';
import type { ChatRows } from './store.ts';

/** Maximum growing replies in memory. When there are more, the oldest is written to disk and dropped from memory. */
const LIVE_REPLIES = 1_000;
/**
 * Minimum time between two writes of a growing reply, in milliseconds. A crash may lose the text that came after the
 * last write; after the restart, the bridge writes the reply again.
 */
const WRITE_GAP_MS = 1_000;

/**
 * Keeps the newest version of each growing reply in memory, and writes it to disk at most once a second. Only for a
 * process that alone uses the chat.
 */
export class LiveReplies {
  readonly #rows: Pick<ChatRows, 'growMessage'>;
  readonly #clock: Clock;
  readonly #held = new Map<string, { readonly record: MessageRecord; readonly writtenAt: number }>();

  constructor(rows: Pick<ChatRows, 'growMessage'>, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  find(id: string): MessageRecord | undefined {
    return this.#held.get(id)?.record;
  }

  /** Replaces the reply in memory by its newer state, and writes it to disk if the last write was at least 1 s ago. */
  async grow(record: MessageRecord): Promise<void> {
    const now = this.#clock.now();
    const writtenAt = this.#held.get(record.id)?.writtenAt ?? Number.NEGATIVE_INFINITY;
    // With the absolute value, writes continue even after the clock was set back.
    const due = Math.abs(now - writtenAt) >= WRITE_GAP_MS;
    if (due) await this.#rows.growMessage(record);
    await this.#hold(record, due ? now : writtenAt);
  }

  /** Puts into memory a reply that was just written to disk. */
  async written(record: MessageRecord): Promise<void> {
    await this.#hold(record, this.#clock.now());
  }

  /** Drops a reply from memory, because it has ended or was removed. */
  drop(id: string): void {
    this.#held.delete(id);
  }

  /** Writes all replies in memory to disk, and drops them from memory. */
  async flush(): Promise<void> {
    for (const { record } of this.#held.values()) await this.#rows.growMessage(record);
    this.#held.clear();
  }

  async #hold(record: MessageRecord, writtenAt: number): Promise<void> {
    this.#held.set(record.id, { record, writtenAt });
    if (this.#held.size <= LIVE_REPLIES) return;
    const [oldest] = this.#held.values();
    if (!oldest) return;
    await this.#rows.growMessage(oldest.record);
    this.#held.delete(oldest.record.id);
  }
}
