import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log.ts';

/** A clock that changes only when it is advanced. Its waits are not used, because a store never waits. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function manualClock(start = 1_800_000_000_000): ManualClock {
  let now = start;
  return {
    now: () => now,
    wait: () => Promise.reject(new Error('A store does not wait.')),
    advance: (ms) => {
      now += ms;
    },
  };
}

export interface RecordingLog extends Log {
  readonly lines: { readonly level: string; readonly facts: unknown; readonly text: string }[];
}

export function recordingLog(): RecordingLog {
  const lines: RecordingLog['lines'] = [];
  const at = (level: string) => (facts: unknown, text: string) => void lines.push({ level, facts, text });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
