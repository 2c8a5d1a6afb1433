/**
 * Looks ahead from an opener to the end of its construct. Reads each character about once, however many openers there
 * are.
 */

import {
  closingRun,
  type Found,
  findLongTarget,
  findTarget,
  isLineEnd,
  type Link,
  leaksFromCells,
  MAX_ADDRESS_CHARS,
  MAX_HOLD_CHARS,
  runEnd,
  undecided,
  type Window,
} from './scan.ts';

/**
 * Maximum number of cached scans of a line. One scan is usually enough. If a scan takes part of an image's address for
 * the start of code, it ignores the brackets inside this code, and these brackets need another scan.
 */
const MAX_SCANS = 4;

/** Matches a link without constructs in its label and its address. Most links are such, and this is their fastest reading. */
const plainLink = /\[([^[\]\\`\r\n]*)\]\(([^\s()<>\\"']*)\)/y;

export class LookAhead {
  readonly #source: string;
  readonly #ended: boolean;
  /** Start of a range without line ends; `#to` is its end. */
  #from = 0;
  #to = 0;
  #along: Labels[] = [];

  /** @param ended true if no text follows the source */
  constructor(source: string, ended: boolean) {
    this.#source = source;
    this.#ended = ended;
  }

  /** Returns the part of the source in which a construct that begins at `at` must end. */
  window(at: number): Window {
    if (at < this.#from || at > this.#to) this.#restart(at);
    const source = this.#source;
    const most = at + MAX_HOLD_CHARS;
    const limit = Math.min(source.length, most);
    while (this.#to < limit && !isLineEnd(source[this.#to])) this.#to++;
    const end = Math.min(this.#to, limit);
    return { source, end, closed: end < limit || this.#ended || limit === most };
  }

  #restart(at: number): void {
    this.#from = at;
    this.#to = at;
    this.#along = [];
  }

  /**
   * Returns the inline link or image whose label begins with the bracket at `at`. Finds only links and images that end
   * on the same line. Calls must be in the order of `opener`.
   * @param opener offset of the construct's first character: for an image, the exclamation mark
   */
  link(at: number, opener = at): Found<Link> {
    const window = this.window(opener);
    const { source, end } = window;
    plainLink.lastIndex = at;
    const [whole, words = '', destination = ''] = plainLink.exec(source) ?? [];
    if (whole !== undefined && at + whole.length <= end)
      return { label: words, destination, end: at + whole.length };
    const label = this.labelEnd(at, opener);
    if (label === 'text') return label;
    if (label === undefined || label + 1 >= end) return undecided(window);
    if (source[label + 1] !== '(') return 'text';
    const target = findTarget(source.slice(label + 2, end));
    if (target === 'open')
      return end - opener < MAX_HOLD_CHARS ? undecided(window) : this.#longLink(at, label);
    if (target === 'none') return 'text';
    return {
      label: source.slice(at + 1, label),
      destination: target.destination,
      end: label + 2 + target.length,
    };
  }

  /** Returns the link with this label, whose address does not end in the window. */
  #longLink(at: number, to: number): Found<Link> {
    const { rest, closed } = this.far(to + 2);
    const target = findLongTarget(rest);
    if (target === 'none') return 'text';
    const label = this.#source.slice(at + 1, to);
    if (target !== 'long') return { label, destination: target.destination, end: to + 2 + target.length };
    if (rest.length < MAX_ADDRESS_CHARS) return closed ? 'text' : 'held';
    return { label, destination: rest.trim().replace(/^</, ''), end: to + 2 + rest.length, long: true };
  }

  /**
   * Returns the rest of the line, at most as long as the longest address. `closed` is true if it cannot become longer.
   */
  far(at: number): { readonly rest: string; readonly closed: boolean } {
    const rest = this.#source.slice(at, at + MAX_ADDRESS_CHARS);
    const end = rest.search(/[\r\n]/);
    if (end >= 0) return { rest: rest.slice(0, end), closed: true };
    return { rest, closed: this.#ended || rest.length === MAX_ADDRESS_CHARS };
  }

  /** Returns where the label ends that begins with the bracket at `at`; undefined if it does not end in the window. */
  labelEnd(at: number, opener = at): LabelEnd | undefined {
    const { end, closed } = this.window(opener);
    const horizon = { end, whole: closed && end - opener < MAX_HOLD_CHARS };
    for (const along of this.#along) {
      along.advance(horizon);
      if (along.ends.has(at)) return along.ends.get(at);
    }
    const along = new Labels(this.#source, at);
    along.advance(horizon);
    this.#along = [along, ...this.#along.slice(0, MAX_SCANS - 1)];
    return along.ends.get(at);
  }
}

/** Offset at which a label ends; `text` if the brackets contain a link, because they are then no label. */
type LabelEnd = number | 'text';

interface Opener {
  readonly at: number;
  readonly image: boolean;
}

/** How far a scan may read on its line. */
interface Horizon {
  readonly end: number;
  /** True if the line ends at `end`, so that no further text can close its open brackets. */
  readonly whole: boolean;
}

class Labels {
  readonly #source: string;
  /** Offset of the next character to read. `#searched`: offset up to which the end of a code span was searched for. */
  #at: number;
  #searched = 0;
  #open: Opener[] = [];
  /**
   * Ends of the labels by their opening brackets, as far as they are known. Contains no bracket in code that begins
   * before it.
   */
  readonly ends = new Map<number, LabelEnd | undefined>();

  /** @param at offset of the first bracket */
  constructor(source: string, at: number) {
    this.#source = source;
    this.#at = at;
  }

  /**
   * Reads on to the limit. Stops earlier at a run of backticks or at a closing bracket if only later text can decide
   * what it means.
   */
  advance(horizon: Horizon): void {
    while (this.#at < horizon.end) {
      const from = this.#at;
      const char = this.#source[from];
      if (char === '`') this.#code(horizon);
      else if (char === ']') this.#close(horizon);
      else {
        if (char === '[') this.#push(from);
        this.#at += char === '\\' ? 2 : 1;
      }
      if (this.#at === from) return;
    }
  }

  #push(at: number): void {
    this.#open.push({ at, image: this.#source[at - 1] === '!' });
    this.ends.set(at, undefined);
  }

  #close({ end, whole }: Horizon): void {
    const next = this.#at + 1;
    if (next === end && !whole) return;
    const opener = this.#open.pop();
    if (opener !== undefined) this.ends.set(opener.at, this.#at);
    if (opener?.image === false && next < end && this.#source[next] === '(') {
      for (const { at } of this.#open) this.ends.set(at, 'text');
      this.#open = [];
    }
    this.#at = next;
  }

  /**
   * Skips a code span. Opening marks without closing marks are skipped as text once it is certain that no closing
   * marks follow.
   */
  #code({ end, whole }: Horizon): void {
    const at = this.#at;
    const from = runEnd(this.#source, at, end);
    if (from === end && !whole) return;
    const limit = Math.min(end, at + MAX_HOLD_CHARS);
    const begin = Math.max(from, this.#searched);
    const run = closingRun(this.#source, from - at, begin, limit);
    this.#searched = run.from;
    const isSure = whole || limit < end || (run.to !== undefined && run.to < limit);
    if (!isSure) return;
    this.#searched = 0;
    const closes = run.to !== undefined && run.to - run.from === from - at;
    const hides = closes && !leaksFromCells(this.#source.slice(from, run.from));
    this.#at = hides ? (run.to ?? from) : from;
  }
}
