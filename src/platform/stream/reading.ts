/** Decides whether the chunks of a stream append to the text or replace it (platform contract DEC-11). */

export type Mode = 'append' | 'replace';

/** A change of the text: everything from offset `at` on is replaced with `text`. */
export interface Change {
  readonly at: number;
  readonly text: string;
}

const EXTENSIONS_TO_DECIDE = 3;
const EXTENSIONS_TO_SUSPECT = 2;
const SURE_LENGTH = 8;
const REWRITE_LENGTH = 32;
const REWRITE_COMMON = 0.5;
const REWRITE_SIZE = 0.8;
/** Growth, in characters and as a share of the text, after which the text is copied into one string. */
const COPY_EVERY_CHARS = 1_024;
const COPY_EVERY_SHARE = 1 / 8;

/**
 * Decides whether the chunks of an answer append to the text or replace it. Collects the text both ways until the
 * chunks prove which way is right.
 */
export class Reading {
  readonly #assumed: Mode;
  #decided: Mode | undefined;
  #extensions = 0;
  #previous = '';
  #joined = '';
  #told = '';
  /** Length of the text when it was last copied into one string. */
  #copied = 0;

  /**
   * @param name the field that contained the first text. In the field `full_output`, each chunk usually contains the
   * whole text so far; in other fields, usually only new text
   */
  constructor(name: string) {
    this.#assumed = name === 'full_output' ? 'replace' : 'append';
  }

  get text(): string {
    return this.#told;
  }

  get mode(): Mode {
    return this.#decided ?? (this.#extensions >= EXTENSIONS_TO_SUSPECT ? 'replace' : this.#assumed);
  }

  /** Takes the next chunk, which must not be empty. */
  take(chunk: string): Change {
    if (this.#decided === undefined && this.#previous !== '') this.#weigh(chunk);
    this.#previous = chunk;
    if (this.#decided !== 'replace') this.#join(chunk);
    return this.mode === 'append' ? this.#extend(chunk) : this.finish(chunk);
  }

  /**
   * Adds a chunk to the joined text. V8 links strings that are added and keeps all pieces, which takes nearly three
   * times the memory of one string. All copies together take time in proportion to the length of the text.
   */
  #join(chunk: string): void {
    const grown = this.#joined.length - this.#copied;
    if (grown < Math.max(COPY_EVERY_CHARS, this.#copied * COPY_EVERY_SHARE)) {
      this.#joined += chunk;
      return;
    }
    this.#joined = [this.#joined, chunk].join('');
    this.#copied = this.#joined.length;
  }

  #weigh(chunk: string): void {
    const previous = this.#previous;
    if (chunk === previous) return;
    if (chunk.startsWith(previous)) {
      this.#extensions += 1;
      const sure = this.#assumed === 'replace' && previous.length >= SURE_LENGTH;
      if (sure || this.#extensions >= EXTENSIONS_TO_DECIDE) this.#decided = 'replace';
      return;
    }
    this.#decided = this.#isRewrite(chunk) ? 'replace' : 'append';
  }

  /** True if the chunk rewrites earlier text, which some servers do to insert citation marks. */
  #isRewrite(chunk: string): boolean {
    const previous = this.#previous;
    const suspected = this.#extensions >= EXTENSIONS_TO_SUSPECT || this.#assumed === 'replace';
    return (
      suspected &&
      previous.length >= REWRITE_LENGTH &&
      chunk.length >= previous.length * REWRITE_SIZE &&
      commonLength(previous, chunk) >= previous.length * REWRITE_COMMON
    );
  }

  /**
   * Appends a chunk. The cost depends on the length of the chunk and not on the length of the text. This matters for a
   * stream of equal chunks: until its end, it may stay undecided whether its chunks append to the text or replace it.
   */
  #extend(chunk: string): Change {
    // Usually only the chunk is new, because the text before it was emitted already. After the text was replaced as a
    // whole, all of it is compared.
    const at = this.#told.length;
    if (at + chunk.length !== this.#joined.length) return this.finish(this.#joined);
    this.#told = this.#joined;
    return { at, text: chunk };
  }

  /** Replaces the collected text, for example with the final text. */
  finish(text: string): Change {
    const at = text.startsWith(this.#told)
      ? this.#told.length
      : characterStart(text, commonLength(this.#told, text));
    this.#told = text;
    return { at, text: text.slice(at) };
  }
}

/** Returns the offset, moved back by one if it would split a surrogate pair. */
function characterStart(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return at > 0 && before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

/** Returns the number of UTF-16 units that two texts share at their start. */
export function commonLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
