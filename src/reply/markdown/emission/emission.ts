/** The types for writing an answer in a channel's Markdown: the dialect, the position in the source, and the steps. */

import type { Fence } from '../fences.ts';
import type { LookAhead } from '../look-ahead.ts';

/** How a text refers to tables that the channel shows elsewhere. */
export interface HiddenTables {
  /** Returns the text that stands for a table. Tables are counted from 1. */
  mark(number: number): string;
  /**
   * Returns the size, in the dialect's units, that a line of a table has where the channel shows the table. It counts
   * towards the capacity of the message.
   */
  units(line: string): number;
}

/**
 * How a channel's Markdown differs from that of the answer. Everything that a dialect does not define stays
 * unchanged.
 */
export interface Dialect {
  /** Writes text that contains no Markdown construct. */
  prose(text: string): string;
  /** Writes lines of code inside a fence. */
  code(text: string): string;
  /** Writes an inline code span, including its marks. */
  codeSpan(text: string): string;
  /** Returns the language to name at a code fence; empty if the channel should not see it. */
  language(name: string): string;
  /** Writes the number that refers to a source, such as `[2]`. */
  mark(number: number): string;
  /** Writes an image as its alternative text, which is already escaped. */
  image(words: string): string;
  /** Writes the checkbox of a task. */
  readonly task?: (done: boolean) => string;
  /** Marks written before and after a heading's text instead of number signs. */
  readonly heading?: string;
  /** Text written for a horizontal line. */
  readonly rule?: string;
  /** Returns the size of a text in the channel's units; absent for UTF-16 units. */
  readonly size?: (text: string) => number;
  /** Set if the channel shows tables outside the text. */
  readonly tables?: HiddenTables;
}

/** A table that is left out of the written text, because the channel shows the table elsewhere. */
export interface Hidden {
  /** Offset in the source at which the table's head begins. */
  readonly from: number;
  readonly number: number;
}

/**
 * A position in the source, and the constructs that are open there. Given the same source, the emitter continues
 * exactly at this position. Contains only plain data, so that it can be stored.
 */
export interface StreamState {
  /** Number of characters of the source that were written. */
  readonly at: number;
  /** True if `at` is the start of a line, where a fence, a quote or a list may begin. */
  readonly fresh: boolean;
  readonly fence?: Fence;
  /** Set inside a heading that is written as bold text. */
  readonly heading?: true;
  readonly hidden?: Hidden;
  /** Set inside a link's address that is too long to be written. */
  readonly skips?: true;
  /** Mark that ends the formula of several lines in which `at` stands. */
  readonly formula?: string;
  /** Number of tables hidden so far. */
  readonly tables?: number;
}

export const START: StreamState = { at: 0, fresh: true };

/** One step of writing: the characters that it takes from the source and the text that it writes. */
export interface Step extends Omit<StreamState, 'at' | 'tables'> {
  readonly to: number;
  readonly out: string;
  /** How much of a message's capacity the step uses; absent if that is the size of `out`. */
  readonly units?: number;
}

export interface Emitted {
  readonly out: string;
  /** Size of `out`, in the dialect's units. */
  readonly size: number;
  /** How much of a message's capacity the text uses, including content that is shown elsewhere. */
  readonly units: number;
  readonly state: StreamState;
}

export interface How {
  /** True if no text follows, so that nothing is held back. */
  readonly ended: boolean;
  /** Writing stops once `out` has this size, in the dialect's units. */
  readonly enough?: number;
  /** Writing stops once the text uses this much of a message's capacity. */
  readonly room?: number;
  /** Displayed numbers by source number: with 7 → 1, `[7]` is written as `[1]`. */
  readonly numbers?: ReadonlyMap<number, number>;
}

export const GROWING: How = { ended: false };
export const ENDED: How = { ended: true };

export interface EmitContext extends How {
  readonly dialect: Dialect;
  readonly lookAhead: LookAhead;
  /** Set inside the label of a link, which must not contain another link. */
  readonly inLabel?: true;
}

/** Returns a step after which the output is in the middle of a line. */
export const text = (to: number, out: string): Step => ({ to, out, fresh: false });
