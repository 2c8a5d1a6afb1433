import type { Clock } from '../../core/clock.ts';

/** Maximum reads a second of all running answers together. */
const READS_A_SECOND = 2_000;
/**
 * Minimum pause between two reads, in milliseconds. Agents write about five pieces a second, so after a shorter pause,
 * a read would hardly ever take more than one piece.
 */
const SHORTEST_MS = 200;
const LONGEST_MS = 1_000;
const SECOND_MS = 1_000;

/**
 * Spaces the reads of many concurrent answers. A read takes all bytes that have arrived, and handling it costs nearly
 * the same for any number of bytes, so fewer reads take less CPU time. Up to 400 answers are read without pauses.
 */
export class ReadPace {
  readonly #clock: Clock;
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an answer as running until `end` is called. */
  begin(): void {
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
  }

  /** Milliseconds between two reads of one answer. */
  get pauseMs(): number {
    const ms = (this.#running / READS_A_SECOND) * SECOND_MS;
    return ms <= SHORTEST_MS ? 0 : Math.min(LONGEST_MS, ms);
  }

  /** Waits before the next read of an answer. Rejects with the signal's reason if the signal aborts first. */
  async pause(signal: AbortSignal): Promise<void> {
    const ms = this.pauseMs;
    if (ms > 0) await this.#clock.wait(ms, signal);
  }
}
