/** The types of an emission: the dialect, the position in the source, and the steps. */

import type { Sight } from './sight.ts';

/** Marks that stand for tables in a text. */
export interface HiddenTables {
  /** Returns the mark for a table. Tables are counted from 1. */
  mark(number: number): string;
  /**
   * Returns the capacity of a message that a line of a table uses where the table is shown, in the dialect's
   * units.
   */
  units(line: string): number;
}

/**
 * How a channel's Markdown differs from that of the source. Everything that a dialect does not define stays
 * unchanged.
 */
export interface Dialect {
  /** Writes prose, which contains nothing that opens a construct. */
  prose(text: string): string;
  /** Writes the content of a fence. */
  code(text: string): string;
  /** Writes code in a line, including its marks. */
  codeSpan(text: string): string;
  /** Returns the language of a fence, or an empty text if the channel should not see it. */
  language(name: string): string;
  /** Writes the mark of a source. */
  mark(number: number): string;
  /** Writes an image as its words, which are already escaped. */
  image(words: string): string;
  /** Writes a task's box. */
  readonly task?: (done: boolean) => string;
  /** Written before and after a heading's words, in place of its number signs. */
  readonly heading?: string;
  /** A horizontal line between two parts of the text. */
  readonly rule?: string;
  /** Returns the size of a text in the channel's units; absent for UTF-16 units. */
  readonly size?: (text: string) => number;
  /** Set if tables are shown elsewhere. */
  readonly tables?: HiddenTables;
}

/** An open code fence. */
export interface Fence {
  /** Start of its opening line in the source. */
  readonly from: number;
  readonly mark: '`' | '~';
  readonly size: number;
  /**
   * Number of quote marks before the fence. The fence also ends with the quote, at a line without these
   * marks.
   */
  readonly quotes: number;
  /** Number of columns before the fence; they are removed from each of its lines. */
  readonly indent: number;
}

/** A table whose lines produce no text, because the table is shown elsewhere. */
export interface Hidden {
  /** Offset at which its head starts. */
  readonly from: number;
  readonly number: number;
}

/**
 * Position of an emission. Plain data: with the same source, the emission continues exactly where it stopped.
 */
export interface StreamState {
  /** Number of characters taken from the source. */
  readonly at: number;
  /** True if `at` begins a line, so that a fence, a quote or a list may begin. */
  readonly fresh: boolean;
  readonly fence?: Fence;
  /** Set inside a heading that is written as bold words. */
  readonly heading?: true;
  readonly hidden?: Hidden;
  /** Number of tables hidden so far. */
  readonly tables?: number;
}

export const START: StreamState = { at: 0, fresh: true };

/** One step of an emission: the characters that it takes and the text that it writes. */
export interface Step {
  readonly to: number;
  readonly out: string;
  /** Capacity of a message that the step uses; absent if it equals the size of `out`. */
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
  /** Capacity of a message that the text uses, including content shown elsewhere. */
  readonly units: number;
  readonly state: StreamState;
}

export interface How {
  /** True if no text follows, so that no text is held back. */
  readonly ended: boolean;
  /** Stops at this output size, in the dialect's units. */
  readonly enough?: number;
  /** Stops once this much of the message's capacity is used. */
  readonly room?: number;
  /** New numbers of the source marks: with 7 → 1, `[7]` is written as `[1]`. */
  readonly numbers?: ReadonlyMap<number, number>;
}

export const GROWING: How = { ended: false };
export const ENDED: How = { ended: true };

/** Context of every step. */
export interface Way extends How {
  readonly dialect: Dialect;
  readonly sight: Sight;
  /** Set inside a link's label, which must not contain another link. */
  readonly inLabel?: true;
}

/** Creates a step inside a line. */
export const text = (to: number, out: string): Step => ({ to, out, fresh: false });
