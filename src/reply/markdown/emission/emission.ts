import type { Dialect } from './dialect.ts';
import type { Fence } from './fence.ts';
import type { Sight } from './sight.ts';

/** A table whose lines show nothing, because it is shown elsewhere. */
export interface Hidden {
  /** Start of its head. */
  readonly from: number;
  readonly number: number;
}

/** Position of an emission. Plain data: with the source, it continues exactly where it stopped. */
export interface StreamState {
  /** Number of characters of the source that it has taken. */
  readonly at: number;
  /** True if `at` begins a line, so that a fence, a quote or a list may begin. */
  readonly fresh: boolean;
  readonly fence?: Fence;
  /** In a heading that is written as bold words. */
  readonly heading?: true;
  readonly hidden?: Hidden;
  /** Tables that were hidden so far. */
  readonly tables?: number;
}

export const START: StreamState = { at: 0, fresh: true };

/** One step: what it takes, what it gives; nothing while it is held. */
export interface Step {
  readonly to: number;
  readonly out: string;
  /** Units of a message's room that it takes, where they are not those of what it gives. */
  readonly units?: number;
  readonly fresh: boolean;
  readonly fence?: Fence;
  readonly heading?: true;
  readonly hidden?: Hidden;
}

export interface Emitted {
  readonly out: string;
  /** Size of `out`, in the dialect's units. */
  readonly size: number;
  /** Units of a message's room that it takes: what is shown elsewhere counts, too. */
  readonly units: number;
  readonly state: StreamState;
}

export interface How {
  /** True if no text follows, so that none is held. */
  readonly ended: boolean;
  /** Stops at this output size, in the dialect's units. */
  readonly enough?: number;
  /** Stops once this many units of the message are used. */
  readonly room?: number;
  /** New numbers of the source marks: `[7]` is `[1]`. */
  readonly numbers?: ReadonlyMap<number, number>;
}

export const GROWING: How = { ended: false };
export const ENDED: How = { ended: true };

/** Context of every step. */
export interface Way extends How {
  readonly dialect: Dialect;
  readonly sight: Sight;
  /** Inside a link's label, where no other link may stand. */
  readonly inLabel?: true;
}

/** A step inside a line. */
export const text = (to: number, out: string): Step => ({ to, out, fresh: false });
