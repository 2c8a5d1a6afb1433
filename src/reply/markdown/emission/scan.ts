/** Finds the end of a construct that begins at an opener, while the text may still grow. */

/**
 * State of an opener: its extent once it is decided, `text` if it is plain text, `held` if it is undecided.
 */
export type Found<Extent> = Extent | 'text' | 'held';

/** Maximum number of characters held back after an opener; then it counts as plain text. */
export const MAX_HOLD_CHARS = 1_024;

/** The part of the source in which an opener must find its end. */
export interface Window {
  readonly source: string;
  /** End of the line, or the limit of looking ahead. */
  readonly end: number;
  /** True if text after `end` cannot change anything: a line end, the look-ahead limit, or the text's end. */
  readonly closed: boolean;
}

export const isLineEnd = (char: string | undefined): boolean => char === '\n' || char === '\r';

/** True if a line ends at the end of the window. */
export function isWholeLine({ source, end, closed }: Window): boolean {
  return isLineEnd(source[end]) || (end === source.length && closed);
}

export const undecided = ({ closed }: Window): 'text' | 'held' => (closed ? 'text' : 'held');

/** Returns the end of the run of one character that begins at `at`. */
export function runEnd(source: string, at: number, end: number): number {
  let to = at;
  while (to < end && source[to] === source[at]) to++;
  return to;
}

interface CodeSpan {
  /** Start of the content; `to` is its end. */
  readonly from: number;
  readonly to: number;
  /** Offset after its closing marks. */
  readonly end: number;
}

/**
 * Finds the next run of `size` backticks.
 * @returns the start and end of the run; without an end, the offset at which a later search continues
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

/** Finds the code span whose marks begin at `at`. */
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
 * True if the code could turn into a link in a table row, where bars split the cells before code spans are
 * read.
 */
export const leaksFromCells = (code: string): boolean => code.includes('|') && code.includes('](');

export interface Link {
  readonly label: string;
  /** The written destination, without its angle brackets. */
  readonly destination: string;
  readonly end: number;
}

const target =
  /^[ \t]*(?:<((?:\\.|[^<>\\])*)>|((?:\\.|\((?:\\.|\((?:\\.|[^\\()\s])*\)|[^\\()\s])*\)|[^\\()\s<])(?:\\.|\((?:\\.|\((?:\\.|[^\\()\s])*\)|[^\\()\s])*\)|[^\\()\s])*)?)(?:[ \t]+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?[ \t]*\)/;

/** Reads the parentheses of a link; `open` if more text could still complete it. */
export function findTarget(
  rest: string,
): { readonly destination: string; readonly length: number } | 'open' | 'none' {
  const found = target.exec(rest);
  // Without quotes and brackets, the first parenthesis ends the target.
  if (found === null) return /^[^"'<(\\)]*\)/.test(rest) ? 'none' : 'open';
  const [whole, angled, bare] = found;
  const destination = (angled ?? bare ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return { destination, length: whole.length };
}
