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
