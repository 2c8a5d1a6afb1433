import { closeFence, scanFences } from './fences.ts';
import { formulaEnd } from './formula.ts';

/** Matches a line that begins a block of its own. Emphasis and code spans cannot continue across its start. */
const beginsBlock = /^[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|)/;

/** Returns the start of the text in which inline marks may still be open: the last paragraph, item, heading or cell. */
function openInlineFrom(text: string, after: number): number {
  let from = text.length;
  while (from > after) {
    const start = text.lastIndexOf('\n', from - 2) + 1;
    const line = text.slice(start, from);
    if (line.trim() === '') return from;
    from = start;
    if (beginsBlock.test(line)) break;
  }
  const bar = text.lastIndexOf('|');
  return text.startsWith('|', from) && bar >= from ? bar + 1 : from;
}

/**
 * Closes the constructs that are still open at the end of a text that has arrived only in part: fences, emphasis and
 * code spans. Needed because messages are edited while an answer grows. A partial link is shown as its label, and a
 * partial image is left out. If the last characters may still become a construct, single marks among them are left out,
 * and words in brackets are shown without the brackets. All other text stays unchanged.
 */
export function mend(text: string): string {
  const { open, after } = scanFences(text);
  if (open !== undefined) return closeFence(text, open);
  const from = openInlineFrom(text, after);
  const lead = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*/.exec(text.slice(from))?.[0].length ?? 0;
  return text.slice(0, from + lead) + new InlineMender(text.slice(from + lead)).mend();
}

interface Opener {
  /** Position of the opening marks in the result, and the marks that close them. */
  readonly at: number;
  readonly marks: string;
}

/**
 * Limits for a link's label, its address, and the number of open marks. Text beyond these limits is not plausible
 * Markdown and stays plain text.
 */
const MAX_LABEL_CHARS = 1_024;
const MAX_DESTINATION_CHARS = 4_096;
const MAX_OPEN_MARKS = 32;

const settledLabel = /^(?:\^?\d+|[ xX]?)$/;
const punctuation = /[\p{P}\p{S}]/u;
const blank = /^\s?$/;

function touches(before: string, after: string): { readonly opens: boolean; readonly closes: boolean } {
  const open =
    !blank.test(after) && (!punctuation.test(after) || blank.test(before) || punctuation.test(before));
  const close =
    !blank.test(before) && (!punctuation.test(before) || blank.test(after) || punctuation.test(after));
  return { opens: open, closes: close };
}

/** The brackets of a longer text, in which the text to mend begins at `offset`. */
interface Brackets {
  readonly matches: ReadonlyMap<number, number>;
  readonly offset: number;
}

