import type { ReplyDocument } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';

/** The adapter's half of pacing. `next`, `after` and `resume` are pure. */
export interface ReplyWriter {
  /** Calls that any reply needs for its end at the least, by family: held for it from its beginning. */
  readonly ends?: Readonly<Record<string, number>>;
  /** A screen on which nothing is shown yet. */
  blank(): Screen;
  /**
   * The calls of which any one would bring the screen nearer the document, the best first: the budgets decide which
   * is made. None when the screen shows the whole document, or when it is better to wait for more text.
   */
  next(screen: Screen, document: ReplyDocument, now: number): readonly Move[];
  /** What the screen is after the call; the only place where a rung changes. */
  after(screen: Screen, move: Move, outcome: Outcome, now: number): Screen;
  perform(move: Move, signal: AbortSignal): Promise<Outcome>;
  /** After a takeover: nothing is sure any more. */
  resume(screen: Screen): Screen;
}
