/** Reads code fences line by line: the line that opens a fence, its code, and the line that ends it. Reading is lenient. */

import { isWholeLine, MAX_HOLD_CHARS, nextLine, runEnd, type Window } from './scan.ts';

/** A code fence that is open at a position of the text. */
export interface Fence {
  /** Offset in the source at which the line that opens the fence begins. */
  readonly from: number;
  readonly mark: '`' | '~';
  readonly size: number;
  /** Number of quote marks (`>`) before the fence. At a line without them the quote ends, and the fence with it. */
  readonly quotes: number;
  /** Number of columns by which the fence is indented; they are removed from each of its lines. */
  readonly indent: number;
}

const marker = /(?:[-*+]|\d{1,9}[.)])(?=[ \t])/y;

/** Returns the offset after the quote and list marks at the start of a line. */
export function leadEnd(source: string, at: number, end: number): number {
  let to = at;
  for (;;) {
    while (to < end && (source[to] === ' ' || source[to] === '\t' || source[to] === '>')) to++;
    marker.lastIndex = to;
    const found = marker.exec(source);
    if (found === null || to + found[0].length >= end) return to;
    to += found[0].length;
  }
}

/** Minimum number of backticks or tildes that open a fence. */
const FENCE_MARKS = 3;
const anyMarks = /`{3}|~{3}/;

/**
 * Returns the fence that the line at `at` opens if it is complete; undefined if the marks at `to` open none.
 * @param to end of the quote and list marks at the start of the line
 */
export function openedFence({ source, end }: Window, at: number, to: number): Fence | undefined {
  const mark = source[to] === '`' ? '`' : '~';
  const run = source[to] === mark ? runEnd(source, to, end) : to;
  const size = run - to;
  if (size < FENCE_MARKS || (mark === '`' && source.slice(run, end).includes('`'))) return undefined;
  const lead = source.slice(at, to);
  const quotes = lead.replace(/[^>]/g, '').length;
  return { from: at, mark, size, quotes, indent: quotes > 0 ? 0 : lead.length };
}

/** Minimum number of backticks that replace tildes, so that no line of the code is likely to end the fence. */
const MIN_MARKS_FOR_WAVES = 5;

/** Returns the backticks with which the fence is written. */
export function fenceOut({ mark, size }: Pick<Fence, 'mark' | 'size'>): string {
  return '`'.repeat(mark === '`' ? size : Math.max(size, MIN_MARKS_FOR_WAVES));
}

type FenceLine =
  | { readonly kind: 'held' }
  /** The line closes the fence; `to` is the line's end. */
  | { readonly kind: 'closed'; readonly to: number }
  /** The quote around the fence has ended, so the fence has ended with it. */
  | { readonly kind: 'left' }
  /**
   * A line of code: `code` is its beginning without the prefix of the fence, and `indent` contains the spaces to add.
   */
  | { readonly kind: 'code'; readonly to: number; readonly code: string; readonly indent: string };

/** Maximum number of spaces before a closing fence. */
const CLOSING_INDENT = 3;

/**
 * Classifies the line at `at` inside an open fence: it closes the fence, it ends the quote around the fence, or it is
 * code.
 */
export function closesFence(window: Window, at: number, fence: Fence): FenceLine {
  const { source, end } = window;
  const stripped = strip(window, at, fence);
  if (stripped === 'held' || stripped === 'left') return { kind: stripped };
  let mark = stripped;
  while (source[mark] === ' ' && mark - stripped < CLOSING_INDENT) mark++;
  const run = source[mark] === '`' || source[mark] === '~' ? runEnd(source, mark, end) : mark;
  let rest = run;
  while (rest < end && (source[rest] === ' ' || source[rest] === '\t')) rest++;
  if (rest === end && !window.closed) return { kind: 'held' };
  const isMarks = rest === end;
  if (isMarks && isWholeLine(window) && source[mark] === fence.mark && run - mark >= fence.size) {
    return { kind: 'closed', to: end };
  }
  // Tildes are written as backticks, so a line of backticks would now end the fence. Such a line is indented to
  // prevent that.
  const ends = isMarks && source[mark] === '`' && run - mark >= fenceOut(fence).length;
  return { kind: 'code', to: run, code: source.slice(stripped, run), indent: ends ? '    ' : '' };
}

/**
 * Returns where the code of a line begins: after the quote marks (`>`) and spaces that the line shares with the first
 * line of the fence.
 */
function strip({ source, end, closed }: Window, at: number, fence: Fence): number | 'held' | 'left' {
  let from = at;
  for (let quote = 0; quote < fence.quotes; quote++) {
    let to = from;
    while (to < end && source[to] === ' ') to++;
    if (to === end && !closed) return 'held';
    if (source[to] !== '>') return quote === 0 ? 'left' : from;
    from = to + 1;
    if (source[from] === ' ') from++;
  }
  let column = 0;
  while (column < fence.indent && source[from] === ' ') {
    from++;
    column++;
  }
  return from;
}

/** Returns the fence that is still open at the end of the text, and the offset after the last closed fence. */
export function scanFences(source: string): { readonly open: Fence | undefined; readonly after: number } {
  let open: Fence | undefined;
  let after = 0;
  for (let at = 0, next = 0; at < source.length; at = next) {
    next = nextLine(source, at);
    const line = source.slice(at, Math.min(next, at + MAX_HOLD_CHARS)).replace(/[\r\n]+$/, '');
    if (open === undefined && !anyMarks.test(line)) continue;
    const window = { source, end: at + line.length, closed: true };
    const kind = open && closesFence(window, at, open).kind;
    if (kind === 'code') continue;
    if (kind !== undefined) after = kind === 'closed' ? next : at;
    const begins = kind !== 'closed' && isWholeLine(window);
    open = begins ? openedFence(window, at, leadEnd(source, at, window.end)) : undefined;
  }
  return { open, after };
}

/**
 * Returns the text with its open fence closed on a line of its own. If a part of the closing line has arrived
 * already, completes it.
 */
export function closeFence(text: string, { from, mark, size }: Fence): string {
  const last = text.slice(text.lastIndexOf('\n') + 1);
  const begun = last.replace(/^[ \t>]+/, '');
  if (begun !== '' && begun === mark.repeat(begun.length) && text.includes('\n', from))
    return text + mark.repeat(Math.max(size - begun.length, 0));
  const lead = /^[^`~]*/.exec(text.slice(from))?.[0].replace(/[^\s>]/g, ' ') ?? '';
  return `${text}${last === '' ? '' : '\n'}${lead}${mark.repeat(size)}`;
}
