/** Finds the end of a construct that begins at a given character. The text may still grow. */

/**
 * Result of looking for a construct: its extent, `text` if the opener is plain text, or `held` if more text must
 * arrive to decide.
 */
export type Found<Extent> = Extent | 'text' | 'held';

/** Maximum number of characters that are held back after an opener; beyond that, the opener is plain text. */
export const MAX_HOLD_CHARS = 1_024;

/**
 * Maximum length of a link's address, in UTF-16 units. It is held back as a whole, and no message could hold a longer
 * one. Of a link with a longer address, the label and the host are shown.
 */
export const MAX_ADDRESS_CHARS = 8_192;

/** The part of the source in which a construct must end. */
export interface Window {
  readonly source: string;
  /** End of the line, or the maximum distance for looking ahead. */
  readonly end: number;
  /**
   * True if text after `end` cannot change anything: a line ends there, the maximum distance is reached, or the text
   * is complete.
   */
  readonly closed: boolean;
}

export const isLineEnd = (char: string | undefined): boolean => char === '\n' || char === '\r';

const lineEnds = /\r\n?|\n/g;

/** Returns the offset after the next line end, which is LF, CRLF or CR; the text's length if there is none. */
export function nextLine(source: string, from: number): number {
  lineEnds.lastIndex = from;
  return lineEnds.exec(source) === null ? source.length : lineEnds.lastIndex;
}

/** True if the window ends where a line ends. */
export function isWholeLine({ source, end, closed }: Window): boolean {
  return isLineEnd(source[end]) || (end === source.length && closed);
}

export const undecided = ({ closed }: Window): 'text' | 'held' => (closed ? 'text' : 'held');

/** Returns the end of the run of equal characters that begins at `at`. */
export function runEnd(source: string, at: number, end: number): number {
  let to = at;
  while (to < end && source[to] === source[at]) to++;
  return to;
}

interface CodeSpan {
  /** Offsets at which the code itself begins and ends, without its marks. */
  readonly from: number;
  readonly to: number;
  /** Offset after the closing marks. */
  readonly end: number;
}

/**
 * Finds the next run of exactly `size` backticks, or a run of any size that reaches `end`, because more backticks may
 * follow there.
 * @returns the start and end of the run; if there is none, `from` is the offset at which a later search continues
 */
export function closingRun(
  source: string,
  size: number,
  from: number,
  end: number,
): { readonly from: number; readonly to?: number } {
  for (let mark = from; mark < end; mark++) {
    if (source[mark] !== '`') continue;
    const to = runEnd(source, mark, end);
    if (to === end || to - mark === size) return { from: mark, to };
    mark = to;
  }
  return { from: end };
}

/** Finds the code span whose opening marks begin at `at`. */
export function findCode(window: Window, at: number): Found<CodeSpan> {
  const { source, end } = window;
  const from = runEnd(source, at, end);
  if (from === end) return undecided(window);
  const run = closingRun(source, from - at, from, end);
  if (run.to === undefined) return undecided(window);
  if (run.to === end && !window.closed) return 'held';
  if (run.to - run.from !== from - at) return undecided(window);
  return leaksFromCells(source.slice(from, run.from)) ? 'text' : { from, to: run.from, end: run.to };
}

/**
 * True if this code could become a link in a row of a table. In such a row, bars split the cells before code spans are
 * read.
 */
export const leaksFromCells = (code: string): boolean => code.includes('|') && code.includes('](');

export interface Link {
  readonly label: string;
  /** The address as written, without angle brackets around it. */
  readonly destination: string;
  readonly end: number;
  /** Set if the address is too long for a link. `end` then lies inside the address. */
  readonly long?: true;
}

const target =
  /^[ \t]*(?:<((?:\\.|[^<>\\])*)>|((?:\\.|\((?:\\.|\((?:\\.|[^\\()\s])*\)|[^\\()\s])*\)|[^\\()\s<])(?:\\.|\((?:\\.|\((?:\\.|[^\\()\s])*\)|[^\\()\s])*\)|[^\\()\s])*)?)(?:[ \t]+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?[ \t]*\)/;

/** How the address of a link begins that may be longer than `MAX_HOLD_CHARS`. */
const address = /^[ \t]*<?(?:https?:\/\/|mailto:)/i;
const stop = /[\\()\s>]/g;
/** Maximum length of a long link's title, with what stands around it. */
const MAX_TITLE_CHARS = 256;
const title = /^>?(?:[ \t]+(?:"[^"]*"|'[^']*'))?[ \t]*\)/;

/**
 * Reads a long address like `findTarget`, in time that grows only with its length.
 * @returns `long` if the address does not end in `rest`
 */
export function findLongTarget(
  rest: string,
): { readonly destination: string; readonly length: number } | 'long' | 'none' {
  const start = address.exec(rest)?.[0].match(/^[ \t]*<?/)?.[0].length;
  if (start === undefined) return 'none';
  let depth = 0;
  for (stop.lastIndex = start; ; ) {
    const at = stop.exec(rest)?.index;
    if (at === undefined) return 'long';
    const char = rest[at];
    if (char === '\\') stop.lastIndex = at + 2;
    else if (char === '(') depth += 1;
    else if (char === ')' && depth > 0) depth -= 1;
    else {
      const ending = title.exec(rest.slice(at))?.[0];
      if (ending === undefined) return rest.length - at < MAX_TITLE_CHARS ? 'long' : 'none';
      const destination = rest.slice(start, at).replace(/\\([!-/:-@[-`{-~])/g, '$1');
      return { destination, length: at + ending.length };
    }
  }
}

/** Reads the address of a link in its parentheses. Returns `open` if further text could still complete it. */
export function findTarget(
  rest: string,
): { readonly destination: string; readonly length: number } | 'open' | 'none' {
  const found = target.exec(rest);
  // Without quotation marks and brackets, the first closing parenthesis ends the address.
  if (found === null) return /^[^"'<(\\)]*\)/.test(rest) ? 'none' : 'open';
  const [whole, angled, bare] = found;
  const destination = (angled ?? bare ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return { destination, length: whole.length };
}
