import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import type { Backlog, Owed } from './backlog.ts';
import { isHeldElsewhere, storeUnavailable } from './faults.ts';
import { inTransaction } from './transaction.ts';

/** Writes that share one transaction at most, so that a burst cannot hold the event loop: about 20 ms of work. */
const BATCH_WRITES = 500;
/** Writes that may wait for their transaction; 2,000 running turns with a handful each. */
const QUEUED_WRITES = 20_000;
/** Pause before a transaction is tried again while another process holds the store's lock, in milliseconds. */
const LOCKED_PAUSE_MS = 20;
/** Tries before the writes are refused: 500 ms, because an acknowledgement or a refusal is due within 1 s. */
const LOCKED_TRIES = 25;
/** How long the last writes wait for the lock at close, in milliseconds; the event loop stands meanwhile. */
const CLOSING_PATIENCE_MS = 1_000;

/** Group commit: the writes of one moment share one transaction, because each transaction costs a disk flush. */
export interface Commits {
  /**
   * Runs `work` in the next shared transaction, in the order of the calls, and resolves with its value once that is
   * on disk. Rejects with `store-unavailable`, for every write of the batch, when it could not be kept. A store that
   * another process has locked is tried for 500 ms; after that each write is tried once, until the lock is gone.
   */
  write<T>(work: () => T): Promise<T>;
  /** The same, but a checkpoint that the store does not take goes into the backlog, and resolves with `value`. */
  writeOrOwe<T>(work: () => T, otherwise: { readonly owed: Owed; readonly value: T }): Promise<T>;
  /** Keeps what is queued and takes no more. */
  close(): void;
}

interface Write {
  /** Does the work; what it returns tells the caller, and is called after the commit. */
  readonly work: () => () => void;
  readonly reject: (reason: BridgeError) => void;
  /** What goes into the backlog when the work could not be kept, and how the caller is told then. */
  readonly otherwise?: { readonly owed: Owed; tell(): void };
}

export interface CommitParts {
  readonly database: DatabaseSync;
  readonly clock: Pick<Clock, 'wait'>;
  /** Absent for a store in memory, which has nothing to survive. */
  readonly backlog?: Backlog | undefined;
}

export function createCommits({ database, clock, backlog }: CommitParts): Commits {
  let queue: Write[] = [];
  let scheduled = false;
  let open = true;
  /** Tries in a row that found the store locked. */
  let locked = 0;

  const flush = (): void => {
    scheduled = false;
    const batch = queue.slice(0, BATCH_WRITES);
    const failure = keep(database, batch, backlog);
    locked = isHeldElsewhere(failure) ? locked + 1 : 0;
    if (locked > 0 && locked < LOCKED_TRIES && open) {
      schedule(retryPause);
      return;
    }
    queue = queue.slice(BATCH_WRITES);
    if (queue.length > 0) schedule(momentEnd);
    if (failure !== undefined) refuse(owe(batch, backlog), failure);
  };
  const retryPause = () =>
    void clock
      .wait(LOCKED_PAUSE_MS)
      .catch(() => undefined)
      .then(flush);
  // The check phase comes once every event of this moment was handled, so their writes are all in the queue by then.
  const momentEnd = () => void setImmediate(flush);
  const schedule = (soon: () => void): void => {
    if (scheduled) return;
    scheduled = true;
    soon();
  };

  const enqueue = (write: Write): void => {
    const obstacle = obstacleOf({ open, waiting: queue.length });
    if (obstacle === undefined) {
      queue.push(write);
      schedule(momentEnd);
    } else write.reject(obstacle);
  };

  return {
    write: (work) => new Promise((resolve, reject) => enqueue({ work: telling(work, resolve), reject })),
    writeOrOwe: (work, { owed, value }) =>
      new Promise((resolve, reject) =>
        enqueue({
          work: telling(work, resolve),
          reject,
          otherwise: { owed, tell: () => resolve(value) },
        }),
      ),
    close: () => {
      open = false;
      if (queue.length > 0) database.exec(`PRAGMA busy_timeout = ${CLOSING_PATIENCE_MS}`);
      while (queue.length > 0) flush();
    },
  };
}

const telling =
  <T>(work: () => T, tell: (value: T) => void) =>
  () => {
    const value = work();
    return () => tell(value);
  };

/** Returns what was thrown when the batch could not be kept; nothing of it is on disk then. */
function keep(database: DatabaseSync, batch: readonly Write[], backlog?: Backlog): unknown {
  if (batch.length === 0) return undefined;
  try {
    backlog?.repay();
    const tellings = inTransaction(database, () => batch.map((write) => write.work()));
    for (const tell of tellings) tell();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** Puts what may wait into the backlog. Returns the writes that are still to be refused. */
function owe(batch: readonly Write[], backlog: Backlog | undefined): readonly Write[] {
  const owing = batch.flatMap(({ otherwise }) => otherwise ?? []);
  if (backlog === undefined || owing.length === 0) return batch;
  try {
    backlog.keep(owing.map(({ owed }) => owed));
  } catch {
    return batch;
  }
  for (const { tell } of owing) tell();
  return batch.filter(({ otherwise }) => otherwise === undefined);
}

function refuse(batch: readonly Write[], thrown: unknown): void {
  const reason = storeUnavailable(thrown);
  for (const write of batch) write.reject(reason);
}

function obstacleOf({ open, waiting }: { open: boolean; waiting: number }): BridgeError | undefined {
  if (open && waiting < QUEUED_WRITES) return undefined;
  const why = open ? `${QUEUED_WRITES} writes are waiting already` : 'it is closed';
  return new BridgeError(
    'store-unavailable',
    `The store takes no write: ${why}. Look at the disk of the data folder.`,
  );
}
