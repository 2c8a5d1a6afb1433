import type { Interruption } from '../turn.ts';

/**
 * The two signals of a running turn. `asking` ends on any interruption; `showing` only when we may no longer
 * write to the channel. Why it was interrupted is read from here, never from the error that surfaced.
 */
export interface TurnScope {
  readonly asking: AbortSignal;
  readonly showing: AbortSignal;
  /** Aborts when the process is about to end: what the channel takes no more in time is left to the next one. */
  readonly parting: AbortSignal;
  /** The first reason, except that one of a later kind in this list outranks it: superseded, withdrawn, gone, lost. */
  why(): Interruption | undefined;
  interrupt(why: Interruption): void;
}

export function openScope(): TurnScope {
  const asking = new AbortController();
  const showing = new AbortController();
  const parting = new AbortController();
  let reason: Interruption | undefined;
  return {
    asking: asking.signal,
    showing: showing.signal,
    parting: parting.signal,
    why: () => reason,
    interrupt(why) {
      if (reason === undefined || rank(why) > rank(reason)) reason = why;
      asking.abort(why);
      if (why.kind === 'release') parting.abort(why);
      // Of a reply that is gone the writer may still have a status to take away.
      if (why.kind === 'lost') showing.abort(why);
    },
  };
}

const RANKS: readonly Interruption['kind'][] = ['superseded', 'withdrawn', 'gone', 'lost'];
const rank = ({ kind }: Interruption): number => RANKS.indexOf(kind);
