/** The types of an emission: the dialect, the position in the source, and the steps. */

import type { Sight } from './sight.ts';

/** Marks for tables that the text itself does not show. */
export interface HiddenTables {
  /** Stands for a table; they are counted from 1. */
  mark(number: number): string;
  /** Units of a message's room that a line of a table takes where it is shown. */
  units(line: string): number;
}

/** Differences of a channel's Markdown from the source's. Anything that a dialect does not name stays as written. */
export interface Dialect {
  /** Prose without anything that opens a construct. */
  prose(text: string): string;
  /** Writes the content of a fence. */
  code(text: string): string;
  /** Code in a line, with its marks. */
  codeSpan(text: string): string;
  /** The language of a fence, or nothing where the channel should not know it. */
  language(name: string): string;
  /** The mark of a source, as it stands in prose. */
  mark(number: number): string;
  /** An image by its words, which are harmless already. */
  image(words: string): string;
  /** A task's box. */
  readonly task?: (done: boolean) => string;
  /** Stands before and after a heading's words, in place of its number signs. */
  readonly heading?: string;
  /** A line between two parts of the text. */
  readonly rule?: string;
  /** Size of a text, counted as the channel counts it; absent: UTF-16 units. */
  readonly size?: (text: string) => number;
  /** Tables that are shown elsewhere. */
  readonly tables?: HiddenTables;
}

/** An open code fence. */
export interface Fence {
  /** Start of its opening line in the source. */
  readonly from: number;
  readonly mark: '`' | '~';
  readonly size: number;
  /** Quote marks before it: without them on a line the quote ends, and the fence with it. */
  readonly quotes: number;
  /** Columns before it, which its lines lose. */
  readonly indent: number;
}

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
