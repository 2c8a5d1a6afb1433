import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import { BridgeError } from '../../errors.ts';
import { inTransaction, isHeldElsewhere, storeUnavailable } from '../../sqlite.ts';
import type { Backlog, PendingCheckpoint } from './backlog.ts';
import { createFlushSchedule } from './flush-schedule.ts';

/** Maximum number of writes in one transaction: about 20 ms of work, so that a burst does not block the event loop. */
const BATCH_WRITES = 500;
/** Maximum number of queued writes: about ten for each of 2,000 running turns. */
const QUEUED_WRITES = 20_000;
/**
 * Number of attempts on a locked store, 20 ms apart, before writes are refused. Together they take about 500 ms, which
 * leaves time to refuse a question within 1 s (fault F29).
 */
const LOCKED_TRIES = 25;
/** Maximum wait for the lock when closing, in milliseconds. The wait blocks the event loop. */
const CLOSING_WAIT_MS = 1_000;

/** Group commit: concurrent writes share one transaction, because each transaction costs a disk flush. */
export interface Commits {
  /**
   * Runs `work` in the next shared transaction, in call order, and resolves with its value once it is on disk. If the
   * transaction fails, all of its writes reject with `store-unavailable`. While another process locks the store, the
   * transaction is repeated for about 500 ms. If the store is still locked then, each later transaction is attempted
   * only once, until one finds the store unlocked. With `fallback`, a failed write does not reject: its checkpoint (the
   * saved progress of a reply) goes into the backlog, and the promise resolves with the fallback's `value`.
   */
  write<T>(work: () => T, fallback?: Fallback<T>): Promise<T>;
  /** Like `write`, but may wait up to 20 ms, so that the writes of many running turns share a transaction. */
  writeSoon<T>(work: () => T, fallback?: Fallback<T>): Promise<T>;
  /** True if no write is queued, so that a read outside the queue sees all earlier changes. */
  readonly idle: boolean;
  /** Refuses further writes, and writes everything that is queued. */
  close(): void;
}

interface Fallback<T> {
  readonly pending: PendingCheckpoint;
  readonly value: T;
}

interface Write {
  /**
   * Runs the work and returns the function that resolves the caller's promise, to be called after the commit.
   */
  readonly work: () => () => void;
  readonly reject: (reason: BridgeError) => void;
  /**
   * The checkpoint that goes to the backlog if the transaction fails, and the function that then resolves the
   * caller's promise.
   */
  readonly fallback?: { readonly pending: PendingCheckpoint; tell(): void };
}

interface CommitDeps {
  readonly database: DatabaseSync;
  readonly clock: Clock;
  /** Absent if the store is in memory. */
  readonly backlog?: Backlog | undefined;
  /** Called before each transaction; throws if the store's file was deleted or replaced. */
  readonly checkFile?: (() => void) | undefined;
}

export function createCommits({ database, clock, backlog, checkFile }: CommitDeps): Commits {
  let queue: Write[] = [];
  let open = true;
  /** Number of consecutive attempts that found the store locked. */
  let locked = 0;

  const flush = (): void => {
    const batch = queue.slice(0, BATCH_WRITES);
    const failure = keep(batch, { database, backlog, checkFile });
    locked = isHeldElsewhere(failure) ? locked + 1 : 0;
    if (locked > 0 && locked < LOCKED_TRIES && open) {
      schedule.afterPause();
      return;
    }
    queue = queue.slice(BATCH_WRITES);
    if (queue.length > 0) schedule.urgently();
    if (failure === undefined) return;
    const reason = storeUnavailable(failure);
    for (const write of defer(batch, backlog)) write.reject(reason);
  };
  const schedule = createFlushSchedule(flush, clock);

  const enqueue =
    (inTime: () => void): Commits['write'] =>
    (work, fallback) =>
      new Promise((resolve, reject) => {
        const obstacle = obstacleOf(open, queue.length);
        if (obstacle !== undefined) return reject(obstacle);
        queue.push({
          work: () => {
            const value = work();
            return () => resolve(value);
          },
          reject,
          ...(fallback && { fallback: { pending: fallback.pending, tell: () => resolve(fallback.value) } }),
        });
        inTime();
      });

  return {
    write: enqueue(schedule.urgently),
    writeSoon: enqueue(schedule.gathering),
    get idle() {
      return queue.length === 0;
    },
    close: () => {
      open = false;
      if (queue.length > 0) database.exec(`PRAGMA busy_timeout = ${CLOSING_WAIT_MS}`);
      while (queue.length > 0) flush();
    },
  };
}

/** Commits the batch. If that fails, returns the error, and none of its writes is on disk. */
function keep(batch: readonly Write[], { database, backlog, checkFile }: Omit<CommitDeps, 'clock'>): unknown {
  if (batch.length === 0) return undefined;
  try {
    checkFile?.();
    backlog?.drain();
    const tellings = inTransaction(database, () => batch.map((write) => write.work()));
    for (const tell of tellings) tell();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** Moves the batch's checkpoints to the backlog. Returns the writes that must be refused. */
function defer(batch: readonly Write[], backlog: Backlog | undefined): readonly Write[] {
  const deferred = batch.flatMap(({ fallback }) => fallback ?? []);
  if (backlog === undefined || deferred.length === 0) return batch;
  try {
    backlog.keep(deferred.map(({ pending }) => pending));
  } catch {
    return batch;
  }
  for (const { tell } of deferred) tell();
  return batch.filter(({ fallback }) => fallback === undefined);
}

function obstacleOf(open: boolean, waiting: number): BridgeError | undefined {
  if (open && waiting < QUEUED_WRITES) return undefined;
  const why = open ? `${QUEUED_WRITES} writes are waiting already` : 'it is closed';
  return new BridgeError(
    'store-unavailable',
    `The store accepts no writes: ${why}. Check the disk of the data folder.`,
  );
}

/** Size of a long question, in bytes. A store that cannot write this much counts as full. */
const PROBE_BYTES = 16 * 1024;
const NAMESPACE = 'probe';

/**
 * Returns a probe that writes and deletes data of the size of a question. The probe rejects with `store-unavailable` if
 * that fails.
 */
export function createProbe(database: DatabaseSync, commits: Commits): () => Promise<void> {
  const sql = database.createTagStore();
  return async () => {
    const value = randomBytes(PROBE_BYTES / 2).toString('hex');
    await commits.write(
      () => sql.run`INSERT INTO keyed (namespace, key, value, expires)
      VALUES (${NAMESPACE}, ${value.slice(0, 32)}, ${value}, 0)`,
    );
    await commits.write(() => sql.run`DELETE FROM keyed WHERE namespace = ${NAMESPACE}`);
  };
}
