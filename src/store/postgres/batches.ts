/** Groups concurrent calls of the same kind, so that many turns share a transaction and its round trips. */

/** Maximum calls of one group, so that one transaction does not hold its locks for long. */
const GROUP = 250;

/** Performs a group of calls of one kind. Resolves with their results in the same order. */
export type Group<Call, Result> = (calls: readonly Call[]) => Promise<readonly Result[]>;

export interface Batches {
  /** Adds a kind of call. Each round performs the kinds in the order in which they were added. */
  kind<Call, Result>(group: Group<Call, Result>): (call: Call) => Promise<Result>;
  /** Refuses further calls, and resolves when the accepted ones are done. */
  close(refusal: () => Error): Promise<void>;
}

interface Kind {
  readonly isEmpty: () => boolean;
  run(): Promise<void>;
}

export function createBatches(): Batches {
  const kinds: Kind[] = [];
  let running: Promise<void> | undefined;
  let refusal: (() => Error) | undefined;
  const drain = async (): Promise<void> => {
    // Concurrent calls join the first round.
    await Promise.resolve();
    while (kinds.some((kind) => !kind.isEmpty())) for (const kind of kinds) await kind.run();
    running = undefined;
  };
  return {
    kind: (group) => {
      const { put, ...kind } = createKind(group);
      kinds.push(kind);
      return async (call) => {
        if (refusal !== undefined) throw refusal();
        const result = put(call);
        running ??= drain();
        return result;
      };
    },
    async close(by) {
      refusal = by;
      await running;
    },
  };
}

function createKind<Call, Result>(group: Group<Call, Result>) {
  let waiting: { readonly call: Call; readonly done: PromiseWithResolvers<Result> }[] = [];
  return {
    isEmpty: () => waiting.length === 0,
    put: (call: Call): Promise<Result> => {
      const done = Promise.withResolvers<Result>();
      waiting.push({ call, done });
      return done.promise;
    },
    async run(): Promise<void> {
      const now = waiting.slice(0, GROUP);
      waiting = waiting.slice(GROUP);
      if (now.length === 0) return;
      try {
        const results = await group(now.map(({ call }) => call));
        for (const [nth, { done }] of now.entries()) done.resolve(results[nth] as Result);
      } catch (thrown) {
        for (const { done } of now) done.reject(thrown);
      }
    },
  };
}
