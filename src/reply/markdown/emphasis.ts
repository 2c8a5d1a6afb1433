/**
 * Finds which marks of emphasis are still open in text that may still grow. Steps over whole constructs, such as code
 * and links, because marks inside them belong to them.
 */

import { formulaEnd } from './formula.ts';
import { LookAhead } from './look-ahead.ts';
import { findCode, runEnd } from './scan.ts';

/** A part of a line: text or a whole construct, marks of emphasis, or a construct whose end has not arrived. */
export interface Piece {
  readonly kind: 'text' | 'marks' | 'held';
  readonly to: number;
}

/** Matches what may begin a construct or be a mark of emphasis. */
const special = /[\\`[!*_~$]|https?:\/\//gi;
/** Matches an address up to the end of the word. Marks inside it are not emphasis, but marks at its end are. */
const address = /https?:\/\/(?:[^\s\\`[\]<>*_~]|[*_~]+(?=[\p{L}\p{N}/%?=&#-]))*/iuy;
const addressEnd = /[)\s]/g;

/** Returns the piece that begins at `at`. Calls must be in the order of `at`. */
export function pieceAt(source: string, at: number, lookAhead: LookAhead): Piece {
  special.lastIndex = at;
  const next = special.exec(source)?.index ?? source.length;
  if (next > at) return { kind: 'text', to: next };
  if (/[*_~]/.test(source.charAt(at))) return { kind: 'marks', to: runEnd(source, at, source.length) };
  const to = constructEnd(source, at, lookAhead);
  return to === 'held' ? { kind: to, to: source.length } : { kind: 'text', to };
}

function constructEnd(source: string, at: number, lookAhead: LookAhead): number | 'held' {
  switch (source[at]) {
    case '\\':
    case '$': {
      const formula = formulaEnd(source, at, lookAhead.window(at).end);
      if (formula !== undefined || source[at] === '$') return formula ?? at + 1;
      return at + 1 < source.length ? at + 2 : 'held';
    }
    case '`': {
      const window = lookAhead.window(at);
      const code = findCode(window, at);
      return code === 'text' ? runEnd(source, at, window.end) : code === 'held' ? code : code.end;
    }
    case '[':
      return linkEnd(source, at, at, lookAhead);
    case '!':
      return source[at + 1] === '[' ? linkEnd(source, at + 1, at, lookAhead) : at + 1;
    default:
      address.lastIndex = at;
      return at + (address.exec(source)?.[0].length ?? 1);
  }
}

function linkEnd(source: string, bracket: number, opener: number, lookAhead: LookAhead): number | 'held' {
  const link = lookAhead.link(bracket, opener);
  if (link === 'held') return link;
  if (link === 'text') return bracket + 1;
  if (link.long === undefined) return link.end;
  addressEnd.lastIndex = link.end;
  return addressEnd.exec(source)?.index ?? 'held';
}

/** Marks of emphasis that are open. */
export interface Opener {
  readonly char: string;
  /** Offset of the marks, in the text that the caller of `readMarks` chose. */
  readonly at: number;
  readonly count: number;
}

/** Maximum number of open marks. Further marks are not plausible Markdown and stay plain text. */
const MAX_OPEN_MARKS = 32;

const punctuation = /[\p{P}\p{S}]/u;
const blank = /^\s?$/;

/**
 * Reads the marks between `from` and `to`: closes open emphasis of their kind, innermost first (CommonMark, delimiter
 * runs). Marks that close nothing may open emphasis.
 * @param at offset of the marks in any text of the caller, stored in the opener
 */
export function readMarks(
  open: Opener[],
  source: string,
  { from, to, at }: { readonly from: number; readonly to: number; readonly at: number },
): void {
  const char = source.charAt(from);
  const before = source.charAt(from - 1);
  const after = source.charAt(to);
  const opens =
    !blank.test(after) && (!punctuation.test(after) || blank.test(before) || punctuation.test(before));
  const closes =
    !blank.test(before) && (!punctuation.test(before) || blank.test(after) || punctuation.test(after));
  // Underscores inside a word are not emphasis, nor is a single tilde.
  if ((char === '_' && opens && closes) || (char === '~' && to - from !== 2)) return;
  let count = to - from;
  while (closes && count > 0) {
    const index = open.findLastIndex((opener) => opener.char === char);
    const opener = open[index];
    if (opener === undefined) break;
    open.length = index;
    if (opener.count > count) open.push({ ...opener, count: opener.count - count });
    count -= Math.min(count, opener.count);
  }
  if (opens && count > 0 && open.length < MAX_OPEN_MARKS) open.push({ char, at, count });
}

/**
 * Returns the offset between `from` and `to` at which emphasis begins that later text may close; `to` if none does.
 * @param from an offset in the last line of the source; no emphasis is open there
 */
export function openEmphasisFrom(source: string, from: number, to: number): number {
  const lookAhead = new LookAhead(source, false);
  const open: Opener[] = [];
  for (let at = from; at < to; ) {
    const piece = pieceAt(source, at, lookAhead);
    if (piece.kind === 'held') break;
    if (piece.kind === 'marks') {
      if (piece.to === source.length) return open[0]?.at ?? at;
      readMarks(open, source, { from: at, to: piece.to, at });
    }
    at = piece.to;
  }
  return open[0]?.at ?? to;
}
