/** Writes text to the terminal: removes control sequences, adds styles, and wraps lines. */

import stringWidth from 'string-width';
import { plain } from '../print.ts';

export type Style = 'bold' | 'italic' | 'strike' | 'dim' | 'code';

/** Text in which every character has the same style. */
export interface Run {
  readonly text: string;
  readonly styles: readonly Style[];
}

export interface TextOutput {
  write(text: string): void;
  /** True if the output may contain styles; if false, it is plain text. */
  readonly styled: boolean;
  /** Returns the terminal's current width in columns. Absent if lines may have any length, as in a pipe. */
  readonly columns?: () => number;
}

export type StyledWriter = ReturnType<typeof createStyledWriter>;

/** Codes that switch a style on: Select Graphic Rendition (ECMA-48, 8.3.117). */
const codes: Readonly<Record<Style, number>> = { bold: 1, dim: 2, italic: 3, strike: 9, code: 36 };

/** Width assumed for a terminal that does not report it, in columns. */
const COLUMNS = 80;

export function createStyledWriter({ write, styled, columns }: TextOutput) {
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
    /** Writes text. On a terminal, lines are wrapped between words. */
    write: (text: string, ...styles: readonly Style[]): void => print(text, styles),
    runs(runs: readonly Run[]): void {
      for (const { text, styles } of runs) print(text, styles);
    },
    /** Writes text whose lines must not be broken, such as code. */
    verbatim(given: string, ...styles: readonly Style[]): void {
      const text = plain(given);
      if (text === '') return;
      if (wrapper === undefined) put(text, styles);
      else wrapper.verbatim(text, styles);
    },
    /** If the current line is wrapped, its further lines begin at the current column. */
    hangHere: (): void => wrapper?.hangHere(),
    /** Writes the last word, which was held back because its end was not known. */
    flush: (): void => wrapper?.flush(),
    /** Returns the width of a line, in columns. */
    width: (): number => columns?.() ?? Number.POSITIVE_INFINITY,
    /** Ends the current line unless it is empty. */
    lineStart(): void {
      wrapper?.flush();
      if (!fresh) print('\n', []);
    },
  };
}

/** Returns the process's standard output: a terminal, with styles if it supports them, or a pipe. */
export function standardOutput(): TextOutput {
  const { stdout } = process;
  const write = (text: string): void => void stdout.write(text);
  if (!stdout.isTTY) return { write, styled: false };
  // A terminal that does not report its size returns 0.
  return { write, styled: stdout.hasColors(), columns: () => stdout.columns || COLUMNS };
}

/** Scripts that are written without spaces, so that a line may break after each character. */
const UNSPACED = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}';
const PIECES = new RegExp(`\\n|[ \\t]+|[${UNSPACED}]|[^ \\t\\n${UNSPACED}]+`, 'gu');
const UNSPACED_CHARACTER = new RegExp(`^[${UNSPACED}]$`, 'u');
const TAB = '        ';

interface Piece<Style> {
  readonly text: string;
  readonly style: Style;
}

/**
 * Wraps lines. Holds back the last word until its end is known, so that a word that does not fit moves to the next line
 * as a whole. A word wider than the terminal, such as an address, is written unchanged: the terminal breaks it, and
 * people can still copy it.
 */
class Wrapper<Style> {
  readonly #put: (text: string, style: Style | undefined) => void;
  readonly #columns: () => number;
  #column = 0;
  #spaces = '';
  #word: Piece<Style>[] = [];
  #wordWidth = 0;
  /** True while a word that is wider than the terminal is being written. */
  #overflows = false;
  /** Indent of the lines that continue the current one, in columns. */
  #hang = 0;

  /** @param columns returns the terminal's current width in columns */
  constructor(put: (text: string, style: Style | undefined) => void, columns: () => number) {
    this.#put = put;
    this.#columns = columns;
  }

  /** @param text may contain tabs and line feeds, but no other control characters */
  write(text: string, style: Style): void {
    for (const [piece] of text.matchAll(PIECES)) {
      if (piece === '\n') this.#breakLine();
      else if (/^[ \t]/.test(piece)) this.#space(piece);
      else this.#grow(piece, style);
    }
  }

  /** Writes a line that must not be wrapped, such as code. Must be called at the start of a line. */
  verbatim(text: string, style: Style): void {
    this.flush();
    this.#put(text, style);
    this.#column += stringWidth(text);
  }

  /**
   * If the current line is wrapped, its further lines begin at the current column, or without an indent if this column
   * is not in the left half of the terminal.
   */
  hangHere(): void {
    this.flush();
    this.#hang = this.#column < this.#columns() / 2 ? this.#column : 0;
  }

  /** Writes the last word, which was held back because its end was not known. */
  flush(): void {
    if (this.#wordWidth > 0) this.#endWord();
    this.#overflows = false;
    if (this.#spaces !== '') this.#putSpaces();
  }

  #breakLine(): void {
    this.#endWord();
    this.#put('\n', undefined);
    this.#column = 0;
    this.#spaces = '';
    this.#hang = 0;
    this.#overflows = false;
  }

  #space(text: string): void {
    this.#endWord();
    this.#overflows = false;
    this.#spaces += text.replaceAll('\t', TAB);
  }

  #grow(text: string, style: Style): void {
    this.#word.push({ text, style });
    this.#wordWidth += stringWidth(text);
    const isTooWide = this.#overflows || this.#wordWidth > this.#columns() - this.#hang;
    if (isTooWide || UNSPACED_CHARACTER.test(text)) this.#endWord();
    this.#overflows = isTooWide;
  }

  /** Writes the word that was held back, on the next line if it does not fit on this one. */
  #endWord(): void {
    if (this.#wordWidth === 0) return;
    const needed = this.#column + this.#spaces.length + this.#wordWidth;
    if (!this.#overflows && needed > this.#columns() && this.#column > this.#hang) {
      this.#put(`\n${' '.repeat(this.#hang)}`, undefined);
      this.#column = this.#hang;
      this.#spaces = '';
    }
    this.#putSpaces();
    for (const { text, style } of this.#word) this.#put(text, style);
    this.#column += this.#wordWidth;
    this.#word = [];
    this.#wordWidth = 0;
  }

  #putSpaces(): void {
    if (this.#spaces !== '') this.#put(this.#spaces, undefined);
    this.#column += this.#spaces.length;
    this.#spaces = '';
  }
}
