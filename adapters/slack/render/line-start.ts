/** The beginning of a line: quote marks, list marks, a task's box, a fence. */

import { bracketless } from './escape.ts';
import { type FenceStart, fenceOut, languageOf } from './fence.ts';
import { isWholeLine, runEnd, type Window } from './scan.ts';

export type LineStart =
  | { readonly kind: 'text'; readonly to: number; readonly out: string }
  /** `to` is the end of its line; `out` the opening line as Slack gets it. */
  | ({ readonly kind: 'fence'; readonly to: number; readonly out: string } & FenceStart);

const marker = /(?:[-*+]|\d{1,9}[.)])(?=[ \t])/y;
/** What may still become a list's mark with the next character. */
const half = /^(?:[-*+]|\d{1,9}[.)]?)$/;

/** Where the marks of quotes and lists end that a line begins with. */
function leadEnd(source: string, at: number, end: number): number {
  let to = at;
  for (;;) {
    while (to < end && (source[to] === ' ' || source[to] === '\t' || source[to] === '>')) to++;
    marker.lastIndex = to;
    const found = marker.exec(source);
    if (found === null || to + found[0].length >= end) return to;
    to += found[0].length;
  }
}

/** What a line begins with that begins at `at`. */
export function lineStart(window: Window, at: number): LineStart | 'held' {
  const { source, end, closed } = window;
  const to = leadEnd(source, at, end);
  const rest = source.slice(to, Math.min(end, to + 16));
  if (!closed && (rest === '' || half.test(rest))) return 'held';
  const lead = source.slice(at, to);
  if (source[to] === '`' || source[to] === '~') return fenceOrText(window, at, to);
  const box = taskBox(lead, rest, closed);
  if (box === 'held') return 'held';
  return { kind: 'text', to: to + box.length, out: leadOut(lead) + box };
}

/** Quote marks stay raw at the line's very start, and nowhere else. */
function leadOut(lead: string): string {
  const quotes = /^[ \t>]*/.exec(lead)?.[0] ?? '';
  return quotes + bracketless(lead.slice(quotes.length));
}

/** The box of a task, which stays as it is: what follows it is a space. */
function taskBox(lead: string, rest: string, closed: boolean): string | 'held' {
  if (!/[-*+.)][ \t]+$/.test(lead) || rest[0] !== '[') return '';
  const found = /^\[[ xX]\](?=[ \t])/.exec(rest);
  if (found !== null) return found[0];
  return !closed && /^\[(?:[ xX]\]?)?$/.test(rest) ? 'held' : '';
}

/** Marks that make a fence. */
const FENCE_MARKS = 3;

function fenceOrText(window: Window, at: number, to: number): LineStart | 'held' {
  const { source, end, closed } = window;
  const mark = source[to] === '`' ? '`' : '~';
  const run = runEnd(source, to, end);
  const lead = source.slice(at, to);
  if (run === end && !closed) return 'held';
  const info = source.slice(run, end);
  if (run - to < FENCE_MARKS || (mark === '`' && info.includes('`'))) {
    return { kind: 'text', to, out: leadOut(lead) };
  }
  if (!closed) return 'held';
  if (!isWholeLine(window))
    return { kind: 'text', to: run, out: leadOut(lead) + `\\${mark}`.repeat(run - to) };
  // The mark of a list item stays, on a line of its own.
  const before = /[^ \t>]/.test(lead) ? `${leadOut(lead).trimEnd()}\n` : '';
  const size = run - to;
  const out = `${before}${fenceOut({ mark, size })}${languageOf(info)}`;
  return { kind: 'fence', to: end, out, mark, size, lead, from: at };
}
