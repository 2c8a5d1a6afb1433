/**
 * Finds how much of a growing line has its final style. Text after a mark that may open emphasis is held back until a
 * mark closes it.
 */

/** Maximum number of characters held back for emphasis that is not closed. */
const MAX_HOLD_CHARS = 1_024;

/**
 * Matches a complete link in Markdown that the bridge has made safe. Brackets in its label and its address are escaped.
 */
const link = /\[(?:\\[\s\S]|`[^`]*`|[^\\\]`])*\]\([^()\s]*\)/y;
const halfEntity = /^&#?\w{0,31}$/;
/** Matches the beginning of an HTML line break (`<br>`), whose angle brackets are entities here. */
const halfBreak = /^&lt;(?:b(?:r ?\/?(?:&(?:gt?)?)?)?)?$/i;
const space = /\s/;
const wordly = /[\p{L}\p{N}]/u;

/** Matches an address up to the end of the word. Characters such as `*` inside it are not emphasis. */
const address = /https?:\/\/[^\s\\`[\]&<>]*/iy;
const halfAddress = /(?<![\p{L}\p{N}])(?:h|ht|htt|https?|https?:\/?)$/iu;
const HALF_ADDRESS_CHARS = 8;
/** Maximum characters of an incomplete entity that are held back. A line break needs fewer. */
const LONGEST_ENTITY = 40;
const mayGoOn = (rest: string): boolean => halfEntity.test(rest) || halfBreak.test(rest);

interface Opener {
  readonly char: string;
  readonly at: number;
  count: number;
}

type Delimiter = ReturnType<typeof delimiterAt>;

/**
 * Returns the length of the part that no further text can change.
 * @param text one incomplete line of Markdown that the bridge has made safe
 * @param before the character that precedes the text on its line; empty at the start of a line
 */
export function decidedEnd(text: string, before: string): number {
  const open: Opener[] = [];
  let undecided = text.length;
  for (let at = 0; at < text.length; ) {
    const to = skipped(text, at);
    if (
      to > text.length ||
      isOpenAddress(text, at, to) ||
      (text[at] === '&' && mayGoOn(text.slice(at, at + LONGEST_ENTITY)))
    ) {
      undecided = at;
      break;
    }
    if (to > at) {
      at = to;
      continue;
    }
    const mark = delimiterAt(text, at, before);
    if (mark.to === text.length) {
      undecided = at;
      break;
    }
    closeOpeners(open, mark);
    at = mark.to;
  }
  const half = halfAddress.exec(text.slice(-HALF_ADDRESS_CHARS))?.[0].length ?? 0;
  const end = Math.min(open[0]?.at ?? undecided, undecided, text.length - half);
  return text.length - end > MAX_HOLD_CHARS ? text.length : end;
}

/**
 * Returns where the code, link, entity or plain text that begins at `at` ends. Returns `at` itself if a mark of
 * emphasis is there, and an offset beyond the text if the end has not arrived.
 */
function skipped(text: string, at: number): number {
  switch (text[at]) {
    case '\\':
      return at + 2;
    case '`':
      return codeEnd(text, at);
    case '[': {
      link.lastIndex = at;
      return at + (link.exec(text)?.[0].length ?? 1);
    }
    case '*':
    case '_':
    case '~':
      return at;
    case 'h':
    case 'H':
      address.lastIndex = at;
      return at + (address.exec(text)?.[0].length ?? 1);
    default:
      return at + 1;
  }
}

/** True if the text ends inside an address, which the next piece may continue. */
const isOpenAddress = (text: string, at: number, to: number): boolean =>
  to === text.length && to - at > 1 && /^h/i.test(text.charAt(at));

/** Returns where a code span ends. Code arrives complete, so backticks that are never closed are plain characters. */
function codeEnd(text: string, at: number): number {
  const size = runOf(text, at);
  for (let mark = text.indexOf('`', at + size); mark >= 0; ) {
    const run = runOf(text, mark);
    if (run === size) return mark + run;
    mark = text.indexOf('`', mark + run);
  }
  return at + size;
}

function runOf(text: string, at: number): number {
  let to = at;
  while (to < text.length && text[to] === text[at]) to++;
  return to - at;
}

/**
 * Reads a run of marks such as `**`, and decides whether it may open or close emphasis (CommonMark, delimiter runs).
 */
function delimiterAt(text: string, at: number, before: string) {
  const char = text.charAt(at);
  const to = at + runOf(text, at);
  const left = at === 0 ? before : text.charAt(at - 1);
  const right = text.charAt(to);
  const afterSpace = left === '' || space.test(left);
  const beforeSpace = right === '' || space.test(right);
  const opens = !beforeSpace && (wordly.test(right) || afterSpace || !wordly.test(left));
  const closes = !afterSpace && (wordly.test(left) || beforeSpace || !wordly.test(right));
  // A single tilde is not emphasis, nor are underscores inside a word.
  if (char === '~' && to - at < 2) return { char, at, to, opens: false, closes: false };
  const inWord = char === '_' && wordly.test(left) && wordly.test(right);
  return { char, at, to, opens: opens && !inWord, closes: closes && !inWord };
}

/** Closes open emphasis with a run of marks. Marks that close nothing may open emphasis instead. */
function closeOpeners(open: Opener[], { char, at, to, opens, closes }: Delimiter): void {
  let count = to - at;
  for (let last = open.length - 1; closes && last >= 0 && count > 0; last--) {
    const opener = open[last];
    if (opener?.char !== char) continue;
    const closed = Math.min(opener.count, count);
    count -= closed;
    opener.count -= closed;
    open.length = opener.count > 0 ? last + 1 : last;
  }
  if (opens && count > 0) open.push({ char, at, count });
}
