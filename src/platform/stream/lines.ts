const MARK = '\ufeff';

/**
 * Decodes UTF-8 that arrives in pieces; what is malformed becomes U+FFFD, a leading byte-order mark is dropped.
 * Node's own decoder drops a later mark too when a piece ends inside an emoji before it, so the mark is ours.
 */
export class Utf8 {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #begun = false;

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

/** Cuts text that comes in pieces into lines; LF, CRLF and CR end one (platform contract DEC-2). */
export class Lines {
  #pieces: string[] = [];
  #length = 0;
  #skipLineFeed = false;

  /** Characters held of a line that is not complete. */
  get held(): number {
    return this.#length;
  }

  push(text: string): string[] {
    const lines: string[] = [];
    let from = 0;
    if (this.#skipLineFeed && text !== '') {
      this.#skipLineFeed = false;
      if (text.charCodeAt(0) === 0x0a) from = 1;
    }
    if (!text.includes('\r')) return this.#byLineFeed(text, from);
    const breaks = /\r\n?|\n/g;
    breaks.lastIndex = from;
    for (let found = breaks.exec(text); found !== null; found = breaks.exec(text)) {
      lines.push(this.#take(text.slice(from, found.index)));
      from = breaks.lastIndex;
      // A CR at the very end may be half of a CRLF.
      this.#skipLineFeed = found[0] === '\r' && from === text.length;
    }
    this.#keep(text, from);
    return lines;
  }

  /** The usual case, without a search by pattern. */
  #byLineFeed(text: string, start: number): string[] {
    const lines: string[] = [];
    let from = start;
    for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', from)) {
      lines.push(this.#take(text.slice(from, at)));
      from = at + 1;
    }
    this.#keep(text, from);
    return lines;
  }

  #keep(text: string, from: number): void {
    if (from === text.length) return;
    this.#pieces.push(text.slice(from));
    this.#length += text.length - from;
  }

  /** The last line, when it has no end. */
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
