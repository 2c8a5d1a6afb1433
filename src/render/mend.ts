import { closeFence, scanFences } from './fences.ts';
import { mendInline } from './mend-inline.ts';

/** A line that begins a block of its own, so that no emphasis or code span reaches over its start. */
const beginsBlock = /^[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|)/;

/** Where the text begins whose inline marks may still be open: the last paragraph, item, heading or cell. */
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
 * The text with everything closed that only half arrived, for messages that are edited while an answer grows: fences,
 * emphasis, code spans; a half link shows its label, a half image nothing. Whole text comes back as it is, but for
 * what may still become something at its end: lone marks, and words in brackets that no address follows yet.
 */
export function mend(text: string): string {
  const { open, after } = scanFences(text);
  if (open !== undefined) return closeFence(text, open);
  const from = openInlineFrom(text, after);
  const lead = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*/.exec(text.slice(from))?.[0].length ?? 0;
  return text.slice(0, from + lead) + mendInline(text.slice(from + lead));
}
