/** The types of an emission: the dialect, the position in the source, and the steps. */

import type { Sight } from './sight.ts';

/** The marks that replace tables in a text. */
export interface HiddenTables {
  /** Returns the mark for a table. Tables are counted from 1. */
  mark(number: number): string;
  /** Returns the units of a message's room that a line of a table uses where it is shown. */
  units(line: string): number;
}

/**
 * The differences between a channel's Markdown and the source's. Everything that a dialect does not define stays
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
  /** Writes an image by its words, which are already escaped. */
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
  /** Number of quote marks before it. The fence ends with the quote, at a line without them. */
  readonly quotes: number;
  /** Number of columns before it, which are removed from its lines. */
  readonly indent: number;
}

/** A table whose lines produce no text, because it is shown elsewhere. */
export interface Hidden {
  /** Start of its head. */
  readonly from: number;
  readonly number: number;
}

/** Position of an emission. Plain data: together with the source, it continues exactly where it stopped. */
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
  /** Units of a message's room that it uses; absent if they equal the units of `out`. */
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
  /** Units of a message's room that it uses, including content shown elsewhere. */
  readonly units: number;
  readonly state: StreamState;
}

export interface How {
  /** True if no text follows, so that no text is held back. */
  readonly ended: boolean;
  /** Stops at this output size, in the dialect's units. */
  readonly enough?: number;
  /** Stops once this many units of the message are used. */
  readonly room?: number;
  /** New numbers of the source marks: 7 → 1 writes `[7]` as `[1]`. */
  readonly numbers?: ReadonlyMap<number, number>;
}

export const GROWING: How = { ended: false };
export const ENDED: How = { ended: true };

/** Context of every step. */
export interface Way extends How {
  readonly dialect: Dialect;
  readonly sight: Sight;
  /** Set inside a link's label, where no other link may stand. */
  readonly inLabel?: true;
}

/** Creates a step inside a line. */
export const text = (to: number, out: string): Step => ({ to, out, fresh: false });
