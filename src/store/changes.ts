/** Atomic changes of stored values, for engines that can compare a value before they replace it. */

import type { Log } from '../core/log.ts';
import type { Keyed, Owner } from '../core/stores/keyed.ts';
import { BridgeError } from '../errors.ts';

/** A stored value: `raw` as the engine compares it (undefined if there is none), and `value` as it was set. */
interface Stored {
  readonly raw: string | undefined;
  readonly value: unknown;
}

/** The time to live and the owner of a new value. */
interface Terms {
  readonly ttlMs: number;
  readonly owner: Owner;
}

interface ComparedStore {
  read(key: string): Promise<Stored>;
  /** Replaces the stored value if it still equals `raw`. Resolves to false if it does not. */
  swap(key: string, raw: string | undefined, value: unknown, terms: Terms): Promise<boolean>;
}

interface Pending extends Terms {
  readonly next: (current: unknown) => unknown;
  readonly outcome: PromiseWithResolvers<boolean>;
}

/**
 * Creates the function `change` of keyed state. While a key is being changed, further calls for the key wait and then
 * share the next swap. A burst of changes therefore neither conflicts with itself nor writes once per call.
 */
export function createChanges(store: ComparedStore): Keyed['change'] {
  const waiting = new Map<string, Pending[]>();
  const run = async (key: string): Promise<void> => {
    for (let batch = waiting.get(key) ?? []; batch.length > 0; batch = waiting.get(key) ?? []) {
      waiting.set(key, []);
      await carryOut(key, batch, store).catch((thrown: unknown) => {
        for (const { outcome } of batch) outcome.reject(thrown);
      });
    }
    waiting.delete(key);
  };
  return (key, next, ttlMs, owner) => {
    const outcome = Promise.withResolvers<boolean>();
    const change = { next, ttlMs, owner, outcome };
    const queued = waiting.get(key);
    if (queued !== undefined) queued.push(change);
    else {
      waiting.set(key, [change]);
      void run(key);
    }
    return outcome.promise;
  };
}

/** Applies the changes in order to the stored value, and starts again if another process replaces it meanwhile. */
async function carryOut(key: string, batch: readonly Pending[], store: ComparedStore): Promise<void> {
  for (;;) {
    const before = await store.read(key);
    let { value } = before;
    let terms: Terms | undefined;
    const settle: (() => void)[] = [];
    for (const change of batch) {
      try {
        const after = change.next(value);
        settle.push(() => change.outcome.resolve(after !== undefined));
        if (after === undefined) continue;
        value = after;
        terms = change;
      } catch (thrown) {
        settle.push(() => change.outcome.reject(thrown));
      }
    }
    if (terms !== undefined && !(await store.swap(key, before.raw, value, terms))) continue;
    for (const each of settle) each();
    return;
  }
}

/** Logs that a value could not be read and was deleted. Returns the error. @param check part that may be defective */
export function damagedValue(
  namespace: string,
  check: 'disk' | 'database',
  log: Log,
  cause: unknown,
): BridgeError {
  log.error({ namespace }, 'A stored value could not be read and was deleted.');
  const text = `A value of "${namespace}" could not be read and was deleted. If this happens again, check the ${check}.`;
  return new BridgeError('data-corrupt', text, { cause });
}
