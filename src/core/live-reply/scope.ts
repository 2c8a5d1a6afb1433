import type { Interruption } from '../turn.ts';

/**
 * The abort signals of a running turn. `asking` aborts on any interruption; `showing` only when the process may no
 * longer write to the channel. Read the reason with `why`, because the thrown error may be a different one.
 */
export type TurnScope = ReturnType<typeof openScope>;

/** The compiler cannot name the type of `signal` in declarations by itself. */
const signalOf = ({ signal }: AbortController): AbortSignal => signal;

export function openScope() {
  const asking = new AbortController();
  const showing = new AbortController();
  const shutdown = new AbortController();
  let reason: Interruption | undefined;
  const waits = new Set<symbol>();
  return {
    asking: signalOf(asking),
    showing: signalOf(showing),
    /**
     * Aborts when the process is about to end. Calls that the channel does not answer in time are left to the next
     * process.
     */
    shutdown: signalOf(shutdown),
    /**
     * Returns the reason of the interruption. If the turn was interrupted several times, the reason with the highest
     * rank counts, and among equal ranks the first reason. Ranks, ascending: all other reasons, superseded, withdrawn,
     * gone, lost.
     */
    why: () => reason,
    /** True while at least one part of the turn is stalled. */
    get stalled() {
      return waits.size > 0;
    },
    /**
     * Records that a part of the turn waits for something that may take long: for a channel that is down, or for the
     * asker's sign-in. Meanwhile, the turn does not count towards the worker's maximum of running turns. The returned
     * function ends the wait of this part.
     */
    stall() {
      const wait = Symbol();
      waits.add(wait);
      return () => void waits.delete(wait);
    },
    interrupt(why: Interruption) {
      if (reason === undefined || rank(why) > rank(reason)) reason = why;
      asking.abort(why);
      if (why.kind === 'release') shutdown.abort(why);
      // `showing` stays active if the reply was deleted or its room is closed, because the writer may still have to
      // remove a status line.
      if (why.kind === 'lost') showing.abort(why);
    },
  };
}

const RANKS: readonly Interruption['kind'][] = ['superseded', 'withdrawn', 'gone', 'lost'];
const rank = ({ kind }: Interruption): number => RANKS.indexOf(kind);
