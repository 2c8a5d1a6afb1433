import type { Clock } from '../core/clock.ts';

/**
 * One press of Ctrl-C may reach a process more than once (from the terminal and from npm), so signals within this
 * span are one.
 */
const ONE_PRESS_MS = 400;

export interface Interrupts {
  /** Goes on with each press, or each SIGTERM. */
  onPress(listener: (signal: NodeJS.Signals) => void): void;
  dispose(): void;
}

export function listenForInterrupts(clock: Clock): Interrupts {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  let last = Number.NEGATIVE_INFINITY;
  const press = (signal: NodeJS.Signals): void => {
    const again = clock.now() - last < ONE_PRESS_MS;
    last = clock.now();
    if (again) return;
    for (const listener of listeners) listener(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, press);
  return {
    onPress: (listener) => void listeners.add(listener),
    dispose: () => {
      for (const signal of signals) process.off(signal, press);
    },
  };
}
