/** Breaks lines between words at the width of a terminal, while the text still grows. */

import stringWidth from 'string-width';

/** Scripts written without spaces: a line may break after each character. */
const UNSPACED = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}';
const PIECES = new RegExp(`\\n|[ \\t]+|[${UNSPACED}]|[^ \\t\\n${UNSPACED}]+`, 'gu');
const UNSPACED_CHARACTER = new RegExp(`^[${UNSPACED}]$`, 'u');
const TAB = '        ';

interface Piece<Style> {
  readonly text: string;
  readonly style: Style;
}

/**
 * Holds back the last word until its end is known, so that a word which does not fit moves to the next line whole.
 * A word wider than the terminal, such as an address, is written as it is: the terminal breaks it, and it can still be
 * copied.
 */
export class Wrapper<Style> {
  readonly #put: (text: string, style: Style | undefined) => void;
  readonly #columns: () => number;
  #column = 0;
  #spaces = '';
  #word: Piece<Style>[] = [];
  #wordWidth = 0;
  /** True while a word wider than the terminal is being written. */
  #overflows = false;
  /** Indent of the lines that continue the current one, in columns. */
  #hang = 0;

  /** @param columns the terminal's width now */
  constructor(put: (text: string, style: Style | undefined) => void, columns: () => number) {
    this.#put = put;
    this.#columns = columns;
  }

  /** @param text without control characters but tab and line feed */
  write(text: string, style: Style): void {
    for (const [piece] of text.matchAll(PIECES)) {
      if (piece === '\n') this.#breakLine();
      else if (/^[ \t]/.test(piece)) this.#space(piece);
      else this.#grow(piece, style);
    }
  }

  /** A line whose breaks belong to its author, such as code. Must start a line. */
  verbatim(text: string, style: Style): void {
    this.flush();
    this.#put(text, style);
    this.#column += stringWidth(text);
  }

  /** Lines that continue the current one start below the column reached now. */
  hangHere(): void {
    this.flush();
    this.#hang = this.#column < this.#columns() / 2 ? this.#column : 0;
  }

  /** Writes the word held back. */
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

  /** Moves the word to the next line if it does not fit, and writes it. */
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
