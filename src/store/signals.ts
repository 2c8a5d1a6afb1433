import type { Log } from '../core/log.ts';
import type { Inbox, InboxSignal } from '../core/stores/inbox.ts';

type Listener = Parameters<Inbox['onSignal']>[0];

/** Creates the signals of this process. An error of one listener is logged, and the others are still called. */
export function createSignals(log: Log) {
  const listeners = new Set<Listener>();
  return {
    send: (signal: InboxSignal): void => {
      for (const listener of listeners) {
        try {
          listener(signal);
        } catch (error) {
          log.error({ error, signal: signal.kind }, 'A listener of the inbox threw.');
        }
      }
    },
    /** Calls the listener for each signal. Returns a function that removes the listener. */
    listen: (listener: Listener): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export type Signals = ReturnType<typeof createSignals>;
