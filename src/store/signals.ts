import type { Log } from '../core/log.ts';
import type { InboxSignal } from '../core/stores/inbox.ts';

export interface Signals {
  send(signal: InboxSignal): void;
  /** Returns the way to stop listening. */
  listen(listener: (signal: InboxSignal) => void): () => void;
}

/** Tells every listener of this process; one that throws is logged and does not keep the others from hearing. */
export function createSignals(log: Log): Signals {
  const listeners = new Set<(signal: InboxSignal) => void>();
  return {
    send: (signal) => {
      for (const listener of listeners) {
        try {
          listener(signal);
        } catch (error) {
          log.error({ error, signal: signal.kind }, 'A listener of the inbox threw.');
        }
      }
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
