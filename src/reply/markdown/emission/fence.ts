/**
 * Reads and writes code fences. Reading is lenient; fences are written at the start of a line, so that every channel
 * recognizes them.
 */

import type { Dialect, Fence } from './emission.ts';
import { isWholeLine, runEnd, type Window } from './scan.ts';

export interface FenceStart extends Pick<Fence, 'mark' | 'size' | 'from'> {
  readonly lead: string;
}

export function openFence({ mark, size, lead, from }: FenceStart): Fence {
  const quotes = lead.replace(/[^>]/g, '').length;
  return { from, mark, size, quotes, indent: quotes > 0 ? 0 : lead.length };
}

/** Minimum number of backticks that replace tildes, so that no line of the code is likely to end the fence. */
const MIN_MARKS_FOR_WAVES = 5;

/** Returns the backticks with which the fence is written. */
export function fenceOut({ mark, size }: Pick<Fence, 'mark' | 'size'>): string {
  return '`'.repeat(mark === '`' ? size : Math.max(size, MIN_MARKS_FOR_WAVES));
}

/** Returns the language that a fence names; empty if the name is long or contains special characters. */
export function languageOf(info: string, { language }: Dialect): string {
  const name = /^[ \t]*([A-Za-z0-9+#._-]{1,30})/.exec(info)?.[1];
  return name === undefined ? '' : language(name);
}

/** Returns the line that opens the fence again in the next message. */
export function reopening(source: string, fence: Fence, dialect: Dialect): string {
  const line = /^[^\r\n]*/.exec(source.slice(fence.from))?.[0] ?? '';
  const info = line.slice(line.indexOf(fence.mark)).replace(/^[`~]+/, '');
  return `${fenceOut(fence)}${languageOf(info, dialect)}\n`;
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
