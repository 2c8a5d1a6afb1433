import type { OpenedMedia } from '../../core/agents/agent.ts';
import type { Clock } from '../../core/clock.ts';

/** Platform contract MED-9. */
const MAX_AGE_MS = 10 * 60_000;
const MAX_BYTES = 50 * 1024 * 1024;

/** Bytes of media, never links: those expire. The oldest go first. */
export class ByteCache {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly media: OpenedMedia; readonly until: number }>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): OpenedMedia | undefined {
    const entry = this.#kept.get(key);
    if (entry === undefined) return undefined;
    if (this.#clock.now() < entry.until) return entry.media;
    this.#drop(key);
    return undefined;
  }

  set(key: string, media: OpenedMedia): void {
    this.#drop(key);
    this.#kept.set(key, { media, until: this.#clock.now() + MAX_AGE_MS });
    this.#bytes += media.bytes.byteLength;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#kept.get(key);
    if (entry === undefined) return;
    this.#bytes -= entry.media.bytes.byteLength;
    this.#kept.delete(key);
  }
}
