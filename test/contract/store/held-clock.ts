import type { ManualClock } from './manual-clock.ts';

/** A clock whose waits end only when the test wakes them. */
export interface HeldClock extends ManualClock {
  wake(): void;
}

export function heldClock(clock: ManualClock): HeldClock {
  let waits: (() => void)[] = [];
  return {
    ...clock,
    wait: (_, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) reject(signal.reason);
        waits.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    wake: () => {
      for (const end of waits) end();
      waits = [];
    },
  };
}
