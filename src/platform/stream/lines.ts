import type { TextDecoder } from 'node:util';

const MARK = '\ufeff';

/**
 * Decodes text that arrives in pieces. Replaces malformed bytes with U+FFFD and drops a leading byte-order mark. Does
 * not let Node's decoder drop the mark: if a piece ends inside an emoji, that decoder also drops a mark that follows
 * the emoji.
 */
export class Text {
  readonly #decoder: TextDecoder;
  #begun = false;

  /** @param decoder keeps byte-order marks */
  constructor(decoder: TextDecoder) {
    this.#decoder = decoder;
  }

  push(bytes: Uint8Array): string {
    return this.#from(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return this.#from(this.#decoder.decode());
  }

  #from(text: string): string {
    if (this.#begun || text === '') return text;
    this.#begun = true;
    return text.startsWith(MARK) ? text.slice(1) : text;
  }
}

/** Splits text that arrives in pieces into lines that end in LF, CRLF or CR (platform contract DEC-2). */
export class Lines {
  #pieces: string[] = [];
  #length = 0;
  #skipLineFeed = false;

  /** Number of characters in the line that is not complete yet. */
  get held(): number {
    return this.#length;
  }

  push(text: string): string[] {
    const rest = this.#skipLineFeed && text.startsWith('\n') ? text.slice(1) : text;
    // A CR at the very end may be the first half of a CRLF.
    if (text !== '') this.#skipLineFeed = text.endsWith('\r');
    // Splitting at a character is faster than at a regular expression, and most streams contain no CR.
    const pieces = rest.split(rest.includes('\r') ? /\r\n?|\n/ : '\n');
    const open = pieces.pop() ?? '';
    const lines = pieces.map((piece) => this.#take(piece));
    if (open !== '') this.#pieces.push(open);
    this.#length += open.length;
    return lines;
  }

  /** Returns the last line if it has no line break after it. */
  end(): string[] {
    return this.#length === 0 ? [] : [this.#take('')];
  }

  #take(last: string): string {
    if (this.#length === 0) return last;
    const line = this.#pieces.join('') + last;
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
