import type { Clock } from '../core/clock.ts';

/**
 * One press of Ctrl-C may reach a process more than once (from the terminal and from npm), so signals within this
 * span are one.
 */
const ONE_PRESS_MS = 400;

export interface Interrupts {
  /** Goes on with each press, or each SIGTERM; at once where one came before anybody listened. */
  onPress(listener: (signal: NodeJS.Signals) => void): void;
  /** Nobody is left who could press: counts as a press where there was none yet. */
  orphaned(): void;
  dispose(): void;
}

export function listenForInterrupts(clock: Pick<Clock, 'now'>): Interrupts {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  let last = Number.NEGATIVE_INFINITY;
  let unheard: NodeJS.Signals | undefined;
  const press = (signal: NodeJS.Signals): void => {
    const again = clock.now() - last < ONE_PRESS_MS;
    last = clock.now();
    if (again) return;
    if (listeners.size === 0) unheard = signal;
    for (const listener of listeners) listener(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, press);
  return {
    onPress(listener) {
      listeners.add(listener);
      const signal = unheard;
      unheard = undefined;
      if (signal !== undefined) listener(signal);
    },
    orphaned() {
      if (last === Number.NEGATIVE_INFINITY) press('SIGTERM');
    },
    dispose: () => {
      for (const signal of signals) process.off(signal, press);
    },
  };
}
