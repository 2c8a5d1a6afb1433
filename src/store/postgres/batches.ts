/** Groups concurrent calls of the same kind, so that many turns share a transaction and its round trips. */

import type { Clock } from '../../core/clock.ts';
import { BridgeError } from '../../errors.ts';

/** Maximum calls of one group, so that one transaction does not hold its locks for long. */
const GROUP = 100;
/**
 * Time without any answer after which PostgreSQL counts as stuck, in milliseconds. A question must be acknowledged or
 * refused within 1 s. A server that answers slowly is not stuck: on an overloaded machine every group may take seconds.
 */
const STUCK_MS = 800;
/** Minimum pause between two checks, in milliseconds. */
const LOOK_AGAIN_MS = 100;

/** Performs a group of calls of one kind. Resolves with their results in the same order. */
export type Group<Call, Result> = (calls: readonly Call[]) => Promise<readonly Result[]>;

interface KindOptions {
  /**
   * True for calls that a person or a channel waits for. They are refused while PostgreSQL is stuck. If a refused call
   * was already sent to PostgreSQL, it may still take effect, so the caller must be able to repeat it.
   */
  readonly isUrgent?: boolean;
}

export interface Batches {
  /** Adds a kind of call. Each round performs the kinds in the order in which they were added. */
  kind<Call, Result>(group: Group<Call, Result>, options?: KindOptions): (call: Call) => Promise<Result>;
  /** Refuses further calls, and resolves when the accepted ones are done. */
  close(): Promise<void>;
}

interface Kind {
  readonly isEmpty: () => boolean;
  run(): Promise<void>;
  /** If calls of this kind are urgent, rejects all of them that have no result yet. */
  refuse(reason: Error): void;
}

/**
 * @param silentMs returns the time for which PostgreSQL has answered none of the statements in progress, in
 * milliseconds
 */
export function createBatches(clock: Clock, silentMs: () => number): Batches {
  const kinds: Kind[] = [];
  let running: Promise<void> | undefined;
  let isClosed = false;
  const isStuck = () => silentMs() >= STUCK_MS;
  const watch = async (done: AbortSignal): Promise<void> => {
    for (;;) {
      await clock.wait(Math.max(STUCK_MS - silentMs(), LOOK_AGAIN_MS), done);
      if (isStuck()) for (const each of kinds) each.refuse(unanswered());
    }
  };
  const runWatched = async (kind: Kind): Promise<void> => {
    const done = new AbortController();
    const watching = watch(done.signal).catch(() => undefined);
    await kind.run();
    done.abort();
    await watching;
  };
  const drain = async (): Promise<void> => {
    // Waits for one microtask, so that concurrent calls join the first round.
    await Promise.resolve();
    while (kinds.some((kind) => !kind.isEmpty())) {
      for (const kind of kinds) if (!kind.isEmpty()) await runWatched(kind);
    }
    running = undefined;
  };
  return {
    kind: (group, { isUrgent = false } = {}) => {
      const { put, ...kind } = createKind(group, isUrgent);
      kinds.push(kind);
      return async (call) => {
        if (isClosed) throw closed();
        if (isUrgent && isStuck()) throw unanswered();
        const result = put(call);
        running ??= drain();
        return result;
      };
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}

function createKind<Call, Result>(group: Group<Call, Result>, isUrgent: boolean) {
  interface Pending {
    readonly call: Call;
    readonly done: PromiseWithResolvers<Result>;
  }
  let waiting: Pending[] = [];
  let current: readonly Pending[] = [];
  return {
    isEmpty: () => waiting.length === 0,
    put: (call: Call): Promise<Result> => {
      const done = Promise.withResolvers<Result>();
      waiting.push({ call, done });
      return done.promise;
    },
    async run(): Promise<void> {
      current = waiting.slice(0, GROUP);
      waiting = waiting.slice(GROUP);
      try {
        const results = await group(current.map(({ call }) => call));
        for (const [nth, { done }] of current.entries()) done.resolve(results[nth] as Result);
      } catch (thrown) {
        for (const { done } of current) done.reject(thrown);
      }
      current = [];
    },
    refuse(reason: Error): void {
      if (!isUrgent) return;
      for (const { done } of [...current, ...waiting]) done.reject(reason);
      waiting = [];
    },
  };
}

const closed = () => new BridgeError('store-unavailable', 'The store was closed and takes no more writes.');

const unanswered = () =>
  new BridgeError(
    'store-unavailable',
    'PostgreSQL did not answer in time. Check the network, and the load of the server that DATABASE_URL names.',
  );
