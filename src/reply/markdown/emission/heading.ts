/** The words of a heading that is written as bold: the end of its line ends them. */

import { type Step, text, type Way } from './emission.ts';
import { carried } from './escape.ts';
import { lineEndAt, opener, stretch } from './prose.ts';
import { MAX_HOLD_CHARS, runEnd } from './scan.ts';

const special = /[\\`[!<>*#\s\ud800-\udfff]/g;
/** What may stand after a heading's words and shows nothing. */
const tail = /[^\S\r\n]+(?:#+[^\S\r\n]*)?/y;

export function inHeading(source: string, at: number, way: Way): Step | undefined {
  const { ended, dialect } = way;
  const to = stretch(source, at, special);
  if (to > at) return going(text(to, dialect.prose(carried(source.slice(at, to)))));
  const end = lineEndAt(source, at, ended);
  if (end === 'held') return undefined;
  if (end !== undefined) return { to: end, out: `${dialect.heading ?? ''}\n`, fresh: true };
  if (source[at] === '*') return going(stars(source, at, way));
  return going(/[\s#]/.test(source[at] ?? '') ? gap(source, at, way) : opener(source, at, way));
}

const going = (step: Step | undefined): Step | undefined => step && { ...step, heading: true };

/** Spaces and number signs: at the line's end they are no words. */
function gap(source: string, at: number, { ended }: Way): Step | undefined {
  if (source[at] === '#') return text(at + 1, '#');
  tail.lastIndex = at;
  const found = tail.exec(source)?.[0] ?? '';
  const end = at + Math.min(found.length, MAX_HOLD_CHARS);
  if (end === source.length && !ended && end < at + MAX_HOLD_CHARS) return undefined;
  const shows = end < source.length && source[end] !== '\n' && source[end] !== '\r';
  const spaces = found.length - found.trimStart().length;
  return shows ? text(at + spaces, carried(found.slice(0, spaces))) : text(end, '');
}

/** Bold inside would end the heading's own. */
function stars(source: string, at: number, { sight }: Way): Step | undefined {
  const { end, closed } = sight.window(at);
  const run = runEnd(source, at, end);
  if (run === end && !closed) return undefined;
  const alone = /\s/.test(source[at - 1] ?? ' ') && /\s/.test(source[run] ?? ' ');
  if (alone) return text(run, '\\*'.repeat(run - at));
  return text(run, (run - at) % 2 === 1 ? '*' : '');
}
