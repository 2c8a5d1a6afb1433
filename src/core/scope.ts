import type { Interruption } from './turn.ts';

/**
 * The two signals of a running turn. `asking` ends on any interruption; `showing` only when we may no longer
 * write to the channel. Why it was interrupted is read from here, never from the error that surfaced.
 */
export interface TurnScope {
  readonly asking: AbortSignal;
  readonly showing: AbortSignal;
  /** The first reason, except that `lost` and `gone` outrank the others. */
  why(): Interruption | undefined;
  interrupt(why: Interruption): void;
}

export function openScope(): TurnScope {
  const asking = new AbortController();
  const showing = new AbortController();
  let reason: Interruption | undefined;
  return {
    asking: asking.signal,
    showing: showing.signal,
    why: () => reason,
    interrupt(why) {
      const silences = why.kind === 'lost' || why.kind === 'gone';
      if (reason === undefined || silences) reason = why;
      asking.abort(why);
      if (silences) showing.abort(why);
    },
  };
}
