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
