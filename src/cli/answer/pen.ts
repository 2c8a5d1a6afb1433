/** The one way from an answer to the terminal: what stands in it is nobody's command, and looks are added after that. */

import { plain } from '../print.ts';
import { Wrapper } from './wrap.ts';

export type Style = 'bold' | 'italic' | 'strike' | 'dim' | 'code';

/** A stretch of text of one look. */
export interface Run {
  readonly text: string;
  readonly styles: readonly Style[];
}

export interface Paper {
  write(text: string): void;
  /** Whether looks may be written; else there is only text. */
  readonly styled: boolean;
  /** Columns of a terminal as wide as it is now; absent where lines may have any length, as in a pipe. */
  readonly columns?: () => number;
}

export interface Pen {
  /** On a terminal, lines break between words. */
  write(text: string, ...styles: readonly Style[]): void;
  runs(runs: readonly Run[]): void;
  /** Writes text whose lines must not be broken, such as code. */
  verbatim(text: string, ...styles: readonly Style[]): void;
  /** Indents the lines that continue the current one to the column reached now. */
  hangHere(): void;
  /** Writes the word held back for wrapping. */
  flush(): void;
  /** Columns that a line may have. */
  width(): number;
  /** Ends the line that was begun, if one was. */
  lineStart(): void;
}

/** Select Graphic Rendition (ECMA-48, 8.3.117). */
const codes: Readonly<Record<Style, number>> = { bold: 1, dim: 2, italic: 3, strike: 9, code: 36 };

/** Columns of a terminal that does not tell them. */
const COLUMNS = 80;

export function createPen({ write, styled, columns }: Paper): Pen {
  let fresh = true;
  const put = (text: string, styles: readonly Style[] = []): void => {
    fresh = text.endsWith('\n');
    const look = styles.map((style) => codes[style]).join(';');
    write(styled && look !== '' ? `\u001b[${look}m${text}\u001b[0m` : text);
  };
  const wrapper = columns && new Wrapper<readonly Style[]>(put, columns);
  const print = (given: string, styles: readonly Style[]): void => {
    const text = plain(given);
    if (text === '') return;
    if (wrapper === undefined) put(text, styles);
    else wrapper.write(text, styles);
  };
  return {
    write: (text, ...styles) => print(text, styles),
    runs(runs) {
      for (const { text, styles } of runs) print(text, styles);
    },
    verbatim(given, ...styles) {
      const text = plain(given);
      if (text === '') return;
      if (wrapper === undefined) put(text, styles);
      else wrapper.verbatim(text, styles);
    },
    hangHere: () => wrapper?.hangHere(),
    flush: () => wrapper?.flush(),
    width: () => columns?.() ?? Number.POSITIVE_INFINITY,
    lineStart() {
      wrapper?.flush();
      if (!fresh) print('\n', []);
    },
  };
}

/** The process's output: a terminal with its colours, unless its person wants none, or a pipe. */
export function standardPaper(): Paper {
  const { stdout } = process;
  const write = (text: string): void => void stdout.write(text);
  if (!stdout.isTTY) return { write, styled: false };
  // A terminal that does not tell its size says 0.
  return { write, styled: stdout.hasColors(), columns: () => stdout.columns || COLUMNS };
}
