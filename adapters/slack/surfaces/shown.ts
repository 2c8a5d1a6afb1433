/** What people did with a press stands in the thread before its answer does. */

import type { Clock, Message } from '../../../src/kit.ts';

/** So long an answer waits for the question above it; then it comes without. */
const WAIT_MS = 5_000;
/** Questions that are on their way at once. */
const PENDING = 1_000;

export interface Shown {
  /** The question with this message id is being posted. */
  begin(message: string, posting: Promise<unknown>): void;
  /** Resolves when it stands there. */
  wait(message: Pick<Message, 'id'>, signal: AbortSignal): Promise<void>;
}

export function createShown(clock: Clock): Shown {
  const pending = new Map<string, Promise<unknown>>();
  return {
    begin(message, posting) {
      if (pending.size >= PENDING) return;
      const settled = posting.catch(() => undefined).finally(() => pending.delete(message));
      pending.set(message, settled);
    },
    async wait({ id }, signal) {
      const posting = pending.get(id);
      if (posting === undefined) return;
      const over = new AbortController();
      const late = clock.wait(WAIT_MS, AbortSignal.any([signal, over.signal])).catch(() => undefined);
      await Promise.race([posting, late]).finally(() => over.abort());
    },
  };
}
