import { type Opener, pieceAt, readMarks } from './emphasis.ts';
import { closeFence, scanFences } from './fences.ts';
import { LookAhead } from './look-ahead.ts';
import { findCode, runEnd } from './scan.ts';

/** Matches a line that begins a block of its own. Emphasis and code spans cannot continue across its start. */
const beginsBlock = /^[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|)/;
const marks = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*/;

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
  if (text.startsWith('|', from) && bar >= from) return bar + 1;
  return from + (marks.exec(text.slice(from))?.[0].length ?? 0);
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
  return text.slice(0, from) + closeInline(text, from);
}

/** Returns the text from `from` on with its open constructs closed. All of it belongs to one block. */
function closeInline(source: string, from: number): string {
  const lookAhead = new LookAhead(source, false);
  const whole = new LookAhead(source, true);
  const end = source.trimEnd().length;
  const open: Opener[] = [];
  let out = '';
  for (let at = from; at < source.length; ) {
    const { kind, to } = pieceAt(source, at, lookAhead);
    if (kind === 'held') {
      const half = halfConstruct(source, at, whole);
      out += half.out;
      at = half.to;
      continue;
    }
    if (kind === 'marks') {
      if (to >= end && !mayClose(source, at, to, open)) break;
      readMarks(open, source, { from: at, to, at: out.length + to - at });
    }
    out += source.slice(at, to);
    at = to;
  }
  return closeMarks(out, open);
}

/** True if marks at the end of the text close emphasis. False if they may become marks of another kind. */
function mayClose(source: string, at: number, to: number, open: readonly Opener[]): boolean {
  const char = source.charAt(at);
  const inner = open.at(-1);
  if (/^\s?$/.test(source.charAt(at - 1)) || !open.some((opener) => opener.char === char)) return false;
  return to < source.length || inner?.char !== char || to - at >= inner.count;
}

/** Appends the marks that close the open emphasis. Leaves out marks after which no text has arrived. */
function closeMarks(out: string, open: readonly Opener[]): string {
  let text = out.trimEnd();
  const space = out.slice(text.length);
  for (const { char, at, count } of open.toReversed()) {
    if (text.length <= at) text = text.slice(0, at - count).trimEnd();
    else text += char.repeat(count);
  }
  return text + space;
}

interface Half {
  readonly out: string;
  /** Offset up to which `out` replaces the source. */
  readonly to: number;
}

/**
 * Returns what is shown for a construct whose end has not arrived. An image is left out, and so is a backslash, because
 * the character that it escapes has not arrived.
 * @param whole reads the source as if no text followed
 */
function halfConstruct(source: string, at: number, whole: LookAhead): Half {
  if (source[at] === '`') return { out: halfCode(source, at, whole), to: source.length };
  return source[at] === '[' ? halfLink(source, at, whole) : { out: '', to: source.length };
}

/** Closes a code span, unless its closing backticks have arrived and only more of them could follow. */
function halfCode(source: string, at: number, whole: LookAhead): string {
  if (findCode(whole.window(at), at) !== 'text') return source.slice(at);
  const from = runEnd(source, at, source.length);
  const content = source.slice(from).replace(/\s*`*$/, '');
  const backticks = source.slice(at, from);
  return content.trim() === '' ? '' : backticks + content + backticks;
}

/** Matches the labels of source numbers and checkboxes, which need no address. */
const settledLabel = /^(?:\^?\d+|[ xX]?)$/;

/**
 * Shows a link as its label. A source number such as "[1]" stays, and the beginning of one is left out, because a link
 * would begin with other text.
 */
function halfLink(source: string, at: number, whole: LookAhead): Half {
  const end = whole.labelEnd(at);
  if (typeof end !== 'number') {
    const isNumber = /^\^?\d*$/.test(source.slice(at + 1));
    return { out: '', to: isNumber ? source.length : at + 1 };
  }
  const label = source.slice(at + 1, end);
  const isSettled = end + 1 === source.length && settledLabel.test(label);
  return { out: isSettled ? source.slice(at) : closeInline(label, 0), to: source.length };
}
