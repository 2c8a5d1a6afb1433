/** Where a construct that begins at an opener ends, in text that may still grow. */

/** What an opener is: decided with its extent, decided to be plain text, or not decided yet. */
export type Found<Extent> = Extent | 'text' | 'held';

/** Characters after which an opener is decided whatever follows (house rule 3). */
export const MAX_HOLD_CHARS = 1_024;

/** A stretch of source in which an opener must find its end. */
export interface Window {
  readonly source: string;
  /** Its line's end, or as far as an opener may look. */
  readonly end: number;
  /** Whether what stands after `end` cannot change anything: a line end, the look's limit, or the text's end. */
  readonly closed: boolean;
}

const isLineEnd = (char: string | undefined): boolean => char === '\n' || char === '\r';

/** What an opener at `at` may see. */
export function windowAt(source: string, at: number, ended: boolean): Window {
  const limit = Math.min(source.length, at + MAX_HOLD_CHARS);
  for (let end = at; end < limit; end++) {
    if (isLineEnd(source[end])) return { source, end, closed: true };
  }
  return { source, end: limit, closed: ended || limit === at + MAX_HOLD_CHARS };
}

/** Whether a line ends where the window does. */
export function isWholeLine({ source, end, closed }: Window): boolean {
  return isLineEnd(source[end]) || (end === source.length && closed);
}

const undecided = ({ closed }: Window): 'text' | 'held' => (closed ? 'text' : 'held');

/** Where the run of one character that begins at `at` ends. */
export function runEnd(source: string, at: number, end: number): number {
  let to = at;
  while (to < end && source[to] === source[at]) to++;
  return to;
}

export interface CodeSpan {
  /** Where its content begins and ends. */
  readonly from: number;
  readonly to: number;
  /** After its closing marks. */
  readonly end: number;
}

/** A code span whose marks begin at `at`. */
export function findCode(window: Window, at: number): Found<CodeSpan> {
  const { source, end } = window;
  const from = runEnd(source, at, end);
  if (from === end) return undecided(window);
  for (let mark = source.indexOf('`', from); mark >= 0 && mark < end; ) {
    const to = runEnd(source, mark, end);
    if (to === end && !window.closed) return 'held';
    if (to - mark === from - at)
      return leaksFromCells(source.slice(from, mark)) ? 'text' : { from, to: mark, end: to };
    mark = source.indexOf('`', to);
  }
  return undecided(window);
}

/** A row's bars part its cells before its code spans are read, so a link in such code could come to life. */
const leaksFromCells = (code: string): boolean => code.includes('|') && code.includes('](');

export interface Link {
  readonly label: string;
  /** As written, without its angle brackets. */
  readonly destination: string;
  readonly end: number;
}

/** Where the label that begins after the bracket at `at` ends; `text` too where a link stands inside it. */
function findLabelEnd(window: Window, at: number): Found<{ readonly to: number }> {
  const { source, end } = window;
  const images: boolean[] = [];
  for (let i = at + 1; i < end; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === '`') {
      const code = findCode(window, i);
      if (code === 'held') return 'held';
      i = (code === 'text' ? runEnd(source, i, end) : code.end) - 1;
    } else if (char === '[') images.push(source[i - 1] === '!');
    else if (char === ']') {
      const image = images.pop();
      if (image === undefined) return { to: i };
      if (!image && i + 1 === end && !window.closed) return 'held';
      if (!image && i + 1 < end && source[i + 1] === '(') return 'text';
    }
  }
  return undecided(window);
}

/** An inline link whose label's bracket stands at `at`, all of it on one line. */
export function findLink(window: Window, at: number): Found<Link> {
  const { source, end, closed } = window;
  // Thousands of brackets that are no links are not each looked through to the window's end (attack S22).
  if (closed && !source.slice(at, end).includes('](')) return 'text';
  const label = findLabelEnd(window, at);
  if (label === 'text' || label === 'held') return label;
  const open = label.to + 1;
  if (open === end) return undecided(window);
  if (source[open] !== '(') return 'text';
  const target = findTarget(source.slice(open + 1, end));
  if (target === 'open') return undecided(window);
  if (target === 'none') return 'text';
  return {
    label: source.slice(at + 1, label.to),
    destination: target.destination,
    end: open + 1 + target.length,
  };
}

const target =
  /^[ \t]*(?:<((?:\\.|[^<>\\])*)>|((?:\\.|\((?:\\.|\((?:\\.|[^\\()\s])*\)|[^\\()\s])*\)|[^\\()\s<])(?:\\.|\((?:\\.|\((?:\\.|[^\\()\s])*\)|[^\\()\s])*\)|[^\\()\s])*)?)(?:[ \t]+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?[ \t]*\)/;

/** What stands in a link's parentheses; `open` where more text could still make it one. */
function findTarget(
  rest: string,
): { readonly destination: string; readonly length: number } | 'open' | 'none' {
  const found = target.exec(rest);
  // Without quotes and brackets the first parenthesis would have ended it.
  if (found === null) return /^[^"'<(\\)]*\)/.test(rest) ? 'none' : 'open';
  const [whole, angled, bare] = found;
  const destination = (angled ?? bare ?? '').replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return { destination, length: whole.length };
}