/** Matches characters that may begin a construct that must be closed. */
const marking = /[\\`[!*_~$]/g;

class InlineMender {
  readonly #source: string;
  readonly #brackets: Brackets;
  readonly #nextLine: (from: number) => number;
  readonly #nextStop: (from: number) => number;
  #at = 0;
  #out = '';
  readonly #open: Opener[] = [];

  /** @param source the content of one paragraph, item, heading or cell */
  constructor(source: string, brackets: Brackets = { matches: matchBrackets(source), offset: 0 }) {
    this.#source = source;
    this.#brackets = brackets;
    this.#nextLine = createFinder(source, /\n/);
    this.#nextStop = createFinder(source, /[)\n]/);
  }

  mend(): string {
    while (this.#at < this.#source.length) this.#step();
    return this.#close();
  }

  #step(): void {
    const char = this.#source.charAt(this.#at);
    const formula = formulaEnd(this.#source, this.#at, this.#source.length);
    if (formula !== undefined) this.#take(formula - this.#at);
    else if (char === '\\') this.#escape();
    else if (char === '`') this.#code();
    else if (char === '[' || (char === '!' && this.#source[this.#at + 1] === '[')) this.#bracket();
    else if (char === '*' || char === '_' || char === '~') this.#emphasis(char);
    else this.#take(this.#plainChars());
  }

  /** Returns the number of characters up to the next one that may begin a construct; at least 1. */
  #plainChars(): number {
    marking.lastIndex = this.#at + 1;
    const next = marking.exec(this.#source)?.index ?? this.#source.length;
    return next - this.#at;
  }

  #take(count: number): void {
    this.#out += this.#source.slice(this.#at, this.#at + count);
    this.#at += count;
  }

  /**
   * Copies a backslash with the character that it escapes. Drops a backslash at the end of the text, because the
   * escaped character has not arrived.
   */
  #escape(): void {
    if (this.#at + 1 < this.#source.length) this.#take(2);
    else this.#at++;
  }

  #run(char: string): string {
    let end = this.#at;
    while (this.#source[end] === char) end++;
    return this.#source.slice(this.#at, end);
  }

  #code(): void {
    const marks = this.#run('`');
    const rest = this.#source.slice(this.#at + marks.length);
    const closing = new RegExp(`(?<!\`)${marks}(?!\`)`).exec(rest);
    if (closing !== null) this.#take(marks.length + closing.index + marks.length);
    else {
      const content = rest.replace(/\s*`*$/, '');
      if (content.trim() !== '') this.#out += `${marks}${content}${marks}`;
      this.#at = this.#source.length;
    }
  }

  /** Returns the end of the label that begins at `from`; -1 if it is not closed. */
  #labelEnd(from: number): number {
    const { matches, offset } = this.#brackets;
    const end = (matches.get(offset + from - 1) ?? -1) - offset;
    return end < from + MAX_LABEL_CHARS ? end : -1;
  }

  #bracket(): void {
    const image = this.#source[this.#at] === '!';
    const label = this.#at + (image ? 2 : 1);
    const end = this.#labelEnd(label);
    if (end < 0) this.#at = this.#afterHalfLabel(label);
    else if (this.#mayBecomeLink(label, end)) {
      if (!image) this.#out += this.#inLabel(label, end).mend();
      this.#at = this.#source.length;
    } else this.#take(image ? end + 1 - this.#at : 1);
  }

  #inLabel(from: number, to: number): InlineMender {
    const { matches, offset } = this.#brackets;
    return new InlineMender(this.#source.slice(from, to), { matches, offset: offset + from });
  }

  /**
   * True if only a part of an address has arrived after the label. False for source numbers such as "[1]" and
   * checkboxes, which need no address.
   */
  #mayBecomeLink(label: number, end: number): boolean {
    const rest = end + 1;
    if (rest >= this.#source.length) return !settledLabel.test(this.#source.slice(label, end));
    const until = Math.min(this.#source.length, rest + MAX_DESTINATION_CHARS);
    return this.#source[rest] === '(' && this.#nextStop(rest) >= until;
  }

  /**
   * Handles a label that is not closed yet. If the label may become an image or a source number such as "[1", nothing
   * is shown. If it may become a link, its text is shown. If it is too long for a label, or if the text continues on
   * another line, the bracket is shown as text.
   */
  #afterHalfLabel(label: number): number {
    const words = this.#source.slice(label, label + MAX_LABEL_CHARS);
    if (words.length === MAX_LABEL_CHARS || this.#nextLine(label) < this.#source.length) {
      this.#out += this.#source.slice(this.#at, label);
      return label;
    }
    return label - this.#at === 2 || /^\^?\d*$/.test(words) ? this.#source.length : label;
  }

  #emphasis(char: string): void {
    const marks = this.#run(char);
    const rest = this.#source.slice(this.#at + marks.length);
    const before = this.#source.charAt(this.#at - 1);
    if (rest.trim() === '' && (blank.test(before) || !this.#openFor(char))) {
      this.#at = this.#source.length;
      return;
    }
    const { opens, closes } = touches(before, rest.charAt(0));
    const intraword = char === '_' && opens && closes;
    const left = closes && !intraword ? this.#shut(char, marks.length) : marks.length;
    this.#take(marks.length);
    if (
      left > 0 &&
      opens &&
      !intraword &&
      (char !== '~' || left === 2) &&
      this.#open.length < MAX_OPEN_MARKS
    ) {
      this.#open.push({ at: this.#out.length, marks: char.repeat(left) });
    }
  }

  #openFor(char: string): boolean {
    return this.#open.some(({ marks }) => marks.startsWith(char));
  }

  /** Closes open marks of this kind, innermost first. Returns the number of closing marks that are not used up. */
  #shut(char: string, count: number): number {
    let left = count;
    for (let at = this.#open.findLastIndex(({ marks }) => marks.startsWith(char)); at >= 0 && left > 0; ) {
      const opener = this.#open[at];
      if (opener === undefined) break;
      const used = Math.min(left, opener.marks.length);
      left -= used;
      this.#open.length = at;
      if (opener.marks.length > used) this.#open.push({ ...opener, marks: opener.marks.slice(used) });
      at = this.#open.findLastIndex(({ marks }) => marks.startsWith(char));
    }
    return left;
  }

  #close(): string {
    let text = this.#out.trimEnd();
    const space = this.#out.slice(text.length);
    for (const { at, marks } of this.#open.toReversed()) {
      if (text.length <= at) text = text.slice(0, at - marks.length).trimEnd();
      else text += marks;
    }
    return text + space;
  }
}

/** Maps the offset of each opening bracket to the offset of its closing bracket. Escaped brackets do not count. */
export function matchBrackets(source: string): ReadonlyMap<number, number> {
  const matches = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: found, index } of source.matchAll(/\\[\s\S]?|[[\]]/g)) {
    if (found === '[') open.push(index);
    if (found !== ']') continue;
    const opener = open.pop();
    if (opener !== undefined) matches.set(opener, index);
  }
  return matches;
}

/**
 * Returns a function that returns the offset of the next match; the text's length if there is none. It must be called
 * with offsets that never decrease.
 */
export function createFinder(source: string, pattern: RegExp): (from: number) => number {
  const global = new RegExp(pattern, 'g');
  let found = -1;
  return (from) => {
    if (found < from) {
      global.lastIndex = from;
      found = global.exec(source)?.index ?? source.length;
    }
    return found;
  };
}
