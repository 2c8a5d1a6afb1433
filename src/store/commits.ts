import type { DatabaseSync } from 'node:sqlite';
import { BridgeError } from '../errors.ts';
import { storeUnavailable } from './faults.ts';
import { inTransaction } from './transaction.ts';

/** Writes that share one transaction at most, so that a burst cannot hold the event loop: about 20 ms of work. */
const BATCH_WRITES = 500;
/** Writes that may wait for their transaction; 2,000 running turns with a handful each. */
const QUEUED_WRITES = 20_000;

/** Group commit: the writes of one moment share one transaction, because each transaction costs a disk flush. */
export interface Commits {
  /**
   * Runs `work` in the next shared transaction, in the order of the calls, and resolves with its value once that is
   * on disk. Rejects with `store-unavailable`, for every write of the batch, when it could not be kept.
   */
  write<T>(work: () => T): Promise<T>;
  /** Keeps what is queued and takes no more. */
  close(): void;
}

interface Write {
  /** Does the work; what it returns tells the caller, and is called after the commit. */
  readonly work: () => () => void;
  readonly reject: (reason: BridgeError) => void;
}

export function createCommits(database: DatabaseSync): Commits {
  let queue: Write[] = [];
  let scheduled = false;
  let open = true;

  const flush = (): void => {
    scheduled = false;
    const batch = queue.slice(0, BATCH_WRITES);
    queue = queue.slice(BATCH_WRITES);
    if (queue.length > 0) schedule();
    keep(database, batch);
  };
  // The check phase comes once every event of this moment was handled, so their writes are all in the queue by then.
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  };

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (!open) return reject(refused('it is closed'));
        if (queue.length >= QUEUED_WRITES)
          return reject(refused(`${QUEUED_WRITES} writes are waiting already`));
        queue.push({
          work: () => {
            const value = work();
            return () => resolve(value);
          },
          reject,
        });
        schedule();
      }),
    close: () => {
      open = false;
      while (queue.length > 0) flush();
    },
  };
}

function keep(database: DatabaseSync, batch: readonly Write[]): void {
  if (batch.length === 0) return;
  try {
    const tellings = inTransaction(database, () => batch.map((write) => write.work()));
    for (const tell of tellings) tell();
  } catch (thrown) {
    const reason = storeUnavailable(thrown);
    for (const write of batch) write.reject(reason);
  }
}

const refused = (why: string): BridgeError =>
  new BridgeError(
    'store-unavailable',
    `The store takes no write: ${why}. Look at the disk of the data folder.`,
  );
